/** Tokenizers of the Hugging Face family. */
@NullMarked
package io.glyphgate.plugin.tokenizerhuggingface;

import org.jspecify.annotations.NullMarked;
