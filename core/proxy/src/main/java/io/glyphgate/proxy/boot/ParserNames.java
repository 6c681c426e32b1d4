package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.plugin.Registry;
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

    /**
     * The parsers.
     *
     * @throws IllegalArgumentException if one of them is not there
     */
    OutputPlan.Parsers of(Registry registry) {
        return OutputPlan.Parsers.of(registry, parser, reasoning, tools);
    }
}
