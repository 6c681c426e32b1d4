package io.glyphgate.proxy.choice;

import io.glyphgate.proxy.plugin.PluginKind;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.plugin.UnbuiltParsers;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
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

    /** Whether stop strings are looked for in markers that are special tokens, as in any other text. */
    boolean stopsInMarkers() {
        return !skipSpecialTokens
                || Stream.of(parsers.combined, parsers.reasoning, wantsCalls() ? parsers.tools : null)
                        .filter(Objects::nonNull)
                        .anyMatch(ParserProvider::stopsInMarkers);
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

        /**
         * The parsers with some names.
         *
         * @param registry has them
         * @param parser a combined parser, or what the configuration describes under one name
         * @param reasoning a reasoning parser
         * @param tools a tool parser
         * @throws IllegalArgumentException if one is not there; the message names those that are
         */
        public static Parsers of(
                Registry registry, Optional<String> parser, Optional<String> reasoning, Optional<String> tools) {
            if (parser.isPresent() && (reasoning.isPresent() || tools.isPresent())) {
                throw new IllegalArgumentException("the parser '" + parser.get()
                        + "' stands for a reasoning parser and a tool parser; name it alone, or the other two");
            }
            // Under a name of the configuration, what it describes; under any other, a combined parser.
            Set<PluginKind> described = parser.map(registry::described).orElse(Set.of());
            boolean pair = !described.isEmpty() && !described.contains(PluginKind.PARSER);
            return new Parsers(
                    find(registry, CombinedParserProvider.class, pair ? Optional.empty() : parser),
                    find(
                            registry,
                            ReasoningParserProvider.class,
                            described.contains(PluginKind.REASONING_PARSER) ? parser : reasoning),
                    find(
                            registry,
                            ToolParserProvider.class,
                            described.contains(PluginKind.TOOL_PARSER) ? parser : tools));
        }

        private static <P extends ParserProvider> @Nullable P find(
                Registry registry, Class<P> kind, Optional<String> name) {
            if (name.isEmpty()) {
                return null;
            }
            return registry.find(kind, name.get())
                    .orElseThrow(() -> new IllegalArgumentException("there is no " + PluginKind.of(kind).label() + " '"
                            + name.get() + "'; "
                            + UnbuiltParsers.hint(PluginKind.of(kind), name.get(), registry.names(kind))));
        }
    }
}
