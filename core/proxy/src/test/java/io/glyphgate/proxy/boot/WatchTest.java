package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static io.glyphgate.proxy.boot.Stage.encode;
import static io.glyphgate.proxy.boot.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.proxy.simulator.Fault;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that die, hang, fail, do not fit, come and go: the proxy sees it, leaves them alone, and takes them back. */
class WatchTest {
    private static final String FAST = "watch: { health: { interval: 100ms, timeout: 500ms, unhealthy-after: 2, healthy-after: 1 },"
            + " no-progress: 0s, slow-start: 0s }";
    private static final String NO_CHECKS = "health: { interval: 0s }, slow-start: 0s";

    @TempDir
    private Path folder;

    private Stage stage;
    private SimulatedServer good;
    private SimulatedServer bad;

    @BeforeEach
    void start() {
        stage = new Stage(folder);
        good = stage.server(Stage.tokensOnly());
        bad = stage.server(Stage.tokensOnly());
    }

    @AfterEach
    void stop() {
        stage.close();
    }

    private Proxy proxy(String pool) {
        return proxy("misfit: ignore", pool);
    }

    private Proxy proxy(String upstream, String pool) {
        return stage.watchingProxyOf("""
                server: { host: 127.0.0.1, port: 0, drain: 1s }
                models: { m: {} }
                upstream: { tokenizer-mismatch: ignore, %s }
                pools:
                  bulk: { model: m, tokenizer: none, policy: round-robin, %s }
                """.formatted(upstream, pool));
    }

    private static String endpoints(URI... uris) {
        return "endpoints: " + List.of(uris) + ", ";
    }

