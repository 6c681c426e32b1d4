package io.glyphgate.toolkit;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import java.util.Set;

/** Describes how a family writes reasoning. Immutable; used by many threads at once. */
public sealed interface ReasoningDescription permits ReasoningFormat, OpenedReasoningFormat {
    /**
     * The markers that must reach the parser as text.
     *
     * @return all of them
     */
    Set<String> markers();

    /**
     * Whether the parser lets its markers stand in the content on purpose.
     *
     * @return false by default
     */
    default boolean showsMarkers() {
        return false;
    }

    /**
     * Starts the parser of one choice.
     *
     * @param context the prompt and the template arguments, which decide the first state, and what opens calls
     * @return a new parser
     */
    ReasoningParser parser(ParseContext context);
}
