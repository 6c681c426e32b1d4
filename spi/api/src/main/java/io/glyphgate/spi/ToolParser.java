package io.glyphgate.spi;

/**
 * Finds the tool calls of one choice. Its input is the content that the reasoning parser left, or the whole output where
 * there is none; it never calls {@link DeltaSink#reasoning}.
 *
 * @since 1.0
 */
public interface ToolParser extends ChoiceParser {}
