package io.glyphgate.jinja.value;

import java.util.Iterator;

/**
 * Items that come one by one, once: what {@code map}, {@code select} and their like give.
 *
 * @param items the items
 * @param type the name of Python's type
 */
public record Generator(Iterator<Object> items, String type) {
    /** An ordinary generator. */
    public Generator(Iterator<Object> items) {
        this(items, "generator");
    }
}
