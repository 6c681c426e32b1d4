package io.glyphgate.spi;

/**
 * Reads a format in which reasoning, content and tool calls share one grammar, and replaces the pair of reasoning parser and
 * tool parser.
 *
 * @since 1.0
 */
public interface CombinedParser extends ChoiceParser {}
