package io.glyphgate.proxy.config;

/**
 * A piece of a model's output. White space in it counts.
 *
 * @param text never empty
 */
public record Literal(String text) {}
