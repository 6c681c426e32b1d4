package io.glyphgate.proxy.config;

/**
 * A share of something.
 *
 * @param hundredths 0 or more; over 100 where more than the whole makes sense
 */
public record Percent(long hundredths) {}
