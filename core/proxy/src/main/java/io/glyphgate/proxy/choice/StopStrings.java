package io.glyphgate.proxy.choice;

import java.util.List;

/** The stop strings of a request that the proxy matches itself, made ready for matching once, for all its choices. */
public final class StopStrings {
    /** Nothing to match. */
    public static final StopStrings NONE = new StopStrings(List.of(), false, 0);

    private final List<String> strings;
    private final boolean include;
    private final int minTokens;
    private final StopAutomaton automaton;

    /**
     * Stop strings.
     *
     * @param strings none of them empty; no strings if there is nothing to match
     * @param include whether the matched string stays in the text ({@code include_stop_str_in_output})
     * @param minTokens a match counts only where it ends in text made by a later token than so many first ones ({@code
     *     min_tokens})
     */
    public StopStrings(List<String> strings, boolean include, int minTokens) {
        this.strings = List.copyOf(strings);
        this.include = include;
        this.minTokens = minTokens;
        this.automaton = new StopAutomaton(this.strings);
    }

    /** The strings, in the order of the request. */
    public List<String> strings() {
        return strings;
    }

    /** Whether there is nothing to match. */
    public boolean isEmpty() {
        return strings.isEmpty();
    }

    /** Whether the matched string stays in the text. */
    public boolean include() {
        return include;
    }

    /** By how many first tokens' text no match is completed. */
    public int minTokens() {
        return minTokens;
    }

    StopAutomaton automaton() {
        return automaton;
    }
}
