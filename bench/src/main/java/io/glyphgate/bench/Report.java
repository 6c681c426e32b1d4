package io.glyphgate.bench;

import io.glyphgate.bench.Definitions.Scenario;
import io.glyphgate.bench.Definitions.Way;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/** The results as text for people. */
final class Report {
    private static final String BEGIN = "<!-- Written by bench/run --write. -->";
    private static final String END = "<!-- End of what bench/run writes. -->";

    private final Results results;
    private final List<Scenario> scenarios;
    private final List<Way> ways;

    Report(Results results, List<Scenario> scenarios, List<Way> ways) {
        this.results = results;
        this.scenarios = scenarios;
        this.ways = ways;
    }

    /** What a way is called beside others. */
    static String name(Way way) {
        return way.own() ? "**Glyphgate, " + way.name() + "**" : way.name();
    }

    /** The goals as a table. */
    String goals() {
        StringBuilder table = new StringBuilder("| goal | measured | measured / goal | |\n|---|---|---|---|\n");
        for (Goals.Line line : Goals.of(results)) {
            table.append("| ").append(line.goal()).append(" | ").append(line.measured()).append(" | ")
                    .append(Double.isNaN(line.ratio()) ? "-" : String.format(Locale.ROOT, "%.2f", line.ratio()))
                    .append(" | ").append(line.ratio() > 1 ? "**" + line.verdict() + "**" : line.verdict()).append(" |\n");
        }
        return table.toString();
    }

    /** All scenarios, a table each. */
    String tables() {
        StringBuilder text = new StringBuilder();
        for (Scenario scenario : scenarios) {
            if (ways.stream().anyMatch(way -> !results.of(scenario, way).isEmpty())) {
                text.append('\n').append(table(scenario));
            }
        }
        if (!results.facts().isEmpty()) {
            text.append("\n**Beside the scenarios** (seconds, milliseconds for gaps and TTFT, MB, bytes)\n\n")
                    .append("| what | median | least | most |\n|---|---|---|---|\n")
                    .append(String.join("\n", results.facts()))
                    .append('\n');
        }
        for (Measured failed : results.failed()) {
            text.append(String.format(Locale.ROOT, "%nNot counted: %s at %s, %d errors, the first: %s%n",
                    failed.way(), failed.scenario(), failed.errors(), failed.error()));
        }
        return text.toString();
    }

    private String table(Scenario scenario) {
        StringBuilder table = new StringBuilder();
        String pace = scenario.batch()
                ? "no streams"
                : scenario.paceMicros() == 0 ? "as fast as it goes" : "a token every " + scenario.paceMicros() / 1000 + " ms";
        table.append(String.format(Locale.ROOT, "**%s**: %d at a time, %d tokens each, %s%s%n%n",
                scenario.name(), scenario.clients(), scenario.tokens(), pace,
                scenario.logprobs() > 0 ? ", top-" + scenario.logprobs() + " logprobs" : ""));
        table.append("| system | CPU us a ").append(scenario.batch() ? "request" : "token")
                .append(", median (least to most) | x nginx | x SMG | tokens/s | TTFT ms p50 | p99 | gap ms p50 | p99 | RSS MB |\n");
        table.append("|---|---|---|---|---|---|---|---|---|---|\n");
        for (Way way : ways) {
            List<Measured> runs = results.of(scenario, way);
            if (runs.isEmpty()) {
                continue;
            }
            DoubleSummaryStatistics cpu = runs.stream().mapToDouble(Measured::cpuMicros).summaryStatistics();
            double median = median(scenario, way, Measured::cpuMicros);
            table.append(String.format(Locale.ROOT, "| %s | %.1f (%.1f to %.1f) | %s | %s | %.0f | %.1f | %.1f | %.2f | %.1f | %.0f |%n",
                    name(way), median, cpu.getMin(), cpu.getMax(),
                    ratio(scenario, median, "nginx"), ratio(scenario, median, "smg"),
                    median(scenario, way, Measured::tokensPerSecond),
                    median(scenario, way, Measured::firstTokenP50), median(scenario, way, Measured::firstTokenP99),
                    median(scenario, way, Measured::gapP50), median(scenario, way, Measured::gapP99),
                    median(scenario, way, Measured::rss)));
        }
        return table.toString();
    }

    private double median(Scenario scenario, Way way, ToDoubleFunction<Measured> value) {
        return results.median(scenario.name(), way.name(), value).orElseThrow();
    }

    private String ratio(Scenario scenario, double own, String other) {
        OptionalDouble of = results.median(scenario.name(), other, Measured::cpuMicros);
        return of.isPresent() ? String.format(Locale.ROOT, "%.2f", own / of.getAsDouble()) : "-";
    }

    /** Puts the tables into a page, between its two marks. */
    void write(Path page, String machine) throws IOException {
        String text = Files.readString(page);
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IOException(page + " lacks the lines '" + BEGIN + "' and '" + END + "'");
        }
        int runs = scenarios.stream()
                .flatMap(scenario -> ways.stream().map(way -> results.of(scenario, way).size()))
                .max(Comparator.naturalOrder())
                .orElse(0);
        String written = BEGIN + "\n\nMeasured on " + LocalDate.now(ZoneOffset.UTC) + ", medians of " + runs + " runs. " + machine
                + "\n\n" + goals() + "\n![CPU time a token](performance.png)\n" + tables() + "\n";
        Files.writeString(page, text.substring(0, begin) + written + text.substring(end));
    }
}
