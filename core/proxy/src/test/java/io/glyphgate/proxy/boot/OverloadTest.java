package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static io.glyphgate.proxy.boot.Stage.eventually;
import static io.glyphgate.proxy.boot.Stage.json;
import static io.glyphgate.proxy.boot.Stage.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.simulator.Fault;
import io.glyphgate.proxy.simulator.ReceivedRequest;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.proxy.simulator.SimulatorOptions.Connector;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** More requests than the limits allow: who waits, who goes first, who is turned away, and nothing stays open. */
class OverloadTest {
    /** A request whose answer comes never; its client must leave. */
    private static final String HOLDS = "\"zzz\":\"holds\",\"stream\":true";

    @TempDir
    private Path folder;

    private Stage stage;
    private SimulatedServer server;
    private Proxy proxy;

    @BeforeEach
    void start() {
        stage = new Stage(folder);
        server = server(Connector.NONE);
        proxy = stage.proxy(pool("bulk", "none", server.uri()));
    }

    @AfterEach
    void nothingStaysOpen() throws Exception {
        server.await("no request is active", Stage.LIMIT, () -> server.activeRequests() == 0);
        eventually("nothing is in flight", () -> proxy.inFlight() == 0 && proxy.running() == 0 && proxy.watched() == 0);
        assertThat(metrics()).doesNotContainPattern("glyphgate_queue_length\\{[^}]*} [1-9]");
        assertThat(metrics()).doesNotContainPattern("glyphgate_in_flight\\{[^}]*} [1-9]");
        stage.close();
    }

    private SimulatedServer server(Connector connector) {
        SimulatedServer started = stage.server(Stage.tokensOnly().connector(connector));
        started.direct(request -> request.body().contains("holds")
                ? Script.NONE.failing(Fault.parse("stall@1"))
                : Script.tokens(1, 2));
        return started;
    }

    private void limited(String limits) {
        proxy = stage.proxy("bulk: { model: m, tokenizer: none, endpoints: [" + server.uri() + "], limits: { in-flight-per-endpoint: 1"
                + limits + " } }\n");
    }

    private String metrics() {
        try {
            return stage.get("/metrics").body();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> asked(SimulatedServer server) {
        return server.requests().stream()
                .filter(request -> request.path().equals(Stage.GENERATE))
                .map(ReceivedRequest::body)
                .toList();
    }

    /** A client that keeps the server busy until it leaves. */
    private Socket holding() throws Exception {
        Socket socket = stage.open(body(HOLDS));
        server.await("it is served", Stage.LIMIT, () -> server.activeRequests() == 1);
        return socket;
    }

    private CompletableFuture<HttpResponse<String>> later(String body) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return stage.post(body);
                    } catch (IOException | InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                task -> Thread.ofVirtual().start(task));
    }

    private void awaitQueue(String pool, int length) {
        eventually(length + " wait", () -> metrics().contains("glyphgate_queue_length{pool=\"" + pool + "\"} " + length + ".0"));
    }

