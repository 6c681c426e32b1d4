package io.glyphgate.spi;

/**
 * What one step of the engine added to one choice: new tokens, and the text that they completed.
 *
 * <p>Text and tokens stay aligned: {@link #textEnd(int)} says where in {@link #text()} each token's text ends. A token that
 * completed no text (the first half of a character, a skipped special token) ends where the one before it did. Text can be
 * split anywhere, also inside a word, a marker or a surrogate pair, and a delta may hold any number of tokens, none
 * included. A parser must give the same result for every way of cutting the same output.
 *
 * <p>The object is a view that the host reuses: it is valid only during the call that it is passed to.
 *
 * @since 1.0
 */
public interface TokenDelta {
    /**
     * The text that this step completed.
     *
     * @return possibly empty; valid only during the call
     */
    CharSequence text();

    /**
     * How many tokens this step added.
     *
     * @return 0 or more; 0 when the host knows the text only
     */
    int tokenCount();

    /**
     * One of the tokens.
     *
     * @param index 0 to {@link #tokenCount()} - 1
     * @return its ID in the model's vocabulary
     */
    int tokenId(int index);

    /**
     * Where the text of one of the tokens ends.
     *
     * @param index 0 to {@link #tokenCount()} - 1
     * @return an offset in {@link #text()}; never less than that of the token before
     */
    int textEnd(int index);

    /**
     * A delta of text whose tokens are not known.
     *
     * @param text the text
     * @return a delta without tokens
     */
    static TokenDelta of(String text) {
        return of(text, new int[0], new int[0]);
    }

    /**
     * A delta with tokens.
     *
     * @param text the text
     * @param tokenIds the tokens
     * @param textEnds where each token's text ends; as many as there are tokens
     * @return the delta, which keeps the arrays
     */
    static TokenDelta of(String text, int[] tokenIds, int[] textEnds) {
        if (tokenIds.length != textEnds.length) {
            throw new IllegalArgumentException(
                    tokenIds.length + " token IDs, but " + textEnds.length + " offsets of where their text ends");
        }
        return new FixedTokenDelta(text, tokenIds, textEnds);
    }
}
