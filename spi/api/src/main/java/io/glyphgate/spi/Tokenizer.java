package io.glyphgate.spi;

import java.util.OptionalInt;

/**
 * A loaded tokenizer; used by many threads at once.
 *
 * <p>The proxy hands tokenizers out to parsers, so a plugin never brings its own native library: two copies of the same one
 * cannot be loaded in one process.
 *
 * @since 1.0
 */
public interface Tokenizer extends AutoCloseable {
    /**
     * The size of the vocabulary.
     *
     * @return the highest token ID plus one, added tokens included
     */
    int vocabularySize();

    /**
     * Turns text into tokens. Added tokens that stand in the text become their own ID.
     *
     * @param text the text
     * @param addSpecialTokens whether to add what the tokenizer puts around a text, such as a start token
     * @return the IDs
     */
    int[] encode(String text, boolean addSpecialTokens);

    /**
     * Turns tokens into text at once. Bytes that are no whole character become U+FFFD.
     *
     * @param tokenIds the IDs; an unknown one adds nothing
     * @param skipSpecialTokens whether special tokens are left out
     * @return the text
     */
    String decode(int[] tokenIds, boolean skipSpecialTokens);

    /**
     * The ID of a token.
     *
     * @param token the token as the vocabulary has it, for example {@code <think>}
     * @return empty if the vocabulary does not hold it
     */
    OptionalInt tokenId(String token);

    /**
     * Whether a token is special: one that {@code skip_special_tokens} leaves out.
     *
     * @param tokenId the ID
     * @return false also for an unknown ID
     */
    boolean isSpecial(int tokenId);

    /**
     * The token that ends an output by itself. vLLM gives no {@code stop_reason} for it, unlike for other stop tokens.
     *
     * @return empty, also by default, if it is not known
     */
    default OptionalInt endOfSequence() {
        return OptionalInt.empty();
    }

    /**
     * Starts the text of one choice.
     *
     * @param options the prompt, and what becomes of special tokens
     * @return a new detokenizer
     */
    Detokenizer detokenizer(DetokenizerOptions options);

    /** Frees native memory. No other method may be called after it. */
    @Override
    void close();
}
