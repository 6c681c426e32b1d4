package io.glyphgate.spi;

import java.util.List;

/**
 * How a tool call opens. The marker counts only where one of {@code followedBy} comes after it; the same marker quoted in
 * prose is text.
 *
 * @param marker the text of the marker, never empty
 * @param followedBy what must follow, after any white space; empty if the marker alone is certain
 * @since 1.0
 */
public record ToolOpener(String marker, List<String> followedBy) {
    /** Copies the list. */
    public ToolOpener {
        if (marker.isEmpty()) {
            throw new IllegalArgumentException("the marker of an opener must not be empty");
        }
        followedBy = List.copyOf(followedBy);
    }
}
