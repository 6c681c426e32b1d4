package io.glyphgate.spi;

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
}
