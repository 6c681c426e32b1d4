package io.glyphgate.proxy.choice;

import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How the output of one request is made, the same for all its choices.
 *
 * @param model the model as the configuration names it
 * @param needs what the output mode needs
 * @param tokenizer null only where neither text nor stop strings are needed
 * @param parsers the model's parsers
 * @param promptTokenIds the prompt
 * @param skipSpecialTokens {@code skip_special_tokens} of the request
 * @param spacesBetweenSpecialTokens {@code spaces_between_special_tokens} of the request
 * @param stop the stop strings to match here
 * @param includeStop {@code include_stop_str_in_output}: whether the text of a stop token is kept too
 * @param parse what the request says about parsing
 */
public record OutputPlan(
        String model,
        Set<Need> needs,
        @Nullable Tokenizer tokenizer,
        Parsers parsers,
        int[] promptTokenIds,
        boolean skipSpecialTokens,
        boolean spacesBetweenSpecialTokens,
        StopStrings stop,
        boolean includeStop,
        ParseRequest parse) {

    /**
     * Whether the caller offers functions and does not forbid calls. Otherwise no tool parser runs: markup is content.
     */
    public boolean wantsCalls() {
        return !parse.tools().isEmpty() && parse.toolChoice().mode() != ToolChoice.Mode.NONE;
    }

    /** The parsers of a model; a combined one excludes the others. */
    public static final class Parsers {
        /** No parsers: all text is content. */
        public static final Parsers NONE = new Parsers(null, null, null);

        private final @Nullable CombinedParserProvider combined;
        private final @Nullable ReasoningParserProvider reasoning;
        private final @Nullable ToolParserProvider tools;
        private final ContentMarkers markers;
        private final ContentMarkers markersWithTools;

        /**
         * Parsers.
         *
         * @param combined or null
         * @param reasoning or null
         * @param tools or null
         */
        public Parsers(
                @Nullable CombinedParserProvider combined,
                @Nullable ReasoningParserProvider reasoning,
                @Nullable ToolParserProvider tools) {
            this.combined = combined;
            this.reasoning = reasoning;
            this.tools = tools;
            markers = ContentMarkers.of(this, false);
            markersWithTools = ContentMarkers.of(this, true);
        }

        /** The combined parser; null if there is none. */
        public @Nullable CombinedParserProvider combined() {
            return combined;
        }

        /** The reasoning parser; null if there is none. */
        public @Nullable ReasoningParserProvider reasoning() {
            return reasoning;
        }

        /** The tool parser; null if there is none. */
        public @Nullable ToolParserProvider tools() {
            return tools;
        }

        /** The markers that have no place in the content of an output in which calls are wanted or not. */
        ContentMarkers contentMarkers(boolean wantsCalls) {
            return wantsCalls ? markersWithTools : markers;
        }
    }
}
