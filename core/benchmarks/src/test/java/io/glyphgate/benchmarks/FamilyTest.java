package io.glyphgate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.glyphgate.proxy.choice.Anomalies;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.MessageDelta;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.ToolParserProvider;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is measured is what is meant: every parser there is, well-formed outputs, and a cost that does not grow. */
class FamilyTest {
    private static final int SHORT = 1_000;
    private static final int LONG = 32_000;
    /** Compiled code may allocate less than interpreted code; what allocates for good does so in every round. */
    private static final int ROUNDS = 10;
    /** Nothing, but for a buffer that grows now and then. */
    private static final double MOST_BYTES_PER_TOKEN = 1;

    private static Installed installed;

    @BeforeAll
    static void load() throws IOException {
        installed = Installed.load();
    }

    @AfterAll
    static void close() {
        installed.close();
    }

    static List<Family> families() {
        return Family.ALL;
    }

    @Test
    void everyParserHasAFamily() {
        assertThat(measured(Family::reasoning, ReasoningParserProvider.class)).isEqualTo(names(ReasoningParserProvider.class));
        assertThat(measured(Family::tools, ToolParserProvider.class)).isEqualTo(names(ToolParserProvider.class));
        assertThat(measured(Family::combined, CombinedParserProvider.class)).isEqualTo(names(CombinedParserProvider.class));
    }

    @Test
    void thePageHasARowForEveryFamily() throws IOException {
        String page = Files.readString(Path.of("../../docs/explanation/parser-cost.md"));
        assertThat(Family.ALL).allSatisfy(family -> assertThat(page).contains("\n| " + family.name() + " | "));
    }

    private static <P extends ParserProvider> Set<String> measured(Function<Family, Optional<String>> parser, Class<P> kind) {
        return Family.ALL.stream()
                .map(parser)
                .flatMap(Optional::stream)
                .map(name -> installed.parsers().find(kind, name).orElseThrow().name())
                .collect(Collectors.toSet());
    }

    private static <P extends ParserProvider> Set<String> names(Class<P> kind) {
        return installed.parsers().names(kind).stream()
                .map(name -> installed.parsers().find(kind, name).orElseThrow().name())
                .collect(Collectors.toSet());
    }

    @ParameterizedTest
    @MethodSource("families")
    void anOutputIsWellFormed(Family family) {
        StringBuilder reasoning = new StringBuilder();
        StringBuilder content = new StringBuilder();
        StringBuilder arguments = new StringBuilder();
        Anomalies anomalies = new Anomalies();
        Run run = Run.message(family, SHORT, installed.tokenizer(), installed.parsers());
        run.play(anomalies, step -> {
            reasoning.append(step.message().reasoning());
            content.append(step.message().content());
            for (MessageDelta.ToolCallDelta call : step.message().toolCalls()) {
                assertThat(call.index()).isZero();
                assertThat(call.name()).isEqualTo("write");
                arguments.append(call.arguments());
            }
        });
        assertThat(anomalies.found()).isEmpty();
        assertThat(reasoning.length() > SHORT).isEqualTo(!family.close().isEmpty());
        assertThat(content.length() > SHORT).isEqualTo(family.content());
        assertThat(arguments.length() > SHORT).isEqualTo(!family.callOpen().isEmpty());
        // One parser leaves the reasoning in the content, with its opening marker in front.
        assertThat(content.toString().replaceFirst("^<think>", "")).doesNotContain("<", "{");
        assertThat(reasoning).doesNotContain("<", "{");
        if (!family.callOpen().isEmpty()) {
            assertThat(arguments.toString()).matches("\\{\"text\": ?\"[^\"]* It is 7 degrees in Tromsø[^\"]*\"}");
        }
    }

    @Test
    void anOutputThatHasNoRoomForItsMarkersIsRefused() {
        assertThatThrownBy(() -> Run.text(Family.named("qwen3+hermes"), 10, installed.tokenizer()))
                .hasMessageContaining("10 tokens are too few");
    }

    /** Bytes, which are the same on every machine, and not time. */
    @ParameterizedTest
    @MethodSource("families")
    void aTokenAllocatesNothingHoweverLongTheOutput(Family family) {
        Run little = Run.message(family, SHORT, installed.tokenizer(), installed.parsers());
        Run much = Run.message(family, LONG, installed.tokenizer(), installed.parsers());
        double best = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS && best >= MOST_BYTES_PER_TOKEN; round++) {
            best = Math.min(best, (double) (allocated(much) - allocated(little)) / (LONG - SHORT));
        }
        assertThat(best).as("bytes allocated per token").isLessThan(MOST_BYTES_PER_TOKEN);
    }

    private static long allocated(Run run) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] characters = {0};
        long before = threads.getCurrentThreadAllocatedBytes();
        run.play(new Anomalies(), step -> characters[0] += step.message().content().length());
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
