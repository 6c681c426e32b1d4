package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.format.ResponseTemplate;
import io.glyphgate.proxy.plugin.Registry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options that name parsers. */
final class ParserNames {
    @Option(
            names = "--parser",
            paramLabel = "NAME",
            description = "A combined parser, or an entry of parsers in the configuration with all that it describes.")
    private Optional<String> parser = Optional.empty();

    @Option(names = "--reasoning-parser", paramLabel = "NAME", description = "The reasoning parser.")
    private Optional<String> reasoning = Optional.empty();

    @Option(names = "--tool-parser", paramLabel = "NAME", description = "The tool parser.")
    private Optional<String> tools = Optional.empty();

    /** Whether one is named. */
    boolean given() {
        return parser.isPresent() || reasoning.isPresent() || tools.isPresent();
    }

    /**
     * The parsers.
     *
     * @throws IllegalArgumentException if one of them is not there
     */
    OutputPlan.Parsers of(Registry registry) {
        return OutputPlan.Parsers.of(registry, parser, reasoning, tools);
    }

    /**
     * The parsers, those among them that a tokenizer describes.
     *
     * @throws IllegalArgumentException if one of them is not there
     * @throws IOException if the tokenizer is asked for and describes none
     */
    OutputPlan.Parsers of(Registry registry, Path tokenizer) throws IOException {
        boolean fromReasoning = reasoning.filter(ResponseTemplate.NAME::equals).isPresent();
        boolean fromTools = tools.filter(ResponseTemplate.NAME::equals).isPresent();
        boolean described = fromReasoning || fromTools || parser.filter(ResponseTemplate.NAME::equals).isPresent();
        return of(described ? registry.with(ResponseTemplate.parsers(tokenizer, fromReasoning, fromTools)) : registry);
    }
}
