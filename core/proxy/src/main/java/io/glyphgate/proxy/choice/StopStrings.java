package io.glyphgate.proxy.choice;

import java.util.List;

/**
 * The stop strings that the proxy matches itself.
 *
 * @param strings none of them empty; no strings if there is nothing to match
 * @param include whether the matched string stays in the text ({@code include_stop_str_in_output})
 * @param minTokens text made by so many first tokens is not searched ({@code min_tokens})
 */
public record StopStrings(List<String> strings, boolean include, int minTokens) {
    /** Nothing to match. */
    public static final StopStrings NONE = new StopStrings(List.of(), false, 0);
}
