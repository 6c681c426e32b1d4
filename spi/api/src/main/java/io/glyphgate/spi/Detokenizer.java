package io.glyphgate.spi;

/**
 * Turns the tokens of one choice into text while they arrive. One instance per choice, used by one thread at a time.
 *
 * <p>Text is given out only when no later token can change it, exactly as vLLM does (the {@code DecodeStream} of the Hugging
 * Face tokenizers library): the bytes of a split character come with its last token, and invalid bytes at the end of the
 * output never come.
 *
 * @since 1.0
 */
public interface Detokenizer {
    /**
     * Takes the next token.
     *
     * @param tokenId its ID; an unknown one adds nothing
     * @param out gains the text that the token completed; nothing else of it is touched
     */
    void next(int tokenId, StringBuilder out);
}
