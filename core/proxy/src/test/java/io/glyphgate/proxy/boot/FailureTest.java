package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static io.glyphgate.proxy.boot.Stage.encode;
import static io.glyphgate.proxy.boot.Stage.events;
import static io.glyphgate.proxy.boot.Stage.eventually;
import static io.glyphgate.proxy.boot.Stage.json;
import static io.glyphgate.proxy.boot.Stage.pool;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.simulator.Fault;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that leave and servers that fail: each is answered as promised, and nothing stays open. */
class FailureTest {
    private static final String STREAM = "\"output_mode\":\"text\",\"stream\":true";

    @TempDir
    private Path folder;

    private Stage stage;
    private SimulatedServer server;
    private Proxy proxy;

    @BeforeEach
    void start() {
        stage = new Stage(folder);
        server = stage.server(Stage.tokensOnly());
        proxy = stage.proxy(pool("bulk", "none", server.uri()) + pool("chat", "proxy", server.uri()));
    }

    @AfterEach
    void nothingStaysOpen() throws Exception {
        server.await("no request is active", Stage.LIMIT, () -> server.activeRequests() == 0);
        eventually("nothing is in flight", () -> proxy.inFlight() == 0 && proxy.running() == 0 && proxy.watched() == 0);
        stage.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock = """
            before the head | stall         | "stream":true
            before the head | stall         | "output_mode":"text","stream":true
            first event     | stall@0       | "stream":true
            mid-stream      | stall@2       | "stream":true
            mid-stream      | stall@2       | "output_mode":"text","stream":true
            """)
    void aClientThatLeavesAbortsItsRequest(String when, String fault, String fields) throws Exception {
        script("one two three four five six", fault);
        try (Socket socket = stage.open(body(fields))) {
            server.await("the request has arrived", Stage.LIMIT, () -> server.activeRequests() == 1);
            if (when.equals("mid-stream")) {
                readUntil(socket, "data: ");
            }
        }
        server.await("the request is aborted", Stage.LIMIT, () -> !server.abortedRequestIds().isEmpty());
        server.await("its connection is closed", Stage.LIMIT, () -> server.openConnections() == 0);
        eventually("the client's connection is closed", () -> proxy.connections() == 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"output_mode\":\"text\"", "\"zzz\":1", "\"stream\":true"})
    void aClientThatLeavesDuringThePrefillAbortsItsRequest(String fields) throws Exception {
        proxy.close();
        SimulatedServer slow = stage.server(Stage.tokensOnly().timeToFirstToken(Duration.ofMinutes(5)));
        proxy = stage.proxy(pool("bulk", "none", slow.uri()) + pool("chat", "proxy", slow.uri()));
        try (Socket socket = stage.open(body(fields))) {
            slow.await("the request has arrived", Stage.LIMIT, () -> slow.activeRequests() == 1);
            assertThat(socket.isConnected()).isTrue();
        }
        slow.await("the request is aborted", Stage.LIMIT, () -> !slow.abortedRequestIds().isEmpty());
        slow.await("its connection is closed", Stage.LIMIT, () -> slow.openConnections() == 0);
        eventually("the client's connection is closed", () -> proxy.connections() == 0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock = """
            close         | 502 | upstream-broken
            reset         | 502 | upstream-broken
            garbage-head  | 502 | upstream-broken
            html          | 502 | upstream-bad-answer
            status@0=500  | 500 | upstream-refused
            status@0=429  | 429 | upstream-refused
            """)
    void aServerThatFailsBeforeTheFirstByte(String fault, int status, String slug) throws Exception {
        for (String fields : List.of("\"zzz\":1", "\"stream\":true", STREAM, "\"output_mode\":\"text\"")) {
            server.direct(request -> Script.faults(Fault.parse(fault).toArray(Fault[]::new)));
            HttpResponse<String> answer = stage.post(body(fields));
            assertThat(answer.statusCode()).as(fields + answer.body()).isEqualTo(status);
            assertThat(answer.headers().firstValue("X-Glyphgate-Error")).hasValue(slug);
            assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
            assertThat(json(answer.body()).at("/error/message").asText()).isNotBlank();
        }
    }

    @Test
    void aServersRetryAfterReachesTheClient() throws Exception {
        server.direct(request -> Script.faults(Fault.of(Fault.Kind.STATUS).with(429)));
        assertThat(stage.post(body("\"stream\":true")).headers().firstValue("Retry-After")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"close@2", "reset@2", "cut@2", "garbage-chunk@2", "garbage-event@2"})
    void aServerThatFailsInMidStream(String fault) throws Exception {
        for (String fields : List.of("\"stream\":true", STREAM)) {
            script("one two three four five six", fault);
            HttpResponse<String> answer = stage.post(body(fields));
            assertThat(answer.statusCode()).isEqualTo(200);
            List<JsonNode> events = events(answer.body());
            assertThat(events.getLast().at("/error/code").asInt()).as(answer.body()).isEqualTo(502);
            assertThat(events).filteredOn(event -> event.has("error")).hasSize(1);
        }
        assertThat(stage.get("/metrics").body())
                .contains("glyphgate_streams_failed_total{mode=\"text\",pool=\"chat\"} 1.0");
    }

    @Test
    void whatIsHeldBackComesBeforeTheErrorWhenAServerDies() throws Exception {
        script("one < two", "close@2");
        String context = "\"output_mode\":\"derender\",\"stream\":true,\"parse_context\":{\"chat_template_kwargs\":{\"enable_thinking\":false}}";
        List<JsonNode> events = events(stage.post(body(context)).body());
        StringBuilder content = new StringBuilder();
        events.forEach(event -> content.append(event.at("/choices/0/delta/content").asText("")));
        assertThat(content.toString()).isEqualTo("one <");
        assertThat(events.get(events.size() - 2).at("/choices/0/finish_reason").asText()).isEqualTo("error");
        assertThat(events.getLast().at("/error/code").asInt()).isEqualTo(502);
    }

    @Test
    void anErrorEventOfAServerIsPassedOnAndCounted() throws Exception {
        script("one two three four", "error-event@2");
        List<JsonNode> events = events(stage.post(body(STREAM)).body());
        assertThat(events).filteredOn(event -> event.has("error")).hasSize(1);
        assertThat(stage.get("/metrics").body())
                .contains("glyphgate_streams_failed_total{mode=\"text\",pool=\"chat\"} 1.0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"close@0", "cut@0", "error-body", "wrong-length"})
    void aServerThatFailsInABatchAnswer(String fault) throws Exception {
        for (String fields : List.of("\"zzz\":1", "\"output_mode\":\"text\"")) {
            script("one two", fault);
            HttpResponse<String> answer = stage.post(body(fields));
            assertThat(answer.statusCode()).as(fault + fields + answer.body()).isEqualTo(502);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"crlf", "comments", "multiline", "split@0=1", "split@0=7", "no-done"})
    void aServerThatWritesItsStreamInAnotherWay(String fault) throws Exception {
        script("one two 🛶 three", fault);
        StringBuilder text = new StringBuilder();
        events(stage.post(body(STREAM)).body()).forEach(event -> text.append(event.at("/choices/0/text").asText("")));
        assertThat(text.toString()).isEqualTo("one two 🛶 three");
    }

    @Test
    void aConnectionThatWentStaleIsReplaced() throws Exception {
        for (String fault : List.of("close-after", "stale", "close-after", "stale")) {
            script("one", fault);
            assertThat(stage.post(body(STREAM)).statusCode()).isEqualTo(200);
        }
        assertThat(stage.post(body(STREAM)).statusCode()).isEqualTo(200);
    }

    @Test
    void anEncodedAnswerThatNobodyAskedForIsNotReadAsText() throws Exception {
        script("one", "gzip");
        HttpResponse<String> answer = stage.post(body("\"output_mode\":\"text\""));
        assertThat(answer.statusCode()).isEqualTo(502);
        assertThat(answer.body()).contains("gzip");
    }

    @Test
    void aServerThatIsDeadLeavesTheWorkToTheNext() throws Exception {
        proxy.close();
        proxy = stage.proxy(pool("bulk", "none", Stage.nobody(), Stage.nobody(), server.uri()));
        for (int i = 0; i < 6; i++) {
            assertThat(stage.post(body("")).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void aPoolThatIsDownLeavesTheWorkToAWiderOne() throws Exception {
        proxy.close();
        proxy = stage.proxy(pool("bulk", "none", Stage.nobody()) + pool("chat", "proxy", server.uri()));
        HttpResponse<String> answer = stage.post(body(""));
        assertThat(answer.headers().firstValue("X-Glyphgate-Pool")).hasValue("chat");
    }

    @Test
    void noServerAtAllIsServiceUnavailable() throws Exception {
        proxy.close();
        proxy = stage.proxy(pool("bulk", "none", Stage.nobody()));
        HttpResponse<String> answer = stage.post(body(""));
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        assertThat(answer.headers().firstValue("X-Glyphgate-Error")).hasValue("no-endpoint");
    }

    @Test
    void aServerThatFallsSilentIsCut() throws Exception {
        proxy.close();
        proxy = stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0 }
                upstream: { between-bytes: 300ms }
                models: { m: {} }
                pools: { bulk: { model: m, tokenizer: none, endpoints: [%s] } }
                """.formatted(server.uri()));
        script("one two three four", "stall@2");
        List<JsonNode> events = events(stage.post(body("\"stream\":true")).body());
        assertThat(events.getLast().at("/error/code").asInt()).isEqualTo(504);
    }

    @Test
    void aServerThatNeverAnswersIsCut() throws Exception {
        proxy.close();
        proxy = stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0 }
                upstream: { first-byte: 300ms }
                models: { m: {} }
                pools: { bulk: { model: m, tokenizer: none, endpoints: [%s] } }
                """.formatted(server.uri()));
        script("one", "stall");
        HttpResponse<String> answer = stage.post(body("\"stream\":true"));
        assertThat(answer.statusCode()).isEqualTo(504);
        assertThat(answer.headers().firstValue("X-Glyphgate-Error")).hasValue("upstream-timeout");
    }

    @Test
    void aSilentStreamIsKeptAlive() throws Exception {
        proxy.close();
        proxy = stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0 }
                clients: { keep-alive: 200ms }
                models: { m: {} }
                pools: { bulk: { model: m, tokenizer: none, endpoints: [%s] } }
                """.formatted(server.uri()));
        script("one two three", "stall@1=900ms");
        HttpResponse<String> answer = stage.post(body("\"stream\":true"));
        assertThat(answer.body()).contains(": keep-alive\n\n");
        assertThat(events(answer.body()).getLast().at("/choices/0/finish_reason").isTextual()).isTrue();
    }

    @Test
    void aClientThatTakesNoBytesIsCut() throws Exception {
        proxy.close();
        proxy = stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0 }
                clients: { stall: 300ms }
                models: { m: {} }
                pools: { bulk: { model: m, tokenizer: none, endpoints: [%s] } }
                """.formatted(server.uri()));
        server.direct(request -> Script.NONE);
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(4096);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port()));
            byte[] request = body("\"stream\":true", "{\"max_tokens\":30000,\"ignore_eos\":true,\"logprobs\":20}").getBytes(StandardCharsets.UTF_8);
            socket.getOutputStream().write(("POST " + Stage.GENERATE + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                            + "Content-Length: " + request.length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(request);
            server.await("the request is aborted", Stage.LIMIT, () -> !server.abortedRequestIds().isEmpty());
        }
    }

    @Test
    void aClientThatLeavesAtOnceAbortsItsRequestOnAUsedConnection() throws Exception {
        for (int i = 0; i < 20; i++) {
            script("one", "");
            assertThat(stage.post(body(STREAM)).statusCode()).isEqualTo(200);
            script("one two three", "stall@1");
            stage.open(body(STREAM)).close();
        }
        server.await("all requests have ended", Stage.LIMIT, () -> server.activeRequests() == 0);
        eventually("nothing runs", () -> proxy.inFlight() == 0);
        server.await("no connection is left", Stage.LIMIT, () -> server.openConnections() == 0);
    }

    @Test
    void whatTheStopCutsIsTold() throws Exception {
        proxy.close();
        Proxy stopping = stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0, drain: 300ms }
                models: { m: {} }
                pools: { bulk: { model: m, tokenizer: none, endpoints: [%s] } }
                """.formatted(server.uri()));
        proxy = stopping;
        script("one two three", "stall@1");
        CompletableFuture<HttpResponse<String>> answer = CompletableFuture.supplyAsync(() -> {
            try {
                return stage.post(body("\"stream\":true"));
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        server.await("the request has arrived", Stage.LIMIT, () -> server.activeRequests() == 1);
        eventually("it is in flight", () -> stopping.inFlight() == 1);
        stopping.close();
        List<JsonNode> events = events(answer.get().body());
        assertThat(events.getLast().at("/error/code").asInt()).isEqualTo(503);
    }

    @Test
    void aPortThatIsTakenIsAnError() {
        assertThatThrownBy(() -> stage.proxyOf("""
                server: { host: 127.0.0.1, port: %d }
                models: { m: {} }
                pools: { bulk: { model: m, tokenizer: none, endpoints: [%s] } }
                """.formatted(server.port(), server.uri())))
                .hasMessageContaining("cannot listen on 127.0.0.1:" + server.port());
    }

    @ParameterizedTest
    @ValueSource(strings = {"r1", "generate-tokens-r1"})
    void anAbortByIdEndsTheStreamWithItsReason(String id) throws Exception {
        script("one two three four", "stall@2=20s");
        CompletableFuture<HttpResponse<String>> answer = CompletableFuture.supplyAsync(() -> {
            try {
                return stage.post(body(STREAM));
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        server.await("the request has arrived", Stage.LIMIT, () -> server.activeRequests() == 1);
        HttpResponse<String> abort =
                stage.post(stage.uri(), "/inference/v1/abort_requests", "{\"request_ids\":[\"" + id + "\"]}");
        assertThat(abort.statusCode()).isEqualTo(200);
        List<JsonNode> events = events(answer.get().body());
        assertThat(events.getLast().at("/choices/0/finish_reason").asText()).isEqualTo("abort");
        assertThat(server.abortedRequestIds()).containsExactly("generate-tokens-r1");
    }

    @Test
    void manyRequestsOneAfterTheOtherUseFewConnections() throws Exception {
        for (int i = 0; i < 30; i++) {
            script("one two", "");
            assertThat(stage.post(body(i % 2 == 0 ? STREAM : "\"zzz\":1")).statusCode()).isEqualTo(200);
        }
        assertThat(server.openConnections()).isLessThanOrEqualTo(2);
    }

    private void script(String output, String faults) {
        server.direct(request -> Script.tokens(encode(output)).failing(Fault.parse(faults)));
    }

    private static void readUntil(Socket socket, String text) throws IOException {
        StringBuilder seen = new StringBuilder();
        byte[] part = new byte[1024];
        while (seen.indexOf(text) < 0) {
            int count = socket.getInputStream().read(part);
            if (count < 0) {
                throw new AssertionError("the connection ended before '" + text + "': " + seen);
            }
            seen.append(new String(part, 0, count, StandardCharsets.UTF_8));
        }
    }
}
