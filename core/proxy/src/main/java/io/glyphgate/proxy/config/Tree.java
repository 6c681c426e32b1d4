package io.glyphgate.proxy.config;

import java.util.List;
import java.util.Map;

/** The file as written, before it has types: text is text whatever YAML takes it for. */
sealed interface Tree {
    /** Where the key of the value stands. */
    Place place();

    /**
     * A plain value.
     *
     * @param absent whether the key stands there without a value
     */
    record Text(String text, boolean absent, Place place) implements Tree {}

    /**
     * Keys and values.
     *
     * @param entries in the order of the file; overrides are put into it
     */
    record Block(Map<String, Tree> entries, Place place) implements Tree {}

    /**
     * A list.
     *
     * @param items overrides are put into it
     */
    record Items(List<Tree> items, Place place) implements Tree {}
}
