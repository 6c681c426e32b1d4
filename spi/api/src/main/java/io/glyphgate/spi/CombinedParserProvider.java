package io.glyphgate.spi;

/**
 * Makes combined parsers. Named by {@code parser} in a model's configuration.
 *
 * @since 1.0
 */
public interface CombinedParserProvider extends ParserProvider {
    /**
     * Makes the parser of one choice.
     *
     * @param context what the request says that matters to parsing
     * @return a new parser in its first state
     */
    CombinedParser create(ParseContext context);
}
