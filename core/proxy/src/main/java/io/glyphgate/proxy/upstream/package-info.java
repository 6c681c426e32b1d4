/** Speaks to vLLM servers. */
@NullMarked
package io.glyphgate.proxy.upstream;

import org.jspecify.annotations.NullMarked;