    private static <T> T of(CompletableFuture<T> future) throws Exception {
        return future.get(Stage.LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    private static void rejected(HttpResponse<String> answer, String slug) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(429);
        assertThat(answer.headers().firstValue("X-Glyphgate-Error")).hasValue(slug);
        assertThat(answer.headers().firstValueAsLong("Retry-After").orElseThrow()).isBetween(1L, 60L);
        assertThat(json(answer.body()).at("/error/type").asText()).isEqualTo("TooManyRequestsError");
    }

    @Test
    void whoWaitsIsServedByPriority() throws Exception {
        limited(", queue-wait: 1m");
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        try (Socket busy = holding()) {
            int[] priorities = {5, 0, -1};
            for (int i = 0; i < priorities.length; i++) {
                answers.add(later(body("\"priority\":" + priorities[i])));
                awaitQueue("bulk", i + 1);
            }
            assertThat(busy.isConnected()).isTrue();
        }
        for (CompletableFuture<HttpResponse<String>> answer : answers) {
            assertThat(of(answer).statusCode()).isEqualTo(200);
        }
        assertThat(asked(server).stream().skip(1).map(body -> json(body).path("priority").asInt())).containsExactly(-1, 0, 5);
        assertThat(metrics()).contains("glyphgate_queue_wait_seconds_count{outcome=\"served\",pool=\"bulk\"} 3");
    }

    @Test
    void aClientThatLeavesTheQueueIsForgotten() throws Exception {
        limited(", queue-wait: 1m");
        try (Socket busy = holding()) {
            stage.open(body("")).close();
            Socket waits = stage.open(body(""));
            awaitQueue("bulk", 1);
            waits.close();
            awaitQueue("bulk", 0);
            assertThat(busy.isConnected()).isTrue();
        }
        eventually("all have left", () -> proxy.inFlight() == 0);
        assertThat(asked(server)).hasSize(1);
        assertThat(stage.post(body("")).statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"r2", "generate-tokens-r2"})
    void anAbortByIdEndsTheWaiting(String id) throws Exception {
        limited(", queue-wait: 1m");
        try (Socket busy = holding()) {
            CompletableFuture<HttpResponse<String>> answer = later(body("").replace("\"r1\"", "\"r2\""));
            awaitQueue("bulk", 1);
            assertThat(abort(id).statusCode()).isEqualTo(200);
            aborted(of(answer));
            awaitQueue("bulk", 0);
            assertThat(busy.isConnected()).isTrue();
        }
        assertThat(asked(server)).hasSize(1);
        assertThat(server.requests()).noneMatch(request -> request.path().contains("abort"));
        assertThat(metrics()).contains("glyphgate_queue_wait_seconds_count{outcome=\"aborted\",pool=\"bulk\"} 1");
    }

    @Test
    void anAbortByIdEndsTheWaitingForAPrefillServer() throws Exception {
        SimulatedServer prefill = stage.server(
                Stage.tokensOnly().connector(Connector.NIXL).timeToFirstToken(Duration.ofMinutes(5)));
        proxy = stage.proxy("p: { model: m, role: prefill, tokenizer: none, endpoints: [" + prefill.uri()
                + "], kv: { connector: nixl }, limits: { in-flight-per-endpoint: 1, queue-wait: 1m } }\n"
                + "d: { model: m, role: decode, tokenizer: none, endpoints: [" + server.uri() + "] }\n");
        try (Socket busy = stage.open(body(""))) {
            prefill.await("it is served", Stage.LIMIT, () -> prefill.activeRequests() == 1);
            CompletableFuture<HttpResponse<String>> answer = later(body("").replace("\"r1\"", "\"r2\""));
            awaitQueue("p", 1);
            assertThat(abort("r2").statusCode()).isEqualTo(200);
            aborted(of(answer));
            assertThat(busy.isConnected()).isTrue();
        }
        assertThat(asked(server)).isEmpty();
    }

    private HttpResponse<String> abort(String id) throws Exception {
        return stage.post(stage.uri(), "/inference/v1/abort_requests", "{\"request_ids\":[\"" + id + "\"]}");
    }

    private static void aborted(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(409);
        assertThat(answer.headers().firstValue("X-Glyphgate-Error")).hasValue("aborted");
    }

    @Test
    void whoWaitsForTooLongIsTurnedAway() throws Exception {
        limited(", queue-wait: 200ms");
        try (Socket busy = holding()) {
            rejected(stage.post(body("")), "queue-timeout");
            assertThat(busy.isConnected()).isTrue();
        }
        assertThat(asked(server)).hasSize(1);
        assertThat(metrics())
                .contains("glyphgate_queue_rejections_total{pool=\"bulk\",reason=\"timeout\"} 1.0")
                .contains("glyphgate_refusals_total{slug=\"queue-timeout\"} 1.0")
                .contains("glyphgate_requests_total{mode=\"tokens\",pool=\"bulk\",status=\"429\"} 1.0");
    }

    @Test
    void whoFindsTheQueueFullIsTurnedAwayAtOnce() throws Exception {
        limited(", queue: 1, queue-wait: 1m");
        CompletableFuture<HttpResponse<String>> first;
        try (Socket busy = holding()) {
            first = later(body(""));
            awaitQueue("bulk", 1);
            rejected(stage.post(body("\"stream\":true")), "queue-full");
            assertThat(busy.isConnected()).isTrue();
        }
        assertThat(of(first).statusCode()).isEqualTo(200);
        assertThat(metrics()).contains("glyphgate_queue_rejections_total{pool=\"bulk\",reason=\"full\"} 1.0");
    }

    @Test
    void aWiderPoolTakesOverWhatTheNarrowOneHasNoRoomFor() throws Exception {
        SimulatedServer other = server(Connector.NONE);
        proxy = stage.proxy("bulk: { model: m, tokenizer: none, endpoints: [" + server.uri()
                + "], limits: { in-flight-per-endpoint: 1 } }\n" + pool("chat", "proxy", other.uri()));
        try (Socket busy = holding()) {
            HttpResponse<String> answer = stage.post(body(""));
            assertThat(answer.headers().firstValue("X-Glyphgate-Pool")).hasValue("chat");
            assertThat(busy.isConnected()).isTrue();
        }
        eventually("there is room again", () -> proxy.running() == 0);
        assertThat(stage.post(body("")).headers().firstValue("X-Glyphgate-Pool")).hasValue("bulk");
    }

    @Test
    void whoWaitsWhenTheProxyStopsIsTold() throws Exception {
        proxy = stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0, drain: 300ms }
                models: { m: {} }
                pools:
                  bulk: { model: m, tokenizer: none, endpoints: [%s], limits: { in-flight-per-endpoint: 1, queue-wait: 1m } }
                """.formatted(server.uri()));
        try (Socket busy = holding()) {
            CompletableFuture<HttpResponse<String>> waits = later(body(""));
            awaitQueue("bulk", 1);
            proxy.close();
            HttpResponse<String> answer = of(waits);
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(answer.headers().firstValue("X-Glyphgate-Error")).hasValue("cancelled");
            assertThat(busy.isConnected()).isTrue();
        }
        limited(""); // a proxy that can be looked at afterwards
    }

    @Test
    void questionsAboutTokensDoNotWait() throws Exception {
        server = stage.server(Stage.full());
        server.direct(request -> Script.NONE.failing(Fault.parse("stall@1")));
        proxy = stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0 }
                models: { m: {} }
                pools:
                  full: { model: m, tokenizer: upstream, endpoints: [%s], limits: { in-flight-per-endpoint: 1, queue: 0 } }
                """.formatted(server.uri()));
        try (Socket busy = holding()) {
            stage.post(stage.uri(), "/tokenize", "{\"model\":\"m\",\"prompt\":\"Hi\"}");
            assertThat(server.requests()).extracting(ReceivedRequest::path).contains("/tokenize");
            rejected(stage.post(body("")), "queue-full");
            assertThat(busy.isConnected()).isTrue();
        }
    }

    @Test
    void noPromptIsComputedForADecodeServerWithoutRoom() throws Exception {
        SimulatedServer prefill = server(Connector.NIXL);
        prefill.direct(request -> Script.NONE);
        server = server(Connector.NIXL);
        proxy = stage.proxy("""
                p: { model: m, role: prefill, tokenizer: none, endpoints: [%s] }
                d: { model: m, role: decode, tokenizer: none, endpoints: [%s], limits: { in-flight-per-endpoint: 1, queue-wait: 1m } }
                """.formatted(prefill.uri(), server.uri()));
        CompletableFuture<HttpResponse<String>> waits;
        try (Socket busy = holding()) {
            waits = later(body(""));
            awaitQueue("d", 1);
            assertThat(asked(prefill)).hasSize(1);
            Socket leaves = stage.open(body(""));
            awaitQueue("d", 2);
            leaves.close();
            awaitQueue("d", 1); // at once, although prompts are handed over here
            assertThat(busy.isConnected()).isTrue();
        }
        assertThat(of(waits).statusCode()).isEqualTo(200);
        assertThat(asked(prefill)).hasSize(2);
        prefill.await("nothing is held", Stage.LIMIT, () -> prefill.heldPrompts() == 0);
    }

    @ParameterizedTest
    @CsvSource({"decode-only, 200", "fail, 429"})
    void aPrefillPoolWithoutRoom(String policy, int status) throws Exception {
        SimulatedServer prefill =
                stage.server(Stage.tokensOnly().connector(Connector.NIXL).timeToFirstToken(Duration.ofMinutes(5)));
        server = server(Connector.NIXL);
        proxy = stage.proxy("""
                p: { model: m, role: prefill, tokenizer: none, endpoints: [%s], kv: { without-prefill: %s },
                     limits: { in-flight-per-endpoint: 1, queue: 0 } }
                d: { model: m, role: decode, tokenizer: none, endpoints: [%s] }
                """.formatted(prefill.uri(), policy, server.uri()));
        try (Socket busy = stage.open(body(""))) {
            prefill.await("its prompt is computed", Stage.LIMIT, () -> prefill.activeRequests() == 1);
            HttpResponse<String> answer = stage.post(body(""));
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
            if (status == 429) {
                rejected(answer, "queue-full");
            }
            assertThat(busy.isConnected()).isTrue();
        }
        assertThat(metrics()).contains("glyphgate_prefills_total{outcome=\"full\",pool=\"p\"} 1.0");
    }

    @ParameterizedTest
    @CsvSource({"NIXL, nixl", "NIXL_PUSH, nixl-push"})
    void limitsOnBothSidesOfAHandoverLetEveryRequestThrough(Connector connector, String name) throws Exception {
        SimulatedServer prefill = server(connector);
        server = server(connector);
        SimulatedServer second = server(connector);
        proxy = stage.proxy("""
                p: { model: m, role: prefill, tokenizer: none, endpoints: [%s], kv: { connector: %s },
                     limits: { in-flight-per-endpoint: 1, queue-wait: 1m } }
                d: { model: m, role: decode, tokenizer: none, endpoints: [%s, %s],
                     limits: { in-flight-per-endpoint: 1, queue-wait: 1m } }
                """.formatted(prefill.uri(), name, server.uri(), second.uri()));
        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                int number = i;
                answers.add(CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return stage.post(body("", "{\"max_tokens\":2}"), "X-Request-Id", "r-" + number);
                            } catch (IOException | InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        clients));
            }
            for (CompletableFuture<HttpResponse<String>> answer : answers) {
                assertThat(of(answer).statusCode()).as(of(answer).body()).isEqualTo(200);
            }
        }
        prefill.await("nothing is held", Stage.LIMIT, () -> prefill.heldPrompts() == 0);
        assertThat(asked(server).size() + asked(second).size()).isEqualTo(40);
    }
}
