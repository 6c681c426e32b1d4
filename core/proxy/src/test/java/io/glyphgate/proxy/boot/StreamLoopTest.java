package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static io.glyphgate.proxy.boot.Stage.eventually;
import static io.glyphgate.proxy.boot.Stage.pool;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.proxy.soak.BareClient;
import io.glyphgate.proxy.soak.BareClient.Answer;
import io.glyphgate.proxy.soak.BareClient.End;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams that loops carry: which do, and what becomes of them when a client does not take its bytes. */
class StreamLoopTest {
    private static final String FEW = "[" + "9707,".repeat(50) + "151645]";
    /** More than the buffers on the way hold. */
    private static final String MUCH = "[" + "9707,".repeat(12_000) + "151645]";

    /** Half of the smallest object. Buffers grow now and then, and the JDK's selector may make an Integer of a ready socket. */
    private static final double MOST_BYTES_PER_TOKEN = 8;
    private static final int SMALL_BUFFER = 4096;

    @TempDir
    private Path folder;

    private Stage stage;

    @BeforeEach
    void start() {
        stage = new Stage(folder);
        SimulatedServer server = stage.server(Stage.tokensOnly());
        stage.proxy(pool("bulk", "none", server.uri()) + pool("chat", "proxy", server.uri()));
    }

    @AfterEach
    void stop() {
        stage.close();
    }

    private static byte[] request(String mode, String tokens, String sampling) {
        return BareClient.post(Stage.GENERATE, body(
                "\"stream\":true,\"output_mode\":\"" + mode + "\"" + (mode.equals("derender") ? ",\"parse_context\":{}" : ""),
                "{\"extra_args\":{\"glyphgate_tokens\":" + tokens + "}" + sampling + "}"));
    }

    private double metric(String name) {
        try {
            return stage.get("/metrics").body().lines()
                    .filter(line -> line.startsWith(name + " "))
                    .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void loopsCarryStreamsOfAllModesOverOneConnection() throws IOException {
        try (BareClient client = new BareClient(stage.uri(), Stage.LIMIT)) {
            for (int round = 0; round < 3; round++) { // sockets go to a loop and back
                for (String mode : List.of("tokens", "text", "derender")) {
                    Answer answer = client.send(request(mode, FEW, "")).answer();
                    assertThat(answer.status()).isEqualTo(200);
                    assertThat(answer.end()).isEqualTo(End.WHOLE);
                    assertThat(Stage.events(answer.body())).hasSize(51);
                }
            }
        }
        double onLoops = metric("glyphgate_streams_total{carrier=\"loop\"}");
        assertThat(onLoops).isPositive();
        assertThat(onLoops + metric("glyphgate_streams_total{carrier=\"thread\"}")).as("one that is over at once has a thread").isEqualTo(9);
    }

    /** One packet and one wake-up of the client less for each stream. */
    @Test
    void theHeadComesInOnePieceWithTheFirstEvent() throws IOException {
        for (int i = 0; i < 20; i++) {
            try (Socket client = new Socket(stage.uri().getHost(), stage.uri().getPort())) {
                client.setSoTimeout((int) Stage.LIMIT.toMillis());
                client.getOutputStream().write(request("text", FEW, ""));
                byte[] first = new byte[64 << 10];
                int count = client.getInputStream().read(first);
                assertThat(new String(first, 0, count, StandardCharsets.UTF_8)).startsWith("HTTP/1.1 200 ").contains("\r\n\r\n", "data: {");
            }
        }
    }

    @Test
    void aClientThatTakesNoBytesHoldsUpNobodyAndLosesNothing() throws IOException {
        for (String mode : List.of("tokens", "text")) {
            double before = metric("glyphgate_streams_handed_back_total");
            try (BareClient slow = new BareClient(stage.uri(), Stage.LIMIT, SMALL_BUFFER)) {
                slow.send(request(mode, MUCH, ",\"logprobs\":20"));
                eventually("a loop has given it back", () -> metric("glyphgate_streams_handed_back_total") > before);
                for (int i = 0; i < 5; i++) { // all loops go on
                    try (BareClient other = new BareClient(stage.uri(), Stage.LIMIT)) {
                        Answer answer = other.send(request(mode, FEW, "")).answer();
                        assertThat(answer.end()).isEqualTo(End.WHOLE);
                        assertThat(Stage.events(answer.body())).hasSize(51);
                    }
                }
                Answer late = slow.answer();
                assertThat(late.end()).isEqualTo(End.WHOLE);
                assertThat(Stage.events(late.body())).hasSize(12_001);
            }
        }
    }

    /** Not the pieces, as {@code HotPathAllocationTest} has them, but all that a loop does. */
    @ParameterizedTest
    @ValueSource(strings = {"tokens", "text", "derender"})
    void aFurtherTokenAllocatesNothingOnALoop(String mode) throws IOException {
        double best = Double.MAX_VALUE;
        try (BareClient client = new BareClient(stage.uri(), Stage.LIMIT)) {
            for (int round = 0; round < 10 && best >= MOST_BYTES_PER_TOKEN; round++) {
                long few = allocatedByLoops(client, mode, 2_000);
                best = Math.min(best, (allocatedByLoops(client, mode, 22_000) - few) / 20_000.0);
            }
        }
        assertThat(best).as("bytes allocated per token").isLessThan(MOST_BYTES_PER_TOKEN);
    }

    private static long allocatedByLoops(BareClient client, String mode, int tokens) throws IOException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] loops = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("glyphgate-loop-"))
                .mapToLong(Thread::threadId)
                .toArray();
        assertThat(loops).isNotEmpty();
        long before = Arrays.stream(threads.getThreadAllocatedBytes(loops)).sum();
        Answer answer = client.send(request(mode, "[" + "9707,".repeat(tokens - 1) + "151645]", "")).answer();
        assertThat(answer.end()).isEqualTo(End.WHOLE);
        return Arrays.stream(threads.getThreadAllocatedBytes(loops)).sum() - before;
    }
}
