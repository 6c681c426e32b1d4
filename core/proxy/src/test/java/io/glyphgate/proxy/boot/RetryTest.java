package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static io.glyphgate.proxy.boot.Stage.encode;
import static io.glyphgate.proxy.boot.Stage.eventually;
import static io.glyphgate.proxy.boot.Stage.json;
import static io.glyphgate.proxy.boot.Stage.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.simulator.Fault;
import io.glyphgate.proxy.simulator.ReceivedRequest;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.proxy.simulator.SimulatorOptions.Connector;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that fails before it answers: another one is asked, where that helps and as often as the budget allows. */
class RetryTest {
    private static final List<String> SHAPES =
            List.of("\"zzz\":1", "\"stream\":true", "\"output_mode\":\"text\"", "\"output_mode\":\"text\",\"stream\":true");

    @TempDir
    private Path folder;

    private Stage stage;
    private SimulatedServer bad;
    private SimulatedServer good;
    private Proxy proxy;

    @BeforeEach
    void start() {
        stage = new Stage(folder);
        bad = stage.server(Stage.tokensOnly());
        good = stage.server(Stage.tokensOnly());
        good.direct(request -> Script.tokens(encode("right")));
        proxy = stage.proxy(pool("chat", "proxy", good.uri()));
    }

    @AfterEach
    void nothingStaysOpen() throws Exception {
        for (SimulatedServer server : List.of(bad, good)) {
            server.await("no request is active", Stage.LIMIT, () -> server.activeRequests() == 0);
        }
        eventually("nothing is in flight", () -> proxy.inFlight() == 0 && proxy.running() == 0 && proxy.watched() == 0);
        stage.close();
    }

