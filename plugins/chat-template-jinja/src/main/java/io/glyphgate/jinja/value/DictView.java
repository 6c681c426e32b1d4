package io.glyphgate.jinja.value;

import java.util.Iterator;

/**
 * What {@code keys()}, {@code values()} and {@code items()} of a dict give.
 *
 * @param dict the dict
 * @param part what of it
 */
public record DictView(Dict dict, Part part) {
    /** What a view shows of each entry. */
    public enum Part {
        /** The key. */
        KEYS("dict_keys"),
        /** The value. */
        VALUES("dict_values"),
        /** A tuple of both. */
        ITEMS("dict_items");

        private final String type;

        Part(String type) {
            this.type = type;
        }
    }

    /** The name of Python's type. */
    public String type() {
        return part.type;
    }

    /** What it shows, in the order of the dict. */
    public Iterator<Object> iterator() {
        return switch (part) {
            case KEYS -> dict.keys();
            case VALUES -> dict.values();
            case ITEMS -> dict.items();
        };
    }
}
