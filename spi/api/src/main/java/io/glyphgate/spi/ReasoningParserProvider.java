package io.glyphgate.spi;

/**
 * Makes reasoning parsers. Named by {@code reasoning-parser} in a model's configuration.
 *
 * @since 1.0
 */
public interface ReasoningParserProvider extends ParserProvider {
    /**
     * Makes the parser of one choice.
     *
     * @param context what the request says that matters to parsing
     * @return a new parser in its first state, which the prompt's tail and the template arguments decide
     */
    ReasoningParser create(ParseContext context);
}