    /** The proxy before servers that are asked in this order by the first request. */
    private void proxy(String retries, URI... endpoints) {
        proxy = stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0 }
                models: { m: { tokenizer: { source: %s } } }
                upstream: { tokenizer-mismatch: ignore, first-byte: 2s }
                retries: { %s }
                pools:
                  chat: { model: m, tokenizer: proxy, policy: round-robin, endpoints: %s }
                """.formatted(Stage.QWEN3, retries, List.of(endpoints)));
    }

    private static void fails(SimulatedServer server, String fault) {
        server.direct(request -> Script.tokens(encode("wrong wrong wrong")).failing(Fault.parse(fault)));
    }

    private static long asked(SimulatedServer server) {
        return server.requests().stream().map(ReceivedRequest::path).filter(Stage.GENERATE::equals).count();
    }

    private void counted(String reason, String outcome, int times) throws Exception {
        String meter = "glyphgate_retries_total{outcome=\"" + outcome + "\",pool=\"chat\",reason=\"" + reason + "\"}";
        assertThat(stage.get("/metrics").body()).contains(meter + " " + times + ".0");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock = """
            close        | broken
            reset        | broken
            garbage-head | broken
            status=500   | server-error
            status=502   | server-error
            status=504   | server-error
            html         | server-error
            html=503     | full
            status=503   | full
            status=429   | full
            """)
    void anotherServerAnswers(String fault, String reason) throws Exception {
        for (String shape : SHAPES) {
            proxy("", bad.uri(), good.uri());
            fails(bad, fault);
            long before = asked(bad);
            HttpResponse<String> answer = stage.post(body(shape));
            assertThat(answer.statusCode()).as(fault + " " + shape + " " + answer.body()).isEqualTo(200);
            assertThat(asked(bad)).isEqualTo(before + 1);
            assertThat(answer.body()).doesNotContain("wrong").doesNotContain("error\":{");
            counted(reason, "answered", 1);
            proxy.close();
        }
        assertThat(asked(good)).isEqualTo(SHAPES.size());
    }

    @ParameterizedTest
    @CsvSource({"close@0, '\"stream\":true'", "close@0, '\"zzz\":1'", "close@0, '\"output_mode\":\"text\",\"stream\":true'"})
    void aServerThatBreaksOffBehindItsHeadHasNotAnswered(String fault, String shape) throws Exception {
        proxy("", bad.uri(), good.uri());
        fails(bad, fault);
        HttpResponse<String> answer = stage.post(body(shape));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
                .startsWith(shape.contains("stream") ? "text/event-stream" : "application/json");
        counted("broken", "answered", 1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock = """
            status=400  | "zzz":1       | 400
            status=404  | "stream":true | 404
            status=501  | "zzz":1       | 501
            html=200    | "zzz":1       | 502
            stall       | "stream":true | 504
            cut@0       | "zzz":1       | 502
            close@2     | "stream":true | 200
            """)
    void noOtherServerIsAskedWhereThatDoesNotHelpOrIsTooLate(String fault, String shape, int status) throws Exception {
        proxy("", bad.uri(), good.uri());
        fails(bad, fault);
        assertThat(stage.post(body(shape)).statusCode()).isEqualTo(status);
        assertThat(asked(bad)).isEqualTo(1);
        assertThat(asked(good)).isZero();
        assertThat(stage.get("/metrics").body()).doesNotContain("glyphgate_retries_total");
    }

    @Test
    void theClientGetsTheLastAnswerWhereAllServersFail() throws Exception {
        proxy("", bad.uri(), good.uri());
        fails(bad, "status=500");
        fails(good, "status=429");
        HttpResponse<String> answer = stage.post(body("\"stream\":true"));
        assertThat(answer.statusCode()).isEqualTo(429);
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        assertThat(answer.headers().firstValue("X-Glyphgate-Error")).hasValue("upstream-refused");
        assertThat(json(answer.body()).at("/error/message").asText()).contains("A fault was asked for");
        assertThat(asked(bad)).isEqualTo(1);
        assertThat(asked(good)).isEqualTo(1);
        counted("server-error", "failed", 1);
    }

    @Test
    void theClientGetsTheLastAnswerWhereTheOtherServersTakeNoConnection() throws Exception {
        proxy("", bad.uri(), Stage.nobody(), Stage.nobody());
        fails(bad, "status=500");
        assertThat(stage.post(body("")).statusCode()).isEqualTo(500);
        counted("server-error", "no-endpoint", 1);
    }

    @Test
    void noMoreServersAreAskedThanTheAttemptsAllow() throws Exception {
        SimulatedServer third = stage.server(Stage.tokensOnly());
        fails(bad, "status=500");
        fails(third, "close");
        proxy("attempts: 2", bad.uri(), good.uri(), third.uri());
        assertThat(stage.post(body("")).statusCode()).isEqualTo(502);
        assertThat(asked(good)).isZero();
        counted("server-error", "failed", 1);
        counted("broken", "no-attempts", 1);
    }

    @Test
    void aBudgetThatIsSpentEndsTheRetries() throws Exception {
        proxy("budget: 0%, min-per-second: 0", bad.uri(), good.uri());
        fails(bad, "status=500");
        assertThat(stage.post(body("")).statusCode()).isEqualTo(500);
        assertThat(asked(good)).isZero();
        counted("server-error", "no-budget", 1);
    }

    @Test
    void theBudgetGrowsWithTheRequests() throws Exception {
        proxy("budget: 100%, min-per-second: 0, attempts: 9", bad.uri(), good.uri());
        fails(bad, "status=500");
        for (int i = 0; i < 6; i++) {
            assertThat(stage.post(body("")).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void aServerThatTakesNoConnectionCostsNothing() throws Exception {
        proxy("budget: 0%, min-per-second: 0, attempts: 1", Stage.nobody(), Stage.nobody(), good.uri());
        assertThat(stage.post(body("")).statusCode()).isEqualTo(200);
    }

    @Test
    void aServerThatSaysThatItIsFullIsLeftAloneForAWhile() throws Exception {
        proxy("budget: 1000%", bad.uri(), good.uri());
        fails(bad, "status=429");
        for (int i = 0; i < 20; i++) {
            assertThat(stage.post(body("")).statusCode()).isEqualTo(200);
        }
        assertThat(asked(bad)).isLessThan(8); // every second one without that
        fails(good, "status=429");
        long before = asked(bad);
        assertThat(stage.post(body("")).statusCode()).isEqualTo(429);
        assertThat(asked(bad)).isEqualTo(before + 1); // where all are full each is asked all the same
    }

    private void pair(String retries, List<URI> prefills, List<URI> decodes) {
        proxy = stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0 }
                models: { m: {} }
                retries: { %s }
                pools:
                  p: { model: m, role: prefill, tokenizer: none, policy: round-robin, endpoints: %s, kv: { without-prefill: fail } }
                  chat: { model: m, role: decode, tokenizer: none, policy: round-robin, endpoints: %s }
                """.formatted(retries, prefills, decodes));
    }

    private SimulatedServer nixl() {
        return stage.server(Stage.tokensOnly().connector(Connector.NIXL));
    }

    @Test
    void aPromptThatADecodeServerHadNoRoomForGoesToTheNext() throws Exception {
        SimulatedServer prefill = nixl();
        SimulatedServer full = nixl();
        SimulatedServer free = nixl();
        pair("", List.of(prefill.uri()), List.of(full.uri(), free.uri()));
        fails(full, "status=429");
        assertThat(stage.post(body("")).statusCode()).isEqualTo(200);
        assertThat(asked(prefill)).isEqualTo(1);
        assertThat(free.takenPrompts()).isEqualTo(1);
        assertThat(prefill.heldPrompts()).isZero();
        counted("full", "answered", 1);
    }

    @Test
    void aPromptThatADecodeServerMayHaveTakenIsComputedAgainForAnother() throws Exception {
        SimulatedServer prefill = nixl();
        SimulatedServer broken = nixl();
        SimulatedServer free = nixl();
        pair("", List.of(prefill.uri()), List.of(broken.uri(), free.uri()));
        fails(broken, "status=503");
        assertThat(stage.post(body("")).statusCode()).isEqualTo(200);
        assertThat(asked(prefill)).isEqualTo(2);
        assertThat(asked(broken)).isEqualTo(1);
        assertThat(free.takenPrompts()).isEqualTo(1);
        counted("full", "answered", 1);
    }

    @Test
    void aSecondPrefillIsOfTheSameBudget() throws Exception {
        SimulatedServer prefill = nixl();
        SimulatedServer broken = nixl();
        pair("budget: 0%, min-per-second: 0", List.of(prefill.uri()), List.of(broken.uri()));
        fails(broken, "status=500");
        assertThat(stage.post(body("")).statusCode()).isEqualTo(500);
        assertThat(asked(prefill)).isEqualTo(1);
        counted("server-error", "no-budget", 1);
    }

    @ParameterizedTest
    @CsvSource({"status=500, server-error", "status=503, full", "close, broken"})
    void anotherPrefillServerComputesThePrompt(String fault, String reason) throws Exception {
        SimulatedServer broken = nixl();
        SimulatedServer prefill = nixl();
        SimulatedServer decode = nixl();
        pair("", List.of(broken.uri(), prefill.uri()), List.of(decode.uri()));
        fails(broken, fault);
        HttpResponse<String> answer = stage.post(body(""));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(decode.takenPrompts()).isEqualTo(1);
        String meter = "glyphgate_retries_total{outcome=\"answered\",pool=\"p\",reason=\"" + reason + "\"} 1.0";
        assertThat(stage.get("/metrics").body()).contains(meter);
    }
}
