package io.glyphgate.spi;

/**
 * Turns the output of one choice into reasoning, content and tool calls while it arrives.
 *
 * <p>One instance per choice, used by one thread at a time, forgotten with the request. It decides with bounded lookahead,
 * and a decision stands. Text may be held back only while it can still become a marker, or while a call whose name has not
 * come may still turn out to be plain text. The work per character is constant: no method looks at earlier output again.
 * A batch answer is the same run fed once.
 *
 * <p>No input makes a parser throw. If it does throw, the whole request ends with an error and the metric
 * {@code glyphgate_plugin_errors_total} counts it.
 *
 * @since 1.0
 */
public interface ChoiceParser {
    /**
     * Takes the next piece of the output.
     *
     * @param delta the piece; valid only during the call
     * @param out where to put what it made certain
     */
    void accept(TokenDelta delta, DeltaSink out);

    /**
     * Ends the output. Called once, last, also after an abort and when there was no output; gives out all that is held back.
     *
     * @param reason why it ended
     * @param out where to put the rest
     */
    void finish(FinishReason reason, DeltaSink out);
}
