package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.conformance.Conformance;
import io.glyphgate.proxy.conformance.Report;
import io.glyphgate.proxy.plugin.Registry;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Plays recorded cases. */
@Command(
        name = "conformance",
        description = "Play recorded parser, detokenizer and chat template cases and compare them with what vLLM gave. "
                + "A parser that is named here stands in for the one of its kind that a case names.",
        mixinStandardHelpOptions = true)
final class ConformanceCommand implements Callable<Integer> {
    @Option(
            names = "--tokenizers",
            paramLabel = "DIR",
            description = "A folder with a folder per tokenizer, named as in the cases, to play them from token IDs.")
    private Optional<Path> tokenizers = Optional.empty();

    @Mixin
    private ParsersOption config = new ParsersOption();

    @Mixin
    private ParserNames parsers = new ParserNames();

    @Option(
            names = "--templates",
            paramLabel = "DIR",
            description = "A folder with the chat templates that the cases name, each NAME.jinja.")
    private Optional<Path> templates = Optional.empty();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Parameters(paramLabel = "FILES", arity = "1..*", description = "Files of one case a line, .jsonl or .jsonl.gz.")
    private List<Path> files = List.of();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        try (Registry registry = config.load()) {
            Conformance conformance = new Conformance(registry, parsers.of(registry));
            Report report = conformance.run(files, tokenizers, templates);
            if (json) {
                out.println(conformance.json(report));
            } else {
                conformance.print(report, System.out);
            }
            return report.failed() == 0 ? 0 : Main.FAILED;
        }
    }
}
