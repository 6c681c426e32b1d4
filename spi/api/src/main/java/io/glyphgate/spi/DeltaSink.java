package io.glyphgate.spi;

import org.jspecify.annotations.Nullable;

/**
 * Where a parser puts what it recognised, in the order of the output.
 *
 * <p><b>Nothing vanishes.</b> Every character that a parser was given reaches the sink exactly once, in order: as reasoning,
 * as content, or as {@linkplain #structure structure}. The text of a call, in the model's own notation, is structure; {@link
 * #toolCall} and {@link #toolArguments} say what it means and count for nothing in this account. The host relies on it to
 * know which token belongs to which field, and the contract tests check it.
 *
 * <p>What was sent cannot be taken back. Calls are cheap: the host joins those of one step into one event. A sink copies
 * what it keeps, so a parser may pass a buffer that it reuses.
 *
 * @since 1.0
 */
public interface DeltaSink {
    /**
     * Adds to the reasoning.
     *
     * @param text possibly empty
     */
    void reasoning(CharSequence text);

    /**
     * Adds to the content. The content of a reasoning parser flows on into the tool parser, where there is one.
     *
     * @param text possibly empty
     */
    void content(CharSequence text);

    /**
     * Adds to the content what the output does not hold, for example the marker that the prompt ends with. It counts for
     * nothing in the account.
     *
     * @param text possibly empty
     */
    void addedContent(CharSequence text);

    /**
     * Opens the next tool call. It is announced to the client at once, so the name must be certain. Its text goes to {@link
     * #structure} all the same.
     *
     * @param name the name of the function
     * @param id the ID that the model wrote; null to let the host make one
     */
    void toolCall(String name, @Nullable String id);

    /**
     * Adds to the arguments of the tool call opened last, behind which nothing was added to the content or the reasoning: APIs that
     * send a message block by block have closed the call then. The text that they were read from goes to {@link #structure} all
     * the same, also where it is the same JSON; which of the two comes first does not matter.
     *
     * @param json the next piece of the JSON text of the arguments, cut anywhere
     */
    void toolArguments(CharSequence json);

    /**
     * Tells of text that was used as structure and reaches no field as it stands: a marker, white space that belongs to a
     * marker, or the whole text of a call, its name and arguments included. Needed to keep text and tokens aligned.
     *
     * @param text the text as it stood in the output
     */
    void structure(CharSequence text);

    /**
     * Tells of something that well-formed output would not hold. The metric {@code glyphgate_parse_anomalies_total} counts it,
     * once per output and kind, and the host may keep the output for its operator; it changes nothing else. What the host can see
     * itself, such as arguments that are no JSON, need not be told.
     *
     * @param kind what was wrong: lower case with dashes, 40 characters at most, from a small fixed set, for example {@code
     *     unclosed-call}; others count as {@code other}
     */
    void anomaly(String kind);
}
