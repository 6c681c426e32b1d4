package io.glyphgate.proxy.choice;

import io.glyphgate.spi.ParserProvider;

/** Hears of what parsers find that well-formed output would not hold. */
@FunctionalInterface
public interface AnomalyListener {
    /** Pays no attention. */
    AnomalyListener NONE = (parser, kind) -> {};

    /**
     * Takes note of an anomaly. Called while tokens are handled, so it must be quick.
     *
     * @param parser the parser that found it
     * @param kind what it is, as {@link io.glyphgate.spi.DeltaSink#anomaly} tells it
     */
    void anomaly(ParserProvider parser, String kind);
}
