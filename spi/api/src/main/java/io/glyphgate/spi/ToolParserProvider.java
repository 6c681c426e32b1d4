package io.glyphgate.spi;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes tool parsers. Named by {@code tool-parser} in a model's configuration.
 *
 * @since 1.0
 */
public interface ToolParserProvider extends ParserProvider {
    /**
     * How a call opens, so that the reasoning parser beside it can let a real call end a reasoning block that was never
     * closed.
     *
     * @return the openers; empty if calls have no opener that is certain enough
     */
    List<ToolOpener> openers();

    /**
     * How a call of one request opens: more exactly than {@link #openers()} where the functions that are offered say
     * what may follow a marker.
     *
     * @param context what the request says
     * @return the openers; by default those of every request
     */
    default List<ToolOpener> openers(ParseContext context) {
        return openers();
    }

    /**
     * Makes the ID of a call whose ID the parser left to the host, where the format fixes what IDs look like.
     *
     * @return an ID as good as unique; empty, also by default, for one of the host's own form
     */
    default Optional<String> newCallId() {
        return Optional.empty();
    }

    /**
     * What the server must hold the model to, so that its calls are what the request demands: any call, that of a named function,
     * arguments that follow their schema, or one call only. The parser must be able to read what this lets through.
     *
     * @param tools the functions that the request offers; not empty
     * @param choice what the request demands; not {@link ToolChoice.Mode#NONE}
     * @param parallel whether there may be several calls
     * @return vLLM's {@code structured_outputs}, as values of JSON, a {@code structural_tag} as an object; empty where nothing is
     *     demanded, and, also by default, if the format has none, so that calls cannot be demanded
     */
    default Optional<Map<String, Object>> constraint(List<Tool> tools, ToolChoice choice, boolean parallel) {
        return Optional.empty();
    }

    /**
     * Makes the parser of one choice.
     *
     * @param context what the request says that matters to parsing
     * @return a new parser in its first state
     */
    ToolParser create(ParseContext context);
}
