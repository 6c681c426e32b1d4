/** The output modes of vLLM. */
@NullMarked
package io.glyphgate.plugin.outputmodes;

import org.jspecify.annotations.NullMarked;