    private String metrics() {
        try {
            return stage.get("/metrics").body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void awaitState(SimulatedServer server, String state) {
        awaitMetric("glyphgate_endpoint_state{endpoint=\"" + server.uri() + "\",pool=\"bulk\",state=\"" + state + "\"} 1.0");
    }

    private void awaitMetric(String line) {
        eventually(line, () -> metrics().contains(line));
    }

    private long generated(SimulatedServer server) {
        return server.requests().stream().filter(request -> request.path().equals(Stage.GENERATE)).count();
    }

    private int status() throws Exception {
        return stage.post(body("\"zzz\":1")).statusCode();
    }

    @Test
    void aServerWhoseChecksFailIsLeftAloneUntilTheyAreGood() throws Exception {
        proxy(endpoints(bad.uri(), good.uri()) + FAST);
        bad.direct(request -> request.path().equals("/health") ? Script.faults(Fault.of(Fault.Kind.STATUS).with(503)) : Script.NONE);
        awaitState(bad, "unhealthy");
        for (int i = 0; i < 6; i++) {
            assertThat(status()).isEqualTo(200);
        }
        assertThat(generated(bad)).isZero();
        bad.direct(request -> Script.NONE);
        awaitState(bad, "up");
        for (int i = 0; i < 4; i++) {
            assertThat(status()).isEqualTo(200);
        }
        assertThat(generated(bad)).isEqualTo(2);
        assertThat(metrics()).containsPattern("glyphgate_health_checks_total\\{endpoint=\"" + bad.uri() + "\",pool=\"bulk\",result=\"unhealthy\"\\} [1-9]");
    }

    @Test
    void aServerThatDiesAndComesBackIsUsedAgain() throws Exception {
        proxy(endpoints(bad.uri(), good.uri()) + FAST);
        int port = bad.port();
        bad.close();
        awaitState(bad, "unhealthy");
        assertThat(status()).isEqualTo(200);
        SimulatedServer back = stage.server(Stage.tokensOnly().port(port));
        awaitState(bad, "up");
        eventually("it is used", () -> {
            try {
                return status() == 200 && generated(back) > 0;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void aServerThatHangsAtItsCheckIsUnhealthy() {
        proxy(endpoints(bad.uri(), good.uri()) + FAST);
        bad.direct(request -> Script.faults(Fault.of(Fault.Kind.STALL)));
        awaitState(bad, "unhealthy");
    }

    @Test
    void aHealthPathThatDoesNotExistSaysNothing() throws Exception {
        proxy(endpoints(good.uri()) + "watch: { health: { path: /nothing, interval: 100ms, unhealthy-after: 1 } }");
        good.await("it was asked some times", Stage.LIMIT, () -> good.requests().size() > 2);
        assertThat(status()).isEqualTo(200);
        assertThat(metrics()).contains("state=\"up\"} 1.0");
    }

    @Test
    void aServerOnWhichRequestsFailIsEjectedThenTriedAndTakenBack() throws Exception {
        proxy(endpoints(bad.uri(), good.uri()) + "watch: { " + NO_CHECKS + ", ejection: { failures: 2, time: 300ms } }");
        bad.direct(request -> Script.faults(Fault.of(Fault.Kind.STATUS).with(500)));
        for (int i = 0; i < 4; i++) {
            assertThat(status()).isIn(200, 500);
        }
        assertThat(metrics()).contains(
                "glyphgate_endpoint_ejections_total{endpoint=\"" + bad.uri() + "\",pool=\"bulk\",reason=\"server-error\"} 1.0");
        awaitState(bad, "half-open");
        status(); // one of the two tries it
        status();
        awaitMetric("glyphgate_endpoint_ejections_total{endpoint=\"" + bad.uri() + "\",pool=\"bulk\",reason=\"server-error\"} 2.0");
        bad.direct(request -> Script.NONE);
        awaitState(bad, "half-open");
        assertThat(status()).isEqualTo(200);
        assertThat(status()).isEqualTo(200);
        assertThat(metrics()).contains("glyphgate_endpoint_state{endpoint=\"" + bad.uri() + "\",pool=\"bulk\",state=\"up\"} 1.0");
    }

    @Test
    void aBusyServerIsNotEjected() throws Exception {
        proxy(endpoints(bad.uri(), good.uri()) + "watch: { " + NO_CHECKS + ", ejection: { failures: 1 } }");
        for (int code : new int[] {429, 503, 400}) {
            bad.direct(request -> Script.faults(Fault.of(Fault.Kind.STATUS).with(code)));
            status();
            status();
        }
        assertThat(metrics()).contains("glyphgate_endpoint_state{endpoint=\"" + bad.uri() + "\",pool=\"bulk\",state=\"up\"} 1.0");
    }

    @Test
    void aServerThatBreaksOffBehindItsHeadIsEjected() throws Exception {
        proxy(endpoints(bad.uri(), good.uri()) + "watch: { " + NO_CHECKS + ", ejection: { failures: 1 } }");
        bad.direct(request -> Script.faults(Fault.parse("close@0").toArray(Fault[]::new)));
        stage.post(body("\"stream\":true"));
        stage.post(body("\"stream\":true"));
        awaitState(bad, "ejected");
        assertThat(metrics()).contains("endpoint=\"" + bad.uri() + "\",pool=\"bulk\",reason=\"broken\"} 1.0");
    }

    @Test
    void aServerWhoseStreamsAllStandStillIsEjectedAlthoughItIsHealthy() throws Exception {
        proxy(endpoints(bad.uri(), good.uri())
                + "watch: { health: { interval: 100ms }, no-progress: 400ms, slow-start: 0s, ejection: { time: 1h, max-time: 1h } }");
        bad.direct(request -> request.path().equals(Stage.GENERATE)
                ? Script.tokens(encode("one two three")).failing(Fault.parse("stall@2"))
                : Script.NONE);
        try (Socket one = stage.open(body("\"stream\":true")); Socket other = stage.open(body("\"stream\":true"))) {
            assertThat(one.isConnected() && other.isConnected()).isTrue();
            awaitState(bad, "ejected");
            long before = generated(bad);
            for (int i = 0; i < 4; i++) {
                assertThat(status()).isEqualTo(200);
            }
            assertThat(generated(bad)).isEqualTo(before);
        }
        assertThat(metrics())
                .contains("endpoint=\"" + bad.uri() + "\",pool=\"bulk\",reason=\"no-progress\"} 1.0")
                .contains("result=\"healthy\"");
    }

    @Test
    void aServerThatDoesNotFitIsNotUsedUntilItDoes() throws Exception {
        SimulatedServer closed = stage.server(Stage.tokensOnly().model("another"));
        int port = closed.port();
        proxy("misfit: warn, probe-interval: 1s", endpoints(closed.uri(), good.uri()) + "watch: { " + NO_CHECKS + " }");
        awaitState(closed, "unfit");
        for (int i = 0; i < 4; i++) {
            assertThat(status()).isEqualTo(200);
        }
        assertThat(closed.requests()).noneMatch(request -> request.body().contains("zzz"));
        closed.close();
        SimulatedServer mended = stage.server(Stage.tokensOnly().port(port));
        awaitState(mended, "up");
    }

    @Test
    void aServerThatDoesNotFitStopsTheStartIfSoWished() {
        SimulatedServer other = stage.server(Stage.tokensOnly().model("another"));
        assertThatThrownBy(() -> proxy("misfit: fail", endpoints(good.uri(), other.uri(), Stage.nobody()) + FAST))
                .hasMessageContaining("pool 'bulk', " + other.uri() + ": it does not serve 'm'")
                .hasMessageContaining("upstream.misfit: fail")
                .hasMessageNotContaining(good.uri().toString());
    }

    @Test
    void aServerThatIsDownDoesNotStopTheStart() throws Exception {
        proxy("misfit: fail", endpoints(Stage.nobody(), good.uri()) + FAST);
        assertThat(status()).isEqualTo(200);
    }

    @Test
    void aBusyServerIsNotHeldUnfit() throws Exception {
        good.direct(request -> request.path().equals(Stage.GENERATE)
                ? Script.faults(Fault.of(Fault.Kind.STATUS).with(503))
                : Script.NONE);
        proxy("misfit: fail", endpoints(good.uri()) + "watch: { " + NO_CHECKS + " }");
        good.direct(request -> Script.NONE);
        assertThat(status()).isEqualTo(200);
    }

    @Test
    void serversComeAndGoWithTheirFile() throws Exception {
        Path file = folder.resolve("servers.txt");
        Files.writeString(file, bad.uri() + "\n");
        proxy("discovery: { name: file, path: servers.txt, interval: 100ms }, watch: { " + NO_CHECKS + " }");
        awaitMetric("glyphgate_discovered_endpoints{pool=\"bulk\"} 1.0");
        bad.direct(request -> Script.tokens(encode("one two three four")).failing(Fault.parse("stall@2=1500ms")));
        CompletableFuture<HttpResponse<String>> running = CompletableFuture.supplyAsync(() -> post("\"stream\":true"));
        bad.await("it is at work", Stage.LIMIT, () -> bad.activeRequests() == 1);

        Files.writeString(file, good.uri() + "\n");
        awaitMetric("glyphgate_in_flight{endpoint=\"" + good.uri() + "\",pool=\"bulk\"} 0.0");
        eventually("its meters have gone", () -> !metrics().contains(bad.uri().toString()));
        for (int i = 0; i < 3; i++) {
            assertThat(status()).isEqualTo(200);
        }
        assertThat(generated(good)).isEqualTo(3);
        assertThat(generated(bad)).isEqualTo(1);
        assertThat(Stage.events(running.get().body()).getLast().at("/choices/0/finish_reason").asText()).isNotBlank();

        Files.writeString(file, "nonsense\n");
        awaitMetric("glyphgate_discovery_failures_total{pool=\"bulk\"} 1.0");
        assertThat(status()).isEqualTo(200);
    }

    private HttpResponse<String> post(String fields) {
        try {
            return stage.post(body(fields));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aProxyWithoutServersIsNotReady() throws Exception {
        proxy(endpoints(good.uri()) + FAST);
        assertThat(stage.get("/ready").statusCode()).isEqualTo(200);
        good.direct(request -> Script.faults(Fault.of(Fault.Kind.STATUS).with(503)));
        awaitState(good, "unhealthy");
        assertThat(stage.get("/ready").statusCode()).isEqualTo(503);
        assertThat(stage.get("/health").statusCode()).isEqualTo(200);
        good.direct(request -> Script.NONE);
        awaitState(good, "up");
        assertThat(stage.get("/ready").statusCode()).isEqualTo(200);
    }

    @Test
    void whenItIsReadyIsAMatterOfTheConfiguration() throws Exception {
        for (String when : List.of("any-model", "every-model", "started")) {
            Proxy proxy = stage.watchingProxyOf("""
                    server: { host: 127.0.0.1, port: 0, drain: 1s, ready: %s }
                    models: { m: {}, n: {} }
                    upstream: { misfit: ignore }
                    pools:
                      up: { model: m, tokenizer: none, endpoints: [%s], %s }
                      down: { model: n, tokenizer: none, endpoints: [%s], %s }
                    """.formatted(when, good.uri(), FAST, Stage.nobody(), FAST));
            awaitMetric("pool=\"down\",state=\"unhealthy\"} 1.0");
            assertThat(stage.get("/ready").statusCode()).as(when).isEqualTo(when.equals("every-model") ? 503 : 200);
            proxy.close();
        }
    }
}
