package io.glyphgate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GoalsTest {
    @TempDir
    private Path folder;

    private static Measured run(String way, String scenario, double cpu) {
        return new Measured(way, scenario, 8, 0, "", cpu, 800, 1, 2, 10, 20, 100, 0.1, 0.1);
    }

    private static Goals.Line line(Results results, String start) {
        return Goals.of(results).stream()
                .filter(line -> line.goal().startsWith(start))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theWorstConcurrencyCountsAndOfEachTheMedian() throws IOException {
        Results results = Results.begin(folder.resolve("results"));
        for (double cpu : new double[] {10, 30, 900}) {
            results.add(run("text", "paced-8", cpu));
        }
        results.add(run("text", "paced-32", 57));
        results.add(run("smg", "paced-8", 100));
        results.add(run("smg", "paced-32", 100));
        Goals.Line line = line(results, "text <= 0.60 x SMG");
        assertThat(line.ratio()).isEqualTo(0.57 / 0.6);
        assertThat(line).hasToString(
                "text <= 0.60 x SMG's passing on, 8: 30 of 100 us = 0.30; 32: 57 of 100 us = 0.57, 0.95, holds");
    }

    @Test
    void aGoalThatIsMissedSaysByHowMuch() throws IOException {
        Results results = Results.begin(folder.resolve("results"));
        results.add(run("tokens", "paced-8", 26));
        results.add(run("nginx", "paced-8", 10));
        assertThat(line(results, "tokens <= 1.30 x nginx").verdict()).isEqualTo("falls short by 100 %");
    }

    @Test
    void whatWasNotMeasuredDoesNotHold() throws IOException {
        Results results = Results.begin(folder.resolve("results"));
        Measured failed = new Measured("smg", "paced-8", 0, 8, "refused", 0, 0, 0, 0, 0, 0, 0, 0, 0);
        results.add(failed);
        results.add(run("text", "paced-8", 5));
        assertThat(Goals.of(results)).allSatisfy(line -> assertThat(line.verdict()).isEqualTo("not measured"));
    }

    @Test
    void whatIsKeptIsReadAgain() throws IOException {
        Path file = folder.resolve("results");
        Results results = Results.begin(file);
        results.add(run("tokens", "batch-8", 100));
        results.add(run("vllm-router", "batch-8", 100));
        results.fact("idle.percent", 0.4);
        assertThat(Goals.of(Results.read(file))).isEqualTo(Goals.of(results));
        assertThat(line(Results.read(file), "idle CPU").verdict()).isEqualTo("holds");
    }

    @Test
    void costThatGrowsWithTheLengthIsNotFlat() throws IOException {
        Results results = Results.begin(folder.resolve("results"));
        results.add(run("text", "length-100", 20));
        results.add(run("text", "length-1000", 10));
        results.add(run("text", "length-10000", 11));
        assertThat(line(results, "text: a token costs the same").verdict()).isEqualTo("holds");
        results.add(run("text", "length-32000", 24));
        assertThat(line(results, "text: a token costs the same").verdict()).isEqualTo("falls short by 100 %");
    }
}
