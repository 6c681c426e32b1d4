package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static io.glyphgate.proxy.boot.Stage.encode;
import static io.glyphgate.proxy.boot.Stage.events;
import static io.glyphgate.proxy.boot.Stage.eventually;
import static io.glyphgate.proxy.boot.Stage.pool;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.simulator.Fault;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.proxy.simulator.SimulatorOptions.Connector;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of a proxy: load balancers notice, streams end by themselves, and nothing idle holds it up. */
class DrainTest {
    private static final String REQUEST = "GET %s HTTP/1.1\r\nHost: x\r\n\r\n";

    @TempDir
    private Path folder;

    private Stage stage;
    private SimulatedServer server;

    @BeforeEach
    void start() {
        stage = new Stage(folder);
        server = stage.server(Stage.tokensOnly());
    }

    @AfterEach
    void stop() {
        stage.close();
    }

    private Proxy proxy(String serverKeys) {
        return stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0, %s }
                models: { m: {} }
                pools:
                %s
                """.formatted(serverKeys, pool("bulk", "none", server.uri()).indent(2)));
    }

    private CompletableFuture<HttpResponse<String>> stream(String pause) throws InterruptedException {
        server.direct(request -> Script.tokens(encode("one two three four")).failing(Fault.parse(pause)));
        CompletableFuture<HttpResponse<String>> answer = CompletableFuture.supplyAsync(() -> {
            try {
                return stage.post(body("\"stream\":true"));
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        server.await("the request has arrived", Stage.LIMIT, () -> server.activeRequests() == 1);
        return answer;
    }

    private static Socket connect(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout((int) Stage.LIMIT.toMillis());
        return socket;
    }

    /** Asks on a connection, and gives what comes until the body can have come. */
    private static String ask(Socket socket, String path) throws IOException {
        socket.getOutputStream().write(REQUEST.formatted(path).getBytes(StandardCharsets.US_ASCII));
        StringBuilder answer = new StringBuilder();
        byte[] part = new byte[4096];
        while (answer.indexOf("\r\n\r\n") < 0) {
            int count = socket.getInputStream().read(part);
            if (count < 0) {
                throw new AssertionError("the connection ended behind: " + answer);
            }
            answer.append(new String(part, 0, count, StandardCharsets.ISO_8859_1));
        }
        return answer.toString();
    }

    @Test
    void loadBalancersNoticeBeforeNobodyCanConnect() throws Exception {
        Proxy proxy = proxy("drain: 20s, drain-delay: 3s");
        int port = proxy.port();
        CompletableFuture<HttpResponse<String>> stream = stream("stall@2=5s");
        try (Socket kept = connect(port)) {
            assertThat(ask(kept, "/ready")).startsWith("HTTP/1.1 200").doesNotContainIgnoringCase("connection: close");
            Thread stopping = Thread.ofPlatform().start(proxy::stop);

            eventually("it is not ready", () -> {
                try {
                    return stage.get("/ready").statusCode() == 503;
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(stage.get("/readiness").body()).contains("\"ko\"");
            assertThat(stage.get("/health").statusCode()).isEqualTo(200);
            server.direct(request -> Script.tokens(encode("one two three four")));
            assertThat(stage.post(body("")).statusCode()).as("a request on a new connection").isEqualTo(200);
            assertThat(ask(kept, "/health")).startsWith("HTTP/1.1 200").containsIgnoringCase("connection: close");
            assertThat(kept.getInputStream().read()).as("the end of the kept connection").isNegative();

            eventually("nobody can connect any more", () -> {
                try (Socket late = connect(port)) {
                    return !late.isConnected();
                } catch (ConnectException e) {
                    return true;
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(stream).as("the stream goes on").isNotDone();
            List<JsonNode> events = events(stream.get().body());
            assertThat(events).noneMatch(event -> event.has("error"));
            assertThat(events.getLast().at("/choices/0/finish_reason").asText()).isEqualTo("stop");
            stopping.join();
        }
    }

    @Test
    void connectionsOnWhichNothingHappensDoNotHoldItUp() throws Exception {
        Proxy proxy = proxy("drain: 60s");
        int port = proxy.port();
        try (Socket silent = connect(port); Socket idle = connect(port); Socket half = connect(port)) {
            assertThat(ask(idle, "/ready")).startsWith("HTTP/1.1 200");
            half.getOutputStream().write("GET /ready HTTP/1.1\r\nHos".getBytes(StandardCharsets.US_ASCII));
            eventually("all are open", () -> proxy.connections() == 3);
            CompletableFuture<HttpResponse<String>> stream = stream("stall@2=1s");

            CompletableFuture.runAsync(proxy::close).get(20, TimeUnit.SECONDS);

            assertThat(stream.get().body()).endsWith("data: [DONE]\n\n").doesNotContain("\"error\"");
            assertThat(proxy.connections()).isZero();
            assertThat(silent.getInputStream().read()).isNegative();
            assertThat(idle.getInputStream().read()).isNegative();
        }
    }

    @Test
    void whatIsOverTheLimitIsToldAndCut() throws Exception {
        Proxy proxy = proxy("drain: 300ms");
        CompletableFuture<HttpResponse<String>> stream = stream("stall@1");
        eventually("it is in flight", () -> proxy.inFlight() == 1);
        proxy.close();
        assertThat(events(stream.get().body()).getLast().at("/error/code").asInt()).isEqualTo(503);
        assertThat(proxy.inFlight()).isZero();
        assertThat(proxy.generations()).isZero();
    }

    @Test
    void promptsThatAreHeldAreReleasedBeforeTheEnd() throws Exception {
        SimulatedServer prefill = stage.server(Stage.tokensOnly().connector(Connector.NIXL));
        SimulatedServer decode = stage.server(Stage.tokensOnly().connector(Connector.NIXL));
        Proxy proxy = stage.proxy("""
                p: { model: m, role: prefill, tokenizer: none, endpoints: [%s], kv: { connector: nixl } }
                d: { model: m, role: decode, tokenizer: proxy, endpoints: [%s] }
                """.formatted(prefill.uri(), decode.uri()));
        decode.enqueue(
                Script.faults(Fault.of(Fault.Kind.STATUS).with(400)),
                Script.tokens(encode("x")).failing(Fault.parse("stall=5s")));
        assertThat(stage.post(body("")).statusCode()).isEqualTo(400);
        decode.await("it is being released", Stage.LIMIT, () -> decode.activeRequests() == 1);
        proxy.close();
        decode.await("it was released before the end", Duration.ofSeconds(2), () -> decode.activeRequests() == 0);
        assertThat(decode.abortedRequestIds()).isEmpty();
        assertThat(prefill.heldPrompts()).isZero();
    }

    @Test
    void aProxyThatStopsTakesUpNoChange() {
        Proxy proxy = proxy("drain: 1s");
        int port = proxy.port();
        proxy.close();
        assertThat(proxy.reload("test").good()).isFalse();
        assertThat(proxy.generations()).isZero();
        assertThatThrownBy(() -> connect(port)).isInstanceOf(ConnectException.class);
    }
}
