/** How prefill and decode servers are told to hand over the keys and values of a prompt, for the connectors of vLLM. */
@NullMarked
package io.glyphgate.plugin.kvconnectors;

import org.jspecify.annotations.NullMarked;
