package io.glyphgate.spi;

import java.util.List;
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
     * Makes the parser of one choice.
     *
     * @param context what the request says that matters to parsing
     * @return a new parser in its first state
     */
    ToolParser create(ParseContext context);
}
