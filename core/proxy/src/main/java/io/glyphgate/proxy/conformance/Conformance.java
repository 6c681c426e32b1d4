package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.TokenizerProvider;
import io.glyphgate.spi.ToolParserProvider;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Plays recorded cases through the choice pipeline, in many cuttings, and compares what a client would get with what
 * vLLM gave or, where a {@link Rule} says so, with what the proxy promises instead. Renders recorded chat templates, too.
 */
public final class Conformance {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String TOKENIZER_PROVIDER = "huggingface";

    private final Registry registry;
    private final OutputPlan.Parsers standIns;
    private final List<Rule> rules;

    /** A run with the parsers and the tokenizers of a registry. */
    public Conformance(Registry registry) {
        this(registry, OutputPlan.Parsers.NONE);
    }

    /**
     * A run with other parsers than those that the cases name.
     *
     * @param registry has the parsers and the tokenizers that the cases name
     * @param standIns what stands in for a reasoning parser, for a tool parser, or for both, in cases that name one
     */
    public Conformance(Registry registry, OutputPlan.Parsers standIns) {
        this(registry, standIns, DifferenceRules.ALL);
    }

    Conformance(Registry registry, List<Rule> rules) {
        this(registry, OutputPlan.Parsers.NONE, rules);
    }

    private Conformance(Registry registry, OutputPlan.Parsers standIns, List<Rule> rules) {
        this.registry = registry;
        this.standIns = standIns;
        this.rules = rules;
    }

    /**
     * Plays all cases of some files.
     *
     * @param files files of one JSON object a line, compressed if the name ends in {@code .gz}
     * @param tokenizers a folder with a folder per tokenizer, named as in the cases. Cases whose tokenizer is not in
     *     it, or all if there is none, are played from the recorded text of each token
     * @param templates a folder with the chat templates that the cases name
     * @return what was found
     * @throws IOException if a file cannot be read or does not hold cases; the message says file and line
     */
    public Report run(List<Path> files, Optional<Path> tokenizers, Optional<Path> templates) throws IOException {
        Report report = new Report();
        TemplateCases templateCases = new TemplateCases(registry, templates);
        try (Tokenizers loaded = new Tokenizers(tokenizers)) {
            for (Path file : files) {
                try (GoldenFile cases = new GoldenFile(file)) {
                    for (Optional<JsonNode> line = cases.next(); line.isPresent(); line = cases.next()) {
                        if (TemplateCases.holds(line.get())) {
                            templateCases.play(line.get(), report);
                        } else {
                            play(cases.golden(line.get()), loaded, report);
                        }
                    }
                }
            }
        }
        return report;
    }

    /**
     * Writes a report for a reader: a line per family, the failures, and {@code N passed, N failed} as the last line.
     *
     * @param report what a run found
     * @param out where to write it
     */
    public void print(Report report, PrintStream out) {
        for (Report.Family family : report.families()) {
            out.println(family);
        }
        for (Report.Family family : report.families()) {
            for (Report.Failure failure : family.failures()) {
                out.println();
                out.println("FAILED " + family.name() + " " + failure.name());
                failure.problems().forEach(problem -> out.println("  " + problem));
            }
        }
        List<Rule> used = rules.stream()
                .filter(rule -> report.families().stream().anyMatch(f -> f.rules().containsKey(rule.id())))
                .toList();
        if (!used.isEmpty()) {
            out.println();
            out.println("Deliberate differences from vLLM, with the number of cases:");
            for (Rule rule : used) {
                int cases = report.families().stream()
                        .mapToInt(family -> family.rules().getOrDefault(rule.id(), 0))
                        .sum();
                out.println(String.format("  %-4s %4d  %s", rule.id(), cases, rule.title()));
            }
        }
        if (Stream.of(Settled.values()).anyMatch(how -> report.settled(how) > 0)) {
            out.println();
            out.println("Contradictions of vLLM, its batch answer against its streams, that have one answer here:");
            for (Settled how : Settled.values()) {
                out.println(String.format("  %4d  %s", report.settled(how), how.words()));
            }
        }
        out.println();
        out.println(report.passed() + " passed, " + report.failed() + " failed");
    }

    /** A report as one JSON object. */
    public String json(Report report) {
        ObjectNode root = JSON.createObjectNode();
        root.put("passed", report.passed()).put("failed", report.failed());
        ArrayNode families = root.putArray("families");
        for (Report.Family family : report.families()) {
            ObjectNode entry = families.addObject();
            entry.put("family", family.name())
                    .put("passed", family.passed())
                    .put("failed", family.failures().size())
                    .put("from_token_ids", family.fromTokens());
            ObjectNode counts = entry.putObject("differences");
            family.rules().forEach(counts::put);
            ObjectNode settled = entry.putObject("contradictions");
            family.settled().forEach((how, count) -> settled.put(how.name().toLowerCase(Locale.ROOT), count));
            ArrayNode failures = entry.putArray("failures");
            for (Report.Failure failure : family.failures()) {
                ArrayNode problems =
                        failures.addObject().put("case", failure.name()).putArray("problems");
                failure.problems().forEach(problems::add);
            }
        }
        return root.toPrettyString();
    }

