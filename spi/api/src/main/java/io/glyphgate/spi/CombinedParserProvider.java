package io.glyphgate.spi;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes combined parsers. Named by {@code parser} in a model's configuration.
 *
 * @since 1.0
 */
public interface CombinedParserProvider extends ParserProvider {
    /**
     * What the server must hold the model to, as {@link ToolParserProvider#constraint} says.
     *
     * @param tools the functions that the request offers; not empty
     * @param choice what the request demands; not {@link ToolChoice.Mode#NONE}
     * @param parallel whether there may be several calls
     * @return vLLM's {@code structured_outputs}; empty, also by default, if the format has none
     */
    default Optional<Map<String, Object>> constraint(List<Tool> tools, ToolChoice choice, boolean parallel) {
        return Optional.empty();
    }

    /**
     * Sets what the content must follow into the frame that the format puts around content.
     *
     * @param format a format of structural tags, in the notation of xgrammar, for example {@code {"type": "regex", "pattern": "a+"}}
     * @return vLLM's {@code structured_outputs}; empty, also by default, if content stands without a frame
     */
    default Optional<Map<String, Object>> contentConstraint(Map<String, Object> format) {
        return Optional.empty();
    }

    /**
     * Makes the parser of one choice.
     *
     * @param context what the request says that matters to parsing
     * @return a new parser in its first state
     */
    CombinedParser create(ParseContext context);
}
