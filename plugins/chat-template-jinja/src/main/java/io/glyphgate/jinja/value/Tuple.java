package io.glyphgate.jinja.value;

import java.util.List;

/**
 * Python's tuple.
 *
 * @param items the items, not to be modified
 * @param names what the items are also called, as attributes; mostly nothing
 */
public record Tuple(List<Object> items, List<String> names) {
    /** A tuple whose items have no names. */
    public Tuple(List<Object> items) {
        this(items, List.of());
    }

    /** A tuple of items. */
    public static Tuple of(Object... items) {
        return new Tuple(List.of(items));
    }
}
