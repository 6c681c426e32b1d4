package io.glyphgate.proxy.choice;

import io.glyphgate.proxy.plugin.PluginKind;

/**
 * Something in an output that well-formed output would not hold.
 *
 * @param parserKind the kind of the parser that it is about
 * @param parser the name of that parser
 * @param kind what it is: one that a parser {@linkplain io.glyphgate.spi.DeltaSink#anomaly told}, a {@link HostAnomaly}, or
 *     {@link Anomalies#OTHER}
 */
public record Anomaly(PluginKind parserKind, String parser, String kind) {}
