package io.glyphgate.spi;

import java.util.Set;

/**
 * How one choice is detokenized. Implemented by the host, so it may grow.
 *
 * @since 1.0
 */
public interface DetokenizerOptions {
    /**
     * The tokens before the output, which can change its first characters.
     *
     * @return the IDs, not to be modified; possibly empty
     */
    int[] promptTokenIds();

    /**
     * Whether special tokens are left out, those of {@link #keptTokens()} excepted. Source: {@code skip_special_tokens}.
     *
     * @return true by default in vLLM
     */
    boolean skipSpecialTokens();

    /**
     * Whether added tokens that follow each other are joined by a space where the tokenizer does so. Source: {@code
     * spaces_between_special_tokens}.
     *
     * @return true by default in vLLM
     */
    boolean spacesBetweenSpecialTokens();

    /**
     * Special tokens that are text all the same: the markers of the parsers of this choice.
     *
     * @return tokens as the vocabulary has them
     */
    Set<String> keptTokens();

    /**
     * Options with the given values.
     *
     * @param promptTokenIds see {@link #promptTokenIds()}
     * @param skipSpecialTokens see {@link #skipSpecialTokens()}
     * @param spacesBetweenSpecialTokens see {@link #spacesBetweenSpecialTokens()}
     * @param keptTokens see {@link #keptTokens()}
     * @return the options, which keep the array and the set
     */
    static DetokenizerOptions of(
            int[] promptTokenIds, boolean skipSpecialTokens, boolean spacesBetweenSpecialTokens, Set<String> keptTokens) {
        return new DetokenizerOptions() {
            @Override
            public int[] promptTokenIds() {
                return promptTokenIds;
            }

            @Override
            public boolean skipSpecialTokens() {
                return skipSpecialTokens;
            }

            @Override
            public boolean spacesBetweenSpecialTokens() {
                return spacesBetweenSpecialTokens;
            }

            @Override
            public Set<String> keptTokens() {
                return keptTokens;
            }
        };
    }
}
