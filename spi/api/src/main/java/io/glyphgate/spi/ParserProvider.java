package io.glyphgate.spi;

import java.util.Map;
import java.util.Set;

/**
 * What the providers of all parsers have in common.
 *
 * @since 1.0
 */
public interface ParserProvider extends Provider {
    /**
     * The markers that the parser looks for, as text. A marker reaches the parser as text even when it is a special token
     * and the request skips special tokens; other special tokens follow the request's {@code skip_special_tokens}. Markers
     * are matched as text, because a model may spell one in several ordinary tokens.
     *
     * @return the markers; empty if there are none
     */
    Set<String> markers();

    /**
     * Whether this parser lets its own markers stand in the content on purpose. The host counts markers in the content as the
     * anomaly {@code marker-in-content}, but not those of such a parser.
     *
     * @return false by default
     */
    default boolean showsMarkers() {
        return false;
    }

    /**
     * Whether stop strings are looked for in the markers too, where they are special tokens and the request skips those. In
     * vLLM many parsers ask the engine for special tokens, so that they are text like any other; others leave them out, so
     * that no stop string is ever found in them. The host asks the parsers that run; if one sees them, all are text.
     *
     * @return true by default
     */
    default boolean stopsInMarkers() {
        return true;
    }

    /**
     * The parser as an entry of {@code parsers} in the configuration would describe it, for an operator to start from.
     *
     * @return the keys of the entry and their values: text, {@link Boolean}, {@link Number}, {@link java.util.List} and
     *     {@link Map} of such; empty by default, if the parser is no description
     */
    default Map<String, Object> description() {
        return Map.of();
    }
}
