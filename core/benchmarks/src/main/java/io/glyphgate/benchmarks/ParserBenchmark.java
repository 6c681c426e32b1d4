package io.glyphgate.benchmarks;

import io.glyphgate.proxy.choice.Anomalies;
import io.glyphgate.spi.MessageDelta;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** One whole output, token by token, through the choice pipeline. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class ParserBenchmark {
    /** The name of a {@link Family}; {@link CostTable} gives all of them. */
    @Param("qwen3+hermes")
    public String family = "";

    /** How many tokens the output has. */
    @Param({"100", "1000", "10000", "32000"})
    public int tokens;

    private @Nullable Run message;
    private @Nullable Run text;

    /** Makes the output. */
    @Setup
    public void load() throws IOException {
        Installed installed = Installed.load();
        Family chosen = Family.named(family);
        message = Run.message(chosen, tokens, installed.tokenizer(), installed.parsers());
        text = Run.text(chosen, tokens, installed.tokenizer());
    }

    /** Detokenizer and parsers. */
    @Benchmark
    public void message(Blackhole out) {
        Objects.requireNonNull(message).play(new Anomalies(), step -> {
            MessageDelta delta = step.message();
            out.consume(delta.reasoning().length());
            out.consume(delta.content().length());
            out.consume(delta.toolCalls().size());
        });
    }

    /** The detokenizer alone: what of {@link #message} is not the parsers'. */
    @Benchmark
    public void text(Blackhole out) {
        Objects.requireNonNull(text).play(new Anomalies(), step -> out.consume(step.tokens().text().length()));
    }
}
