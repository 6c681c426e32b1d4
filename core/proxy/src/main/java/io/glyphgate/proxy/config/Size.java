package io.glyphgate.proxy.config;

/**
 * A number of bytes.
 *
 * @param bytes 0 or more
 */
public record Size(long bytes) {}
