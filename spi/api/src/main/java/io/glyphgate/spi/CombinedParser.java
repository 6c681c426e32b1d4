package io.glyphgate.spi;

/**
 * Reads a format in which reasoning, content and tool calls share one grammar, and replaces the pair of reasoning parser and
 * tool parser. Where {@link ParseContext#toolChoice()} is {@link ToolChoice.Mode#NONE} it leaves calls in the content: the host
 * drops calls that are not wanted, and their text would vanish.
 *
 * @since 1.0
 */
public interface CombinedParser extends ChoiceParser {}
