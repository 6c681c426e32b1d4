package io.glyphgate.spi;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

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
     * The token of an ID as the vocabulary writes it: bytes and spaces may be spelled with other characters.
     *
     * @param tokenId the ID
     * @return empty for an unknown ID
     */
    Optional<String> token(int tokenId);

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
     * What the files beside the vocabulary say, as {@code tokenizer_config.json} has it. {@code chat_template} is a text, or a
     * map from the names of several to their texts, wherever the files keep them.
     *
     * @return values as JSON has them, not to be modified; empty, also by default, if the files say nothing
     */
    default Map<String, @Nullable Object> settings() {
        return Map.of();
    }

    /**
     * What tells this tokenizer from others: a hash of its tokens and their IDs, and of which are added and special.
     *
     * @return the same for the same tokens, in lower-case hexadecimal digits; empty by default, if there is none
     */
    default String fingerprint() {
        return "";
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
