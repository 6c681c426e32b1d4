package io.glyphgate.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.glyphgate.bench.Definitions.Scenario;
import io.glyphgate.bench.Definitions.Way;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/** Everything that was measured, kept as a line of JSON each. */
final class Results {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Path file;
    private final List<Measured> runs = new ArrayList<>();
    private final Map<String, List<Double>> facts = new LinkedHashMap<>();

    private Results(Path file) {
        this.file = file;
    }

    /** Starts a new file. */
    static Results begin(Path file) throws IOException {
        Files.deleteIfExists(file);
        Files.createFile(file);
        return new Results(file);
    }

    /** Reads a file that was kept. */
    static Results read(Path file) throws IOException {
        Results results = new Results(file);
        for (String line : Files.readAllLines(file)) {
            JsonNode node = JSON.readTree(line);
            if (node.has("fact")) {
                results.facts
                        .computeIfAbsent(node.path("fact").asText(), name -> new ArrayList<>())
                        .add(node.path("value").asDouble());
            } else {
                results.runs.add(JSON.convertValue(node, Measured.class));
            }
        }
        return results;
    }

    void add(Measured run) throws IOException {
        runs.add(run);
        write(JSON.writeValueAsString(run));
    }

    /** Keeps one number that belongs to no scenario. */
    void fact(String name, double value) throws IOException {
        facts.computeIfAbsent(name, unused -> new ArrayList<>()).add(value);
        write(JSON.createObjectNode().put("fact", name).put("value", value).toString());
    }

    private void write(String line) throws IOException {
        Files.writeString(file, line + "\n", StandardOpenOption.APPEND);
    }

    List<Measured> of(Scenario scenario, Way way) {
        return runs.stream()
                .filter(run -> run.good() && run.scenario().equals(scenario.name()) && run.way().equals(way.name()))
                .toList();
    }

    List<Measured> failed() {
        return runs.stream().filter(run -> !run.good()).toList();
    }

    /** The median of all runs; empty if there was none. */
    OptionalDouble median(String scenario, String way, ToDoubleFunction<Measured> value) {
        return median(runs.stream()
                .filter(run -> run.good() && run.scenario().equals(scenario) && run.way().equals(way))
                .mapToDouble(value)
                .toArray());
    }

    /** All facts, a line of a table each: the median, the least and the most. */
    List<String> facts() {
        return facts.entrySet().stream()
                .map(fact -> {
                    DoubleSummaryStatistics values =
                            fact.getValue().stream().mapToDouble(Double::doubleValue).summaryStatistics();
                    return String.format(Locale.ROOT, "| %s | %.2f | %.2f | %.2f |", fact.getKey(),
                            fact(fact.getKey()).orElseThrow(), values.getMin(), values.getMax());
                })
                .toList();
    }

    /** The median of a fact; empty if it is not known. */
    OptionalDouble fact(String name) {
        return median(facts.getOrDefault(name, List.of()).stream().mapToDouble(Double::doubleValue).toArray());
    }

    private static OptionalDouble median(double[] values) {
        if (values.length == 0) {
            return OptionalDouble.empty();
        }
        Arrays.sort(values);
        int middle = values.length / 2;
        return OptionalDouble.of(values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2);
    }
}