    private void play(GoldenCase golden, Tokenizers tokenizers, Report report) throws IOException {
        Report.Family family = report.family(golden.kind() + "/" + golden.family());
        List<String> problems = new ArrayList<>();
        OutputPlan.Parsers parsers = parsers(golden, problems);
        if (problems.isEmpty()) {
            Tokenizer tokenizer = tokenizers.find(golden.tokenizer());
            family.played(tokenizer != null);
            problems.addAll(compare(golden, parsers, tokenizer, family));
        }
        family.ended(golden.name(), problems);
    }

    /** Plays a case and says in what it is not as it should be. */
    private List<String> compare(
            GoldenCase golden, OutputPlan.Parsers parsers, @Nullable Tokenizer tokenizer, Report.Family family) {
        List<String> problems;
        Answer answer;
        try {
            CaseRun run = new CaseRun(golden, parsers);
            answer = run.play(tokenizer);
            problems = run.problems();
        } catch (IllegalArgumentException | IllegalStateException e) {
            return List.of("the case cannot be played: " + e.getMessage());
        }
        Optional<Answer> expected = DifferenceRules.promise(rules, golden, family::used);
        if (expected.isEmpty()) {
            problems.add("vLLM gave no answer here, and no rule says what the proxy promises; it gives " + answer);
        } else {
            problems.addAll(expected.get().differences(answer));
            if (problems.isEmpty()) {
                Settled.of(golden, expected.get()).ifPresent(family::settled);
            }
        }
        return problems;
    }

    private OutputPlan.Parsers parsers(GoldenCase golden, List<String> problems) {
        Optional<String> reasoning = golden.reasoningParser();
        Optional<String> tools = golden.toolParser();
        if (standIns.combined() != null && (reasoning.isPresent() || tools.isPresent())) {
            return standIns;
        }
        // vLLM names the halves of what one parser does here: both names, or the only one, are names of that parser.
        List<Optional<CombinedParserProvider>> combined = Stream.of(reasoning, tools)
                .flatMap(Optional::stream)
                .map(name -> registry.find(CombinedParserProvider.class, name))
                .distinct()
                .toList();
        if (combined.size() == 1 && combined.get(0).isPresent()) {
            return new OutputPlan.Parsers(combined.get(0).get(), null, null);
        }
        return new OutputPlan.Parsers(
                null,
                reasoning.isPresent() && standIns.reasoning() != null
                        ? standIns.reasoning()
                        : parser(ReasoningParserProvider.class, "reasoning parser", reasoning, problems),
                tools.isPresent() && standIns.tools() != null
                        ? standIns.tools()
                        : parser(ToolParserProvider.class, "tool parser", tools, problems));
    }

    private <P extends ParserProvider> @Nullable P parser(
            Class<P> kind, String words, Optional<String> name, List<String> problems) {
        if (name.isEmpty()) {
            return null;
        }
        Optional<P> found = registry.find(kind, name.get());
        if (found.isEmpty()) {
            problems.add("there is no " + words + " named '" + name.get() + "'; there are " + registry.names(kind));
        }
        return found.orElse(null);
    }

    /** Tokenizers of the folder, loaded when first asked for. */
    private final class Tokenizers implements AutoCloseable {
        private final Optional<Path> folder;
        private final Map<String, Optional<Tokenizer>> loaded = new HashMap<>();

        Tokenizers(Optional<Path> folder) {
            this.folder = folder;
        }

        @Nullable Tokenizer find(String key) throws IOException {
            Optional<Tokenizer> tokenizer = loaded.get(key);
            if (tokenizer == null) {
                tokenizer = load(key);
                loaded.put(key, tokenizer);
            }
            return tokenizer.orElse(null);
        }

        private Optional<Tokenizer> load(String key) throws IOException {
            Optional<Path> source = folder.map(path -> path.resolve(key)).filter(Files::exists);
            if (source.isEmpty()) {
                return Optional.empty();
            }
            TokenizerProvider provider = registry.find(TokenizerProvider.class, TOKENIZER_PROVIDER)
                    .orElseThrow(() -> new IOException("there is no tokenizer plugin named '" + TOKENIZER_PROVIDER
                            + "' to load " + source.get() + " with"));
            return Optional.of(provider.load(source.get().toUri(), Map.of()));
        }

        @Override
        public void close() {
            loaded.values().forEach(tokenizer -> tokenizer.ifPresent(Tokenizer::close));
        }
    }
}
