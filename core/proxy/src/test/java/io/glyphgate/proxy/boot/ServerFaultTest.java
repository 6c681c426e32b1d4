package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.eventually;
import static io.glyphgate.proxy.boot.Stage.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.boot.FaultStage.Group;
import io.glyphgate.proxy.boot.FaultStage.Lane;
import io.glyphgate.proxy.config.ProxyConfig.Streaming;
import io.glyphgate.proxy.soak.BareClient.Answer;
import io.glyphgate.proxy.soak.BareClient.End;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every way in which a server goes wrong, at every output mode, batch and stream, alone, as the decode server and as the prefill
 * server of a pair: what the client is told, and that nothing stays open. The rows are the table of
 * {@code docs/explanation/reliability.md}; {@code -Dglyphgate.write-reference=true} writes it anew.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ServerFaultTest {
    /** What a client sees. */
    private sealed interface Seen {
        /** The whole answer. */
        record Whole() implements Seen {}

        /** The fault cannot happen: the server's answer is one piece. */
        record Never() implements Seen {}

        /** A status in place of the answer. */
        record Refused(int status, String slug) implements Seen {}

        /** As {@link Broken}; or a status, if a reset has swept away all that was sent before. */
        record Torn() implements Seen {}

        /**
         * The start of the answer, an error event, {@code [DONE]}.
         *
         * @param servers whether the event is the server's own
         */
        record Broken(int status, boolean servers) implements Seen {}
    }

    private static final Seen WHOLE = new Seen.Whole();
    private static final Seen NEVER = new Seen.Never();
    private static final Seen BROKEN = new Seen.Refused(502, "upstream-broken");
    private static final Seen BAD = new Seen.Refused(502, "upstream-bad-answer");
    private static final Seen LATE = new Seen.Refused(504, "upstream-timeout");

    /** Which prompts of prefill servers nobody takes, so that their lease ends. */
    private enum Lost {
        NONE,
        /** The decode server goes wrong and may have taken the prompt, so no other one may be asked to. */
        DECODE,
        /** The prefill server's answer is lost, and with it where the prompt is. */
        PREFILL,
        BOTH
    }

    /**
     * A row of the table.
     *
     * @param server what the server does
     * @param fault the fault as the simulator knows it; {@code @last} is the last event, {@code @done} the end mark
     * @param batch what a client sees that wants one answer
     * @param stream what a client sees that wants a stream
     */
    private record Row(String server, String fault, Seen batch, Seen stream, Lost lost) {
        String simulated() {
            return fault.replace("@done", "@" + FaultStage.events()).replace("@last", "@" + (FaultStage.events() - 1));
        }

        @Override
        public String toString() {
            return fault + ": " + server;
        }
    }

    private static Seen refused(int status) {
        return new Seen.Refused(status, "upstream-refused");
    }

    private static Seen broken(int status) {
        return new Seen.Broken(status, false);
    }

    private static final List<Row> ROWS = List.of(
            new Row("closes the connection before its answer", "close", BROKEN, BROKEN, Lost.BOTH),
            new Row("resets the connection before its answer", "reset", BROKEN, BROKEN, Lost.BOTH),
            new Row("closes the connection behind the head", "close@0", BROKEN, BROKEN, Lost.PREFILL),
            new Row("resets the connection behind the head", "reset@0", BROKEN, BROKEN, Lost.PREFILL),
            new Row("closes it in the middle of the first piece", "cut@0", BROKEN, BROKEN, Lost.PREFILL),
            new Row("closes it between two events", "close@3", NEVER, broken(502), Lost.NONE),
            new Row("resets it between two events", "reset@3", NEVER, new Seen.Torn(), Lost.NONE),
            new Row("closes it in the middle of an event", "cut@3", NEVER, broken(502), Lost.NONE),
            new Row("closes it before the last event", "close@last", NEVER, broken(502), Lost.NONE),
            new Row("closes it before `[DONE]`", "close@done", NEVER, WHOLE, Lost.NONE),
            new Row("is silent before its answer", "stall", LATE, LATE, Lost.BOTH),
            new Row("is silent behind the head", "stall@0", LATE, LATE, Lost.PREFILL),
            new Row("is silent in the middle of the first piece", "half@0", LATE, LATE, Lost.PREFILL),
            new Row("is silent between two events", "stall@3", NEVER, broken(504), Lost.NONE),
            new Row("is silent in the middle of an event", "half@3", NEVER, broken(504), Lost.NONE),
            new Row("is silent before `[DONE]`", "stall@done", NEVER, WHOLE, Lost.NONE),
            new Row("ends a stream without any event", "end@0", NEVER, BROKEN, Lost.NONE),
            new Row("ends a stream without a finish reason", "end@3", NEVER, broken(502), Lost.NONE),
            new Row("sends `[DONE]` without any event", "early-done@0", NEVER, BAD, Lost.NONE),
            new Row("sends `[DONE]` without a finish reason", "early-done@3", NEVER, broken(502), Lost.NONE),
            new Row("sends no `[DONE]`", "no-done", WHOLE, WHOLE, Lost.NONE),
            new Row("sends garbage in place of a status line", "garbage-head", BROKEN, BROKEN, Lost.BOTH),
            new Row("sends garbage in front of the body", "garbage-chunk@0", BAD, BROKEN, Lost.PREFILL),
            new Row("sends garbage between two chunks", "garbage-chunk@3", NEVER, broken(502), Lost.NONE),
            new Row("sends a first event that is no JSON", "garbage-event@0", NEVER, BAD, Lost.NONE),
            new Row("sends a later event that is no JSON", "garbage-event@3", NEVER, broken(502), Lost.NONE),
            new Row("promises more bytes than it sends", "wrong-length", BROKEN, WHOLE, Lost.PREFILL),
            new Row("refuses: 400", "status=400", refused(400), refused(400), Lost.NONE),
            new Row("is full: 429", "status=429", refused(429), refused(429), Lost.NONE),
            new Row("fails: 500", "status=500", refused(500), refused(500), Lost.DECODE),
            new Row("is not there for now: 503", "status=503", refused(503), refused(503), Lost.DECODE),
            new Row("sends an HTML page with 502, as a gateway does", "html", BAD, BAD, Lost.DECODE),
            new Row("sends an HTML page with 404", "html=404", BAD, BAD, Lost.NONE),
            new Row("sends an HTML page with 200", "html=200", BAD, BAD, Lost.DECODE),
            new Row("sends 200 with an error inside", "error-body", BAD, BAD, Lost.DECODE),
            new Row("starts a stream with an error event", "error-event@0", NEVER, new Seen.Broken(500, true), Lost.NONE),
            new Row("refuses with the first event of a stream, as vLLM does: 400", "error-event@0=400", NEVER, new Seen.Broken(400, true), Lost.NONE),
            new Row("sends an error event in a stream", "error-event@3", NEVER, new Seen.Broken(500, true), Lost.NONE),
            new Row("compresses its answer although it must not", "gzip", BAD, BAD, Lost.PREFILL),
            new Row("compresses its refusal", "status=400,gzip", BAD, BAD, Lost.NONE),
            new Row("ends lines with CR LF", "crlf", WHOLE, WHOLE, Lost.NONE),
            new Row("sends comments", "comments", WHOLE, WHOLE, Lost.NONE),
            new Row("spreads an event over several lines", "multiline", WHOLE, WHOLE, Lost.NONE),
            new Row("sends its body byte by byte", "split", WHOLE, WHOLE, Lost.NONE),
            new Row("closes the connection after its answer", "close-after", WHOLE, WHOLE, Lost.NONE),
            new Row("closes an idle connection when it is used again", "stale", WHOLE, WHOLE, Lost.NONE));

    private final Map<String, List<JsonNode>> whole = new HashMap<>();
    private FaultStage stage;

    /** What carries streams. */
    Streaming streaming() {
        return Streaming.AUTO;
    }

    @BeforeAll
    void start(@TempDir Path folder) {
        stage = new FaultStage(folder, Duration.ofSeconds(2), streaming());
        for (Lane lane : Lane.values()) {
            for (boolean stream : lane.streams() ? new boolean[] {false, true} : new boolean[] {false}) {
                Answer answer = stage.ask(Group.ALONE, lane, stream, "", "");
                assertThat(answer.status()).as(answer.body()).isEqualTo(200);
                whole.put(lane.name() + stream, FaultStage.choices(answer));
            }
        }
        assertThat(whole(Lane.TEXT, false).getFirst().at("/0/text").asText()).endsWith("Hello there, my friend 🛶!");
        assertThat(whole(Lane.MESSAGE, false).getFirst().at("/0/message/content").asText()).endsWith("Hello there, my friend 🛶!");
    }

    @AfterAll
    void stop() throws IOException, InterruptedException {
        eventually("every lease has ended", () -> stage.heldPrompts() == 0);
        assertThat(stage.stage().get("/metrics").body().lines().filter(line -> line.startsWith("glyphgate_in_flight{")))
                .isNotEmpty()
                .allMatch(line -> line.endsWith(" 0.0"));
        stage.close();
    }

    /** What a client gets if nothing goes wrong. */
    private List<JsonNode> whole(Lane lane, boolean stream) {
        return Objects.requireNonNull(whole.get(lane.name() + stream), "nobody asked before");
    }

    static List<Row> rows() {
        return ROWS;
    }

    @ParameterizedTest
    @MethodSource("rows")
    void aServerAloneGoesWrong(Row row) throws Exception {
        List<Callable<Void>> requests = new ArrayList<>();
        for (int again = 0; again < 2; again++) { // connections are used again
            requests(requests, (lane, stream) -> check(row, Group.ALONE, lane, stream, row.simulated(), "", expected(row, lane, stream)));
        }
        all(requests);
        stage.nothingStaysOpen();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void aDecodeServerGoesWrong(Row row) throws Exception {
        long before = stage.lostPrompts();
        List<Callable<Void>> requests = new ArrayList<>();
        for (Group group : List.of(Group.PULL, Group.PUSH)) {
            requests(requests, (lane, stream) -> check(row, group, lane, stream, row.simulated(), "", expected(row, lane, stream)));
        }
        all(requests);
        nothingIsLost(before, row.lost() == Lost.DECODE || row.lost() == Lost.BOTH);
    }

    @ParameterizedTest
    @MethodSource("rows")
    void aPrefillServerGoesWrong(Row row) throws Exception {
        if (row.batch() == NEVER) {
            return;
        }
        long before = stage.lostPrompts();
        List<Callable<Void>> requests = new ArrayList<>();
        requests(requests, (lane, stream) -> check(row, Group.PULL, lane, stream, "", row.simulated(), WHOLE));
        requests(requests, (lane, stream) -> check(row, Group.PULL_ONLY, lane, stream, "", row.simulated(), withoutPrefill(row)));
        boolean late = row.batch() == LATE; // the decode server waits for the prompt, and neither knows who is late
        if (!late) {
            requests(requests, (lane, stream) -> check(row, Group.PUSH, lane, stream, "", row.simulated(), WHOLE));
        }
        all(requests);
        nothingIsLost(before, row.lost() == Lost.PREFILL || row.lost() == Lost.BOTH);
    }

    private void nothingIsLost(long before, boolean mayBe) {
        stage.nothingStaysOpen();
        if (!mayBe) {
            eventually("no prompt is lost", () -> stage.lostPrompts() == before, stage::prompts);
        }
    }

    /** The row of a server that is not there stands apart: it has pools of its own. */
    @Test
    void aServerTakesNoConnection() throws Exception {
        List<Callable<Void>> requests = new ArrayList<>();
        requests(requests, (lane, stream) -> {
            Answer answer = stage.ask(FaultStage.request("dead", lane, stream, "", ""));
            assertThat(answer.status()).as(answer.body()).isEqualTo(503);
            assertThat(answer.header("X-Glyphgate-Error")).isEqualTo("no-endpoint");
            assertThat(answer.header("Retry-After")).isNotEmpty();
        });
        all(requests);
        stage.nothingStaysOpen();
    }

    /** A large request stands apart, too: a small one goes into the buffers of the system, and what follows is silence. */
    @Test
    void aServerReadsNothingOfALargeRequest() throws Exception {
        String large = ",\"extra_body\":\"" + "x".repeat(6 << 20) + "\"";
        String tokens = Arrays.toString(Stage.encode("Hi"));
        List<Callable<Void>> requests = new ArrayList<>();
        for (Lane lane : List.of(Lane.TOKENS, Lane.TEXT)) {
            for (boolean stream : new boolean[] {false, true}) {
                requests.add(() -> {
                    Answer alone = stage.ask(FaultStage.request("deaf", lane, stream, "", "", tokens, large));
                    assertThat(alone.status()).as(alone.body()).isEqualTo(504);
                    assertThat(alone.header("X-Glyphgate-Error")).isEqualTo("upstream-timeout");
                    Answer passedOver = stage.ask(FaultStage.request("deaf-decode-only", lane, stream, "", "", tokens, large));
                    assertThat(passedOver.status()).as(passedOver.body()).isEqualTo(200);
                    Answer prefill = stage.ask(FaultStage.request("deaf-fail", lane, stream, "", "", tokens, large));
                    assertThat(prefill.status()).as(prefill.body()).isEqualTo(502);
                    assertThat(prefill.header("X-Glyphgate-Error")).isEqualTo("prefill-failed");
                    return null;
                });
            }
        }
        all(requests);
        byte[] metrics = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        assertThat(stage.ask(metrics).body())
                .containsPattern("glyphgate_endpoint_ejections_total\\{[^}]*pool=\"deaf-[a-z]*\",reason=\"timeout\"");
        stage.nothingStaysOpen();
    }

    @Test
    void thePageSaysSo() throws IOException {
        StringBuilder table = new StringBuilder("""
                | The server | One answer | A stream | A prefill server that does so | Left open |
                |---|---|---|---|---|
                | takes no connection | 503 `no-endpoint` | 503 `no-endpoint` | passed over | nothing |
                | reads nothing of a large request | 504 `upstream-timeout` | 504 `upstream-timeout` | passed over, or 502 `prefill-failed` | nothing |
                """);
        for (Row row : ROWS) {
            String prefill = row.batch() == NEVER ? "–" : row.batch() == WHOLE ? "whole" : "passed over, or " + words(withoutPrefill(row));
            String left = switch (row.lost()) {
                case NONE -> "nothing";
                case DECODE -> "the prompt, if this is the decode server";
                case PREFILL -> "the prompt, if this is the prefill server";
                case BOTH -> "the prompt";
            };
            table.append("| ").append(row.server()).append(" | ").append(words(row.batch())).append(" | ")
                    .append(words(row.stream())).append(" | ").append(prefill).append(" | ").append(left).append(" |\n");
        }
        ReliabilityPage.holds(table.toString());
    }

    private static String words(Seen seen) {
        return switch (seen) {
            case Seen.Whole() -> "whole";
            case Seen.Never() -> "–";
            case Seen.Refused(int status, String slug) -> status + " `" + slug + "`";
            case Seen.Torn() -> "an error event, code 502, or 502 `upstream-broken` if the reset swept all away";
            case Seen.Broken(int status, boolean servers) -> servers ? "the server's error event" : "an error event, code " + status;
        };
    }

    /** What a client sees whose decode server may not compute the prompt itself. */
    private static Seen withoutPrefill(Row row) {
        return switch (row.batch()) {
            case Seen.Refused(int status, String slug) -> new Seen.Refused(
                    row.fault().contains("=4") || status == 503 ? status(row) : 502,
                    "prefill-failed");
            case Seen.Whole whole -> whole;
            case Seen.Never never -> never;
            case Seen.Torn torn -> torn;
            case Seen.Broken broken -> broken;
        };
    }

    private static int status(Row row) {
        return Integer.parseInt(row.fault().replaceAll("\\D", ""));
    }

    private static Seen expected(Row row, Lane lane, boolean stream) {
        if (!lane.collected) {
            return stream ? row.stream() : row.batch() == NEVER ? WHOLE : row.batch();
        }
        return switch (row.stream()) { // the server is asked for a stream, but the client has seen nothing of it
            case Seen.Broken(int status, boolean servers) ->
                servers || row.fault().startsWith("garbage-event") || row.fault().startsWith("early-done") ? BAD : status == 504 ? LATE : BROKEN;
            case Seen.Torn torn -> BROKEN;
            case Seen.Refused refused -> refused;
            case Seen.Whole whole -> whole;
            case Seen.Never never -> never;
        };
    }

    private interface Request {
        void send(Lane lane, boolean stream);
    }

    private static void requests(List<Callable<Void>> all, Request request) {
        for (Lane lane : Lane.values()) {
            for (boolean stream : lane.streams() ? new boolean[] {false, true} : new boolean[] {false}) {
                all.add(() -> {
                    request.send(lane, stream);
                    return null;
                });
            }
        }
    }

    /** Sends requests at the same time: what is silent takes its time. */
    private static void all(List<Callable<Void>> requests) throws Exception {
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            for (Future<Void> sent : threads.invokeAll(requests)) {
                sent.get();
            }
        }
    }

    private void check(Row row, Group group, Lane lane, boolean stream, String fault, String prefillFault, Seen expected) {
        Answer answer = stage.ask(group, lane, stream, fault, prefillFault);
        String what = row + " " + group + " " + lane + (stream ? " stream: " : ": ") + answer;
        List<JsonNode> all = whole(lane, stream);
        assertThat(answer.end()).as(what).isEqualTo(End.WHOLE);
        switch (expected) {
            case Seen.Whole seen -> isWhole(answer, all, what);
            case Seen.Never seen -> isWhole(answer, all, what);
            case Seen.Refused(int status, String slug) -> {
                assertThat(answer.status()).as(what).isEqualTo(status);
                assertThat(answer.header("X-Glyphgate-Error")).as(what).isEqualTo(slug);
                assertThat(answer.header("Content-Type")).as(what).isEqualTo("application/json");
                assertThat(answer.header("Retry-After").isEmpty()).as(what).isEqualTo(status != 429 && status != 503);
                assertThat(json(answer.body()).at("/error/code").asInt()).as(what).isEqualTo(status);
                assertThat(json(answer.body()).at("/error/message").asText()).as(what).isNotBlank().doesNotContain("127.0.0.1", "<html");
            }
            case Seen.Torn torn -> {
                if (answer.status() == 200) {
                    isBroken(answer, 502, all, what);
                } else {
                    assertThat(answer.status()).as(what).isEqualTo(502);
                    assertThat(answer.header("X-Glyphgate-Error")).as(what).isEqualTo("upstream-broken");
                }
            }
            case Seen.Broken(int status, boolean servers) -> isBroken(answer, status, all, what);
        }
    }

    private static void isBroken(Answer answer, int status, List<JsonNode> all, String what) {
        assertThat(answer.status()).as(what).isEqualTo(200);
        List<JsonNode> events = FaultStage.events(answer);
        assertThat(events.stream().filter(event -> event.has("error"))).as(what).hasSize(1);
        assertThat(events.getLast().at("/error/code").asInt()).as(what).isEqualTo(status);
        isStart(FaultStage.choices(answer), all, what);
    }

    private static void isWhole(Answer answer, List<JsonNode> all, String what) {
        assertThat(answer.status()).as(what).isEqualTo(200);
        assertThat(FaultStage.choices(answer)).as(what).isEqualTo(all);
    }

    /** What came is what comes without the fault, as far as it goes; at the end what was held back may follow. */
    private static void isStart(List<JsonNode> came, List<JsonNode> all, String what) {
        String text = text(came);
        assertThat(text(all)).as(what).startsWith(text);
        assertThat(came.toString()).as(what).doesNotContain("\"finish_reason\":\"stop\"");
    }

    private static String text(List<JsonNode> events) {
        StringBuilder text = new StringBuilder();
        for (JsonNode choices : events) {
            for (JsonNode choice : choices) {
                text.append(choice.path("text").asText(""));
                text.append(choice.at("/delta/reasoning").asText(""));
                text.append(choice.at("/delta/content").asText(""));
                if (!choice.has("text") && !choice.has("delta")) {
                    choice.path("token_ids").forEach(id -> text.append(id.asText()).append(' '));
                }
            }
        }
        return text.toString();
    }
}
