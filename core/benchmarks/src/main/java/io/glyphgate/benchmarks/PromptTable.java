package io.glyphgate.benchmarks;

import java.util.Locale;
import java.util.Objects;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** Runs the benchmarks of prompts and prints what one costs: CPU time and bytes allocated. Takes JMH's options. */
public final class PromptTable {
    private PromptTable() {}

    /** Runs and prints. */
    public static void main(String[] args) throws CommandLineOptionException, RunnerException {
        StringBuilder table = new StringBuilder("| what | characters | CPU, µs | ns a character | bytes allocated a character |\n|---|---|---|---|---|");
        for (RunResult result : new Runner(new OptionsBuilder()
                        .parent(new CommandLineOptions(args))
                        .include(PromptBenchmark.class.getName())
                        .addProfiler(GCProfiler.class)
                        .addProfiler(CpuProfiler.class)
                        .build())
                .run()) {
            int characters = Integer.parseInt(result.getParams().getParam("characters"));
            double nanos = secondary(result, CpuProfiler.CPU);
            table.append(String.format(
                    Locale.ROOT,
                    "%n| %s | %,d | %,.1f | %.0f | %.0f |",
                    result.getPrimaryResult().getLabel(),
                    characters,
                    nanos / 1000,
                    nanos / characters,
                    secondary(result, CostTable.BYTES) / characters));
        }
        System.out.println(table);
    }

    private static double secondary(RunResult result, String name) {
        return Objects.requireNonNull(result.getSecondaryResults().get(name), name).getScore();
    }
}
