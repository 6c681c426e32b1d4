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
     * The parser as an entry of {@code parsers} in the configuration would describe it, for an operator to start from.
     *
     * @return the keys of the entry and their values: text, {@link Boolean}, {@link Number}, {@link java.util.List} and
     *     {@link Map} of such; empty by default, if the parser is no description
     */
    default Map<String, Object> description() {
        return Map.of();
    }
}
