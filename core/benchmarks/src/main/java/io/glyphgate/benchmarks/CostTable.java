package io.glyphgate.benchmarks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Runs the benchmarks of all families and prints their cost per token as a table: CPU time and bytes allocated. Takes JMH's options, for example {@code -i 20
 * -f 3}; {@code -p family=NAME} measures one family.
 */
public final class CostTable {
    private static final String FAMILY = "family";
    private static final String TEXT = "text";
    static final String BYTES = "gc.alloc.rate.norm";

    /** What one output cost, per token: CPU time, and memory allocated. */
    private record Cost(double nanos, double bytes) {
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%.0f ns, %.0f B", nanos, bytes);
        }
    }

    private CostTable() {}

    /** Runs and prints. */
    public static void main(String[] args) throws CommandLineOptionException, RunnerException {
        CommandLineOptions given = new CommandLineOptions(args);
        List<RunResult> results = new ArrayList<>(run(given, TEXT));
        results.addAll(run(given, "message", Family.ALL.stream().map(Family::name).toArray(String[]::new)));
        System.out.println(table(results));
    }

    private static Collection<RunResult> run(CommandLineOptions given, String benchmark, String... families)
            throws RunnerException {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .parent(given)
                .include(ParserBenchmark.class.getName() + "." + benchmark + "$")
                .addProfiler(GCProfiler.class)
                .addProfiler(CpuProfiler.class);
        if (families.length > 0 && !given.getParameter(FAMILY).hasValue()) {
            options.param(FAMILY, families);
        }
        return new Runner(options.build()).run();
    }

    private static double secondary(RunResult result, String name) {
        return Objects.requireNonNull(result.getSecondaryResults().get(name), name).getScore();
    }

    private static String table(Collection<RunResult> results) {
        Map<String, Map<Integer, Cost>> rows = new LinkedHashMap<>();
        for (RunResult result : results) {
            int tokens = Integer.parseInt(result.getParams().getParam("tokens"));
            Cost cost = new Cost(secondary(result, CpuProfiler.CPU) / tokens, secondary(result, BYTES) / tokens);
            boolean text = result.getPrimaryResult().getLabel().equals(TEXT);
            rows.computeIfAbsent(text ? "text, no parser" : result.getParams().getParam(FAMILY), row -> new TreeMap<>())
                    .put(tokens, cost);
        }
        StringBuilder table = new StringBuilder("| family |");
        rows.values().stream().findFirst().ifPresent(row -> {
            row.keySet().forEach(tokens -> table.append(' ').append(tokens).append(" tokens |"));
            table.append("\n|---|").append("---|".repeat(row.size()));
        });
        rows.forEach((family, costs) -> {
            table.append("\n| ").append(family).append(" |");
            costs.values().forEach(cost -> table.append(' ').append(cost).append(" |"));
        });
        return table.toString();
    }
}
