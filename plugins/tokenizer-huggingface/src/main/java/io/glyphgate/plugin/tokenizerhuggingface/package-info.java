/**
 * Tokenizers of the Hugging Face family: {@code tokenizer.json} and {@code tekken.json}.
 *
 * <p>Text is made from tokens in plain Java, from a table that is read once; the tokenizers library behind it, which is
 * native code, is loaded only when something must be encoded or when a file names a decoder that is not known here.
 */
@NullMarked
package io.glyphgate.plugin.tokenizerhuggingface;

import org.jspecify.annotations.NullMarked;
