package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.eventually;
import static io.glyphgate.proxy.boot.Stage.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.boot.FaultStage.Group;
import io.glyphgate.proxy.boot.FaultStage.Lane;
import io.glyphgate.proxy.config.ProxyConfig.Streaming;
import io.glyphgate.proxy.soak.BareClient;
import io.glyphgate.proxy.soak.BareClient.Answer;
import io.glyphgate.proxy.soak.BareClient.End;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Clients that leave, stall, or send what is no request, at every output mode, batch and stream, alone and over a pair of prefill
 * and decode servers: what becomes of their requests, and that nothing stays open. The rows are the second table of
 * {@code docs/explanation/reliability.md}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClientFaultTest {
    /** Where a pair of servers would make no difference. */
    private static final Set<Row> ONE_SERVER = EnumSet.range(Row.LEAVES_IN_HEAD, Row.SENDS_NO_CHUNK);

    static {
        ONE_SERVER.add(Row.TAKES_NOTHING);
    }

    /** What there is to take is more than the buffers on the way hold. */
    private static final String MUCH = "[" + "9707,".repeat(12_000) + "9707]";
    private static final int SMALL_BUFFER = 4096;

    private FaultStage stage;

    /** What a client does, with what comes of it. */
    private enum Row {
        LEAVES_EARLY("closes its connection before the first token", "the request is aborted", true) {
            @Override
            void play(FaultStage stage, Group group, Lane lane, boolean stream) throws IOException {
                try (BareClient client = stage.client()) {
                    stall(stage, client, group, lane, stream, "stall");
                }
            }
        },
        RESETS_EARLY("resets its connection before the first token", "the request is aborted", true) {
            @Override
            void play(FaultStage stage, Group group, Lane lane, boolean stream) throws IOException {
                try (BareClient client = stage.client()) {
                    stall(stage, client, group, lane, stream, "stall");
                    client.reset();
                }
            }
        },
        HALF_CLOSES(
                "closes its sending side behind the request",
                "the request is aborted, unless it is answered within 50 to 150 ms, or `clients.cancel-on-disconnect` is off",
                true) {
            @Override
            void play(FaultStage stage, Group group, Lane lane, boolean stream) throws IOException {
                try (BareClient client = stage.client()) {
                    stall(stage, client, group, lane, stream, "stall");
                    client.halfClose();
                    assertThat(client.ends()).isTrue();
                }
            }
        },
        LEAVES_LATER("closes its connection in the middle of a stream", "the request is aborted", true) {
            @Override
            void play(FaultStage stage, Group group, Lane lane, boolean stream) throws IOException {
                try (BareClient client = stage.client()) {
                    stall(stage, client, group, lane, stream, "stall@3");
                    if (lane.streams() && stream) {
                        assertThat(client.reads("data: ")).isTrue();
                    }
                }
            }
        },
        RESETS_LATER("resets its connection in the middle of a stream", "the request is aborted", true) {
            @Override
            void play(FaultStage stage, Group group, Lane lane, boolean stream) throws IOException {
                try (BareClient client = stage.client()) {
                    stall(stage, client, group, lane, stream, "stall@3");
                    if (lane.streams() && stream) {
                        assertThat(client.reads("data: ")).isTrue();
                    }
                    client.reset();
                }
            }
        },
        LEAVES_UNREAD("reads nothing of its answer, and closes when all of it is there", "it is answered", false) {
            @Override
            void play(FaultStage stage, Group group, Lane lane, boolean stream) throws IOException {
                try (BareClient client = stage.client()) {
                    client.send(FaultStage.request(group.prefix, lane, stream, "", ""));
                    eventually("it is answered", () -> stage.active() == 0);
                }
            }
        },
        TAKES_LITTLE("takes no bytes of a small answer", "it is answered; the answer waits in the system's buffers", false) {
            @Override
            void play(FaultStage stage, Group group, Lane lane, boolean stream) throws IOException {
                try (BareClient client = new BareClient(stage.uri(), Stage.LIMIT, SMALL_BUFFER)) {
                    client.send(FaultStage.request(group.prefix, lane, stream, "", ""));
                    eventually("nothing is in flight", () -> stage.active() == 0);
                    Answer answer = client.answer();
                    assertThat(answer.status()).isEqualTo(200);
                    assertThat(answer.end()).isEqualTo(End.WHOLE);
                }
            }
        },
        TAKES_NOTHING("takes no bytes of a large answer", "its connection is cut after `clients.stall`, the request aborted", false) {
            @Override
            void play(FaultStage stage, Group group, Lane lane, boolean stream) throws IOException {
                synchronized (MUCH) { // one after the other: so much takes its time
                    try (BareClient client = new BareClient(stage.uri(), Stage.LIMIT, SMALL_BUFFER)) {
                        byte[] request = FaultStage.request(group.prefix, lane, stream, "", "", MUCH, ",\"logprobs\":20");
                        client.send(request);
                        eventually("a server is at work", () -> stage.isAsked(request));
                        eventually("it is cut", () -> stage.proxy().inFlight() == 0);
                        Answer answer = client.answer();
                        assertThat(answer.status()).isIn(0, 200);
                        assertThat(answer.end()).as(lane + (stream ? " stream" : "")).isIn(End.CUT, End.NOTHING);
                    }
                }
            }
        },
        PIPELINES("sends two requests at once", "both are answered, in their order", false) {
            @Override
            void play(FaultStage stage, Group group, Lane lane, boolean stream) throws IOException {
                try (BareClient client = stage.client()) {
                    client.send(FaultStage.request(group.prefix, lane, stream, "", ""));
                    client.send(FaultStage.request(group.prefix, lane, stream, "status=429", ""));
                    assertThat(client.answer().status()).isEqualTo(200);
                    assertThat(client.answer().status()).isEqualTo(429);
                }
            }
        },
        PIPELINES_AND_LEAVES("sends two requests at once, and leaves", "the first is aborted, the second never asked for", true) {
            @Override
            void play(FaultStage stage, Group group, Lane lane, boolean stream) throws IOException {
                try (BareClient client = stage.client()) {
                    stall(stage, client, group, lane, stream, "stall");
                    client.send(FaultStage.request(group.prefix, lane, stream, "stall", ""));
                }
            }
        },
        LEAVES_IN_HEAD("leaves in the middle of the head", "no server is asked", false) {
            @Override
            void play(FaultStage stage, Group group, Lane lane, boolean stream) throws IOException {
                try (BareClient client = stage.client()) {
                    client.send(FaultStage.request(group.prefix, lane, stream, "", ""), 0, 20);
                }
            }
        },
        LEAVES_IN_BODY("leaves in the middle of the body", "no server is asked", false) {
            @Override
            void play(FaultStage stage, Group group, Lane lane, boolean stream) throws IOException {
                byte[] request = FaultStage.request(group.prefix, lane, stream, "", "");
                try (BareClient client = stage.client()) {
                    client.send(request, 0, request.length - 10);
                }
            }
        },
        STALLS_IN_HEAD("stalls in the middle of the head", "408 `request-timeout` after `clients.request`", false) {
            @Override
            void play(FaultStage stage, Group group, Lane lane, boolean stream) throws IOException {
                isLate(stage, FaultStage.request(group.prefix, lane, stream, "", ""), lane.pool.length());
            }
        },
        STALLS_IN_BODY("stalls in the middle of the body", "408 `request-timeout` after `clients.request`", false) {
            @Override
            void play(FaultStage stage, Group group, Lane lane, boolean stream) throws IOException {
                byte[] request = FaultStage.request(group.prefix, lane, stream, "", "");
                isLate(stage, request, request.length - 1);
            }
        },
        TRICKLES("sends a byte now and then", "408 `request-timeout` after `clients.request`", false) {
            @Override
            void play(FaultStage stage, Group group, Lane lane, boolean stream) throws IOException {
                byte[] request = FaultStage.request(group.prefix, lane, stream, "", "");
                try (BareClient client = stage.client()) {
                    Thread writer = Thread.ofVirtual().start(() -> trickle(client, request));
                    Answer answer = client.answer();
                    assertThat(answer.status()).isEqualTo(408);
                    writer.interrupt();
                }
            }
        },
        SENDS_NO_HTTP("sends what is no HTTP", "its connection is closed, with 400 `bad-request` if it looked like HTTP", false) {
            @Override
            void play(FaultStage stage, Group group, Lane lane, boolean stream) throws IOException {
                try (BareClient client = stage.client()) {
                    client.send(("\u0016\u0003\u0001 no HTTP at all " + lane + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
                    assertThat(client.ends()).isTrue();
                }
                try (BareClient client = stage.client()) {
                    client.send("POST /x HTTP/1.1\r\nno header at all\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
                    assertThat(client.answer().status()).isEqualTo(400);
                    assertThat(client.ends()).isTrue();
                }
            }
        },
        SENDS_NO_CHUNK("sends a body that is no chunk where it must be", "400 `bad-request`, and its connection is closed", false) {
            @Override
            void play(FaultStage stage, Group group, Lane lane, boolean stream) throws IOException {
                try (BareClient client = stage.client()) {
                    client.send(("POST " + Stage.GENERATE + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                            + "Transfer-Encoding: chunked\r\n\r\nthis is no chunk\r\n").getBytes(StandardCharsets.ISO_8859_1));
                    Answer answer = client.answer();
                    assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
                    assertThat(answer.header("X-Glyphgate-Error")).isEqualTo("bad-request");
                    assertThat(client.ends()).isTrue();
                }
            }
        };

        private final String client;
        private final String outcome;
        private final boolean aborts;

        Row(String client, String outcome, boolean aborts) {
            this.client = client;
            this.outcome = outcome;
            this.aborts = aborts;
        }

        abstract void play(FaultStage stage, Group group, Lane lane, boolean stream) throws IOException;
    }

    /** Sends a request whose server goes silent, and waits until it is at work. */
    private static void stall(FaultStage stage, BareClient client, Group group, Lane lane, boolean stream, String fault)
            throws IOException {
        byte[] request = FaultStage.request(group.prefix, lane, stream, stream || lane.collected ? fault : "stall", "");
        client.send(request);
        eventually("a server is at work", () -> stage.isAsked(request));
    }

    private static void isLate(FaultStage stage, byte[] request, int sent) throws IOException {
        try (BareClient client = stage.client()) {
            Answer answer = client.send(request, 0, sent).answer();
            assertThat(answer.status()).as(answer.toString()).isEqualTo(408);
            assertThat(answer.header("X-Glyphgate-Error")).isEqualTo("request-timeout");
            assertThat(json(answer.body()).at("/error/code").asInt()).isEqualTo(408);
            assertThat(client.ends()).isTrue();
        }
    }

    private static void trickle(BareClient client, byte[] request) {
        try {
            for (int i = 0; i < request.length && !Thread.interrupted(); i++) {
                client.send(request, i, i + 1);
                Thread.sleep(50);
            }
        } catch (IOException | InterruptedException e) {
            Thread.currentThread().interrupt(); // it is cut, which is what is tested
        }
    }

    /** What carries streams. */
    Streaming streaming() {
        return Streaming.AUTO;
    }

    @BeforeAll
    void start(@TempDir Path folder) {
        stage = new FaultStage(folder, Stage.LIMIT, streaming());
    }

    @AfterAll
    void stop() throws IOException, InterruptedException {
        assertThat(stage.stage().get("/metrics").body())
                .contains("glyphgate_refusals_total{slug=\"request-timeout\"}")
                .doesNotContain("slug=\"internal\"");
        stage.close();
    }

    @ParameterizedTest
    @EnumSource
    void aClient(Row row) throws Exception {
        int aborted = stage.aborted();
        long lost = stage.lostPrompts();
        List<Callable<Void>> plays = new ArrayList<>();
        int expected = 0;
        for (Group group : ONE_SERVER.contains(row) ? List.of(Group.ALONE) : List.of(Group.ALONE, Group.PULL, Group.PUSH)) {
            for (Lane lane : Lane.values()) {
                for (boolean stream : lane.streams() ? new boolean[] {false, true} : new boolean[] {false}) {
                    expected++;
                    plays.add(() -> {
                        row.play(stage, group, lane, stream);
                        return null;
                    });
                }
            }
        }
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            for (Future<Void> play : threads.invokeAll(plays)) {
                play.get();
            }
        }
        stage.nothingStaysOpen();
        if (row.aborts) {
            int all = aborted + expected;
            eventually("all requests are aborted", () -> stage.aborted() == all, () -> stage.aborted() + " of " + all);
        }
        eventually("no prompt is lost", () -> stage.lostPrompts() == lost, stage::prompts);
    }

    @Test
    void thePageSaysSo() throws IOException {
        StringBuilder table = new StringBuilder("""
                | The client | What comes of it |
                |---|---|
                """);
        Arrays.stream(Row.values()).forEach(row -> table.append("| ").append(row.client).append(" | ").append(row.outcome).append(" |\n"));
        ReliabilityPage.holds(table.toString());
    }
}
