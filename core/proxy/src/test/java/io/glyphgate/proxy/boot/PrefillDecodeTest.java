package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static io.glyphgate.proxy.boot.Stage.encode;
import static io.glyphgate.proxy.boot.Stage.eventually;
import static io.glyphgate.proxy.boot.Stage.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.simulator.Fault;
import io.glyphgate.proxy.simulator.ReceivedRequest;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.proxy.simulator.SimulatorOptions.Connector;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Prompts that prefill servers compute for decode servers: every answer is right, and nothing stays held. */
class PrefillDecodeTest {
    private static final String OUTPUT =
            "<think>\nHm.\n</think>\n\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>";
    private static final String TOOLS =
            "\"parse_context\":{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}]}";
    private static final String SAMPLING = "{\"max_tokens\":50,\"logprobs\":1,\"min_tokens\":3,\"seed\":7}";
    private static final String TEXT = "\"output_mode\":\"text\"";

    @TempDir
    private Path folder;

    private Stage stage;
    private SimulatedServer prefill;
    private SimulatedServer decode;
    private Proxy proxy;

    @BeforeEach
    void start() {
        stage = new Stage(folder);
        prefill = prefill(Connector.NIXL, Duration.ZERO);
        decode = decode(Connector.NIXL, "proxy");
        proxy = pools(Connector.NIXL, "proxy", "", prefill.uri());
    }

    @AfterEach
    void nothingStaysOpen() throws Exception {
        for (SimulatedServer server : List.of(prefill, decode)) {
            server.await("no request is active", Stage.LIMIT, () -> server.activeRequests() == 0);
        }
        eventually("nothing is in flight", () -> proxy.inFlight() == 0 && proxy.running() == 0 && proxy.watched() == 0);
        stage.close();
    }

    private void servers(Connector connector, String tokenizer, String more) {
        servers(connector, tokenizer, more, Duration.ZERO);
    }

    private void servers(Connector connector, String tokenizer, String more, Duration prefilling) {
        proxy.close();
        prefill = prefill(connector, prefilling);
        decode = decode(connector, tokenizer);
        proxy = pools(connector, tokenizer, more, prefill.uri());
    }

    private SimulatedServer prefill(Connector connector, Duration prefilling) {
        return stage.server(Stage.tokensOnly().connector(connector).timeToFirstToken(prefilling));
    }

    private SimulatedServer decode(Connector connector, String tokenizer) {
        SimulatedServer server =
                stage.server((tokenizer.equals("upstream") ? Stage.full() : Stage.tokensOnly()).connector(connector));
        server.direct(request -> Script.tokens(encode(OUTPUT)));
        return server;
    }

    private Proxy pools(Connector connector, String tokenizer, String more, URI prefills) {
        String name = switch (connector) {
            case NONE, NIXL -> "nixl";
            case LMCACHE -> "lmcache";
            case NIXL_PUSH -> "nixl-push";
            case MOONCAKE -> "{ name: mooncake, bootstrap-port: " + prefill.port() + " }";
        };
        return stage.proxy("""
                p: { model: m, role: prefill, tokenizer: none, endpoints: [%s], kv: { connector: %s%s } }
                d: { model: m, role: decode, tokenizer: %s, endpoints: [%s] }
                """.formatted(prefills, name, more, tokenizer, decode.uri()));
    }

    private static List<JsonNode> generated(SimulatedServer server) {
        return server.requests().stream()
                .filter(PrefillDecodeTest::generates)
                .map(ReceivedRequest::body)
                .map(Stage::json)
                .toList();
    }

    private static boolean generates(ReceivedRequest request) {
        return request.path().equals(Stage.GENERATE);
    }

    private String metrics() {
        try {
            return stage.get("/metrics").body();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "NIXL, none", "NIXL, proxy", "NIXL, upstream", "NIXL_PUSH, none", "NIXL_PUSH, proxy", "MOONCAKE, proxy", "MOONCAKE, upstream"
    })
    void everyModeIsServedAsByTheDecodeServerAlone(Connector connector, String tokenizer) throws Exception {
        servers(connector, tokenizer, "");
        List<String> modes = switch (tokenizer) {
            case "none" -> List.of("tokens");
            case "upstream" -> List.of("tokens", "text", "derender");
            default -> List.of("tokens", "text", "derender", "text stream", "derender stream");
        };
        int requests = 0;
        for (String mode : modes) {
            String[] parts = mode.split(" ", -1);
            String fields =
                    "\"output_mode\":\"" + parts[0] + "\"" + (parts.length > 1 ? ",\"stream\":true" : "") + "," + TOOLS;
            HttpResponse<String> answer = stage.post(body(fields, SAMPLING));
            requests++;
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            assertThat(decode.takenPrompts()).isEqualTo(requests);
            assertThat(withoutTimes(answer.body())).isEqualTo(withoutTimes(alone(tokenizer, fields)));
        }
        assertThat(prefill.heldPrompts()).isZero();
        assertThat(decode.recomputedPrompts()).isZero();
        assertThat(generated(prefill)).hasSize(requests);
        String given = "glyphgate_prefills_total{outcome=\"given\",pool=\"p\"} " + requests + ".0";
        eventually("all prefills are counted", () -> metrics().contains(given));
    }

    /** The answer of the same server without a prefill server. */
    private String alone(String tokenizer, String fields) throws Exception {
        try (Stage other = new Stage(folder)) {
            other.proxy("d: { model: m, tokenizer: " + tokenizer + ", endpoints: [" + decode.uri() + "] }\n");
            return other.post(body(fields, SAMPLING)).body();
        }
    }

    private static String withoutTimes(String answer) {
        return answer.replaceAll("\"created\":\\d+", "").replaceAll("chatcmpl-tool-[0-9a-f]+", "");
    }

    @Test
    void aPrefillIsOneTokenOfThePromptAndNothingElse() throws Exception {
        HttpResponse<String> answer = stage.post(
                body(
                        "\"output_mode\":\"derender\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
                                + "\"cache_salt\":\"s\",\"priority\":3,\"features\":null,\"zzz\":1.50," + TOOLS,
                        "{\"max_tokens\":50,\"min_tokens\":2,\"stop\":[\"x\"],\"logprobs\":2,\"seed\":7,\"temperature\":0.1,"
                                + "\"structured_outputs\":{\"regex\":\".*\"},\"extra_args\":{\"other\":1}}"),
                "X-Request-Id",
                "mine");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        ObjectNode asked = (ObjectNode) generated(prefill).getFirst();
        assertThat(asked.remove("token_ids")).isNotNull();
        assertThat(asked).isEqualTo(json("""
                {"model":"m","request_id":"r1","cache_salt":"s","priority":3,"features":null,"zzz":1.50,
                 "kv_transfer_params":{"do_remote_decode":true,"do_remote_prefill":false},
                 "sampling_params":{"temperature":0.1,"max_tokens":1,
                   "extra_args":{"other":1,"kv_transfer_params":{"do_remote_decode":true,"do_remote_prefill":false}}}}
                """));
        JsonNode decoded = generated(decode).getFirst();
        JsonNode params = decoded.path("kv_transfer_params");
        assertThat(params.path("do_remote_prefill").asBoolean()).isTrue();
        assertThat(params.path("remote_block_ids").path(0).isArray()).isTrue();
        assertThat(params.has("remote_blocks_expiry_time")).isTrue();
        assertThat(decoded.at("/sampling_params/extra_args/kv_transfer_params")).isEqualTo(params);
        assertThat(decoded.at("/sampling_params/extra_args/other").asInt()).isEqualTo(1);
        for (SimulatedServer server : List.of(prefill, decode)) {
            assertThat(server.requests().getFirst().headers()).containsEntry("x-request-id", "mine");
        }
    }

    @ParameterizedTest
    @CsvSource({"NIXL, status=400, false", "NIXL_PUSH, status=400, false", "NIXL, error-event@0=400, true",
        "NIXL_PUSH, error-event@0=400, true"})
    void whatADecodeServerRefusesIsReleased(Connector connector, String refusal, boolean stream) throws Exception {
        servers(connector, "proxy", "");
        AtomicInteger requests = new AtomicInteger();
        decode.direct(request -> generates(request) && requests.getAndIncrement() == 0
                ? Script.tokens(encode("x")).failing(Fault.parse(refusal))
                : Script.tokens(encode("x")));
        HttpResponse<String> answer = stage.post(body(TEXT + (stream ? ",\"stream\":true" : "")));
        assertThat(answer.statusCode()).isEqualTo(stream ? 200 : 400);
        assertThat(answer.body()).contains("\"code\":400", "A fault was asked for");
        prefill.await("nothing is held", Stage.LIMIT, () -> prefill.heldPrompts() == 0);
        JsonNode release = generated(decode).getLast();
        assertThat(release.at("/sampling_params/max_tokens").asInt()).isEqualTo(1);
        assertThat(release.has("output_mode")).isFalse();
        eventually("the release is counted", () -> metrics().contains(
                "glyphgate_prefill_releases_total{outcome=\"released\",pool=\"d\"} 1.0"));
    }

    /** A server that is full now may have room soon. */
    @Test
    void aReleaseIsTriedAgain() throws Exception {
        servers(Connector.NIXL, "proxy", "");
        AtomicInteger requests = new AtomicInteger();
        decode.direct(request -> generates(request) && requests.getAndIncrement() < 2
                ? Script.faults(Fault.parse("status=400").getFirst())
                : Script.tokens(encode("x")));
        assertThat(stage.post(body(TEXT)).statusCode()).isEqualTo(400);
        eventually("the release is counted", () -> metrics().contains(
                "glyphgate_prefill_releases_total{outcome=\"released\",pool=\"d\"} 1.0"));
        assertThat(prefill.heldPrompts()).isZero();
    }

    /** A server that may have taken the prompt is the last one that is made to: another could get another prompt's keys. */
    @ParameterizedTest
    @CsvSource({"status=429, 6", "status=400, 6", "status=500, 1", "close, 1", "garbage-head, 1"})
    void aReleaseGoesOnOnlyWhereItWasRefused(String fault, int releases) throws Exception {
        proxy.close();
        SimulatedServer other = decode(Connector.NIXL, "proxy");
        for (SimulatedServer server : List.of(decode, other)) {
            server.direct(request -> generates(request)
                    ? Script.faults(Fault.parse(request.body().contains("\"max_tokens\":1") ? fault : "status=400").getFirst())
                    : Script.NONE);
        }
        proxy = stage.proxy("""
                p: { model: m, role: prefill, tokenizer: none, endpoints: [%s] }
                d: { model: m, role: decode, tokenizer: proxy, endpoints: [%s, %s] }
                """.formatted(prefill.uri(), decode.uri(), other.uri()));
        assertThat(stage.post(body(TEXT)).statusCode()).isEqualTo(400);
        eventually("the loss is counted", () -> metrics().contains(
                "glyphgate_prefill_releases_total{outcome=\"left-to-expire\",pool=\"d\"} 1.0"));
        assertThat(generated(decode).size() + generated(other).size()).isEqualTo(1 + releases);
    }

    @Test
    void aDecodeServerThatFailsGetsANewPrefill() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        decode.direct(request -> generates(request) && requests.getAndIncrement() == 0
                ? Script.faults(Fault.of(Fault.Kind.STATUS).with(500))
                : Script.tokens(encode("right")));
        HttpResponse<String> answer = stage.post(body(TEXT));
        assertThat(json(answer.body()).at("/choices/0/text").asText()).isEqualTo("right");
        assertThat(generated(prefill)).hasSize(2);
        assertThat(generated(decode).get(0).at("/kv_transfer_params/remote_request_id"))
                .isNotEqualTo(generated(decode).get(1).at("/kv_transfer_params/remote_request_id"));
    }

    @Test
    void aDecodeServerThatKeepsFailingIsAskedTwice() throws Exception {
        decode.direct(request -> Script.faults(Fault.of(Fault.Kind.STATUS).with(500)));
        assertThat(stage.post(body(TEXT)).statusCode()).isEqualTo(500);
        assertThat(generated(decode)).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({"NIXL, ''", "NIXL, stream", "MOONCAKE, stream"})
    void aClientThatLeavesDuringThePrefill(Connector connector, String stream) throws Exception {
        servers(connector, "proxy", "", Duration.ofMinutes(5));
        try (Socket socket = stage.open(body(TEXT + (stream.isEmpty() ? "" : ",\"stream\":true")))) {
            prefill.await("the request has arrived", Stage.LIMIT, () -> prefill.activeRequests() == 1);
            assertThat(socket.isConnected()).isTrue();
        }
        prefill.await("it is aborted", Stage.LIMIT, () -> prefill.abortedRequestIds().size() == 1);
        decode.await("nothing is active", Stage.LIMIT, () -> decode.activeRequests() == 0);
        assertThat(prefill.heldPrompts()).isZero();
        if (connector == Connector.NIXL) {
            assertThat(generated(decode)).isEmpty();
        }
    }

    @Test
    void aPromptThatIsReadySoonAfterItsClientLeftIsReleased() throws Exception {
        servers(Connector.NIXL, "proxy", "", Duration.ofMillis(500));
        try (Socket socket = stage.open(body(TEXT))) {
            prefill.await("the request has arrived", Stage.LIMIT, () -> prefill.activeRequests() == 1);
            assertThat(socket.isConnected()).isTrue();
        }
        decode.await("the prompt is taken", Stage.LIMIT, () -> decode.takenPrompts() == 1);
        assertThat(prefill.heldPrompts()).isZero();
        assertThat(prefill.abortedRequestIds()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"NIXL", "NIXL_PUSH", "MOONCAKE"})
    void aClientThatLeavesDuringTheDecode(Connector connector) throws Exception {
        servers(connector, "proxy", "");
        decode.direct(request -> Script.tokens(encode("one two three")).failing(Fault.parse("stall@1")));
        for (int i = 0; i < 3; i++) {
            int seen = i;
            try (Socket socket = stage.open(body(TEXT + ",\"stream\":true"))) {
                decode.await("the request has arrived", Stage.LIMIT, () -> decode.takenPrompts() == seen + 1);
                assertThat(socket.isConnected()).isTrue();
            }
            decode.await("it is aborted", Stage.LIMIT, () -> decode.abortedRequestIds().size() == seen + 1);
        }
        prefill.await("nothing is held", Stage.LIMIT, () -> prefill.heldPrompts() == 0);
    }

    @ParameterizedTest
    @CsvSource({"decode-only, 200", "fail, 502"})
    void aPrefillServerThatGivesNothingAway(String policy, int status) throws Exception {
        servers(Connector.NONE, "proxy", ", without-prefill: " + policy);
        HttpResponse<String> answer = stage.post(body(TEXT));
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(metrics()).contains("glyphgate_prefills_total{outcome=\"nothing\",pool=\"p\"} 1.0");
        if (status == 200) {
            assertThat(generated(decode).getFirst().has("kv_transfer_params")).isFalse();
        } else {
            assertThat(answer.headers().firstValue("X-Glyphgate-Error")).hasValue("prefill-failed");
            assertThat(answer.body()).contains("'p'", "'nixl'").doesNotContain(String.valueOf(prefill.port()));
            assertThat(generated(decode)).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "NIXL, decode-only, 500, 200", "NIXL, fail, 500, 502", "NIXL, fail, 422, 422", "MOONCAKE, decode-only, 500, 200",
        "MOONCAKE, fail, 500, 502"
    })
    void aPrefillServerThatFails(Connector connector, String policy, int fault, int status) throws Exception {
        servers(connector, "proxy", ", without-prefill: " + policy);
        prefill.direct(request ->
                generates(request) ? Script.faults(Fault.of(Fault.Kind.STATUS).with(fault)) : Script.NONE);
        HttpResponse<String> answer = stage.post(body(TEXT));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(metrics()).contains("glyphgate_prefills_total{outcome=\"failed\",pool=\"p\"} 1.0");
        if (status != 200) {
            assertThat(json(answer.body()).at("/error/message").asText()).contains("'p'", "A fault was asked for");
        }
    }

    @Test
    void aPrefillPoolThatIsDownIsPassedOver() throws Exception {
        proxy.close();
        proxy = pools(Connector.NIXL, "proxy", "", Stage.nobody());
        assertThat(stage.post(body(TEXT)).statusCode()).isEqualTo(200);
        assertThat(generated(decode)).hasSize(1);
    }

    @Test
    void noPromptIsComputedForADecodeServerThatIsKnownToBeDown() throws Exception {
        proxy.close();
        proxy = stage.proxy("""
                p: { model: m, role: prefill, tokenizer: none, endpoints: [%s] }
                d: { model: m, role: decode, tokenizer: proxy, endpoints: [%s] }
                """.formatted(prefill.uri(), Stage.nobody()));
        for (int i = 0; i < 3; i++) {
            assertThat(stage.post(body(TEXT)).statusCode()).isEqualTo(503);
        }
        assertThat(generated(prefill)).hasSize(1);
        eventually("the loss is counted", () -> metrics().contains(
                "glyphgate_prefill_releases_total{outcome=\"left-to-expire\",pool=\"d\"} 1.0"));
    }

    @Test
    void severalChoicesAreLeftToTheDecodeServer() throws Exception {
        HttpResponse<String> answer = stage.post(body(TEXT, "{\"n\":2}"));
        assertThat(json(answer.body()).path("choices")).hasSize(2);
        assertThat(generated(prefill)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"'', 400", "strip, 200"})
    void aClientsOwnTransferParameters(String rule, int status) throws Exception {
        proxy.close();
        proxy = stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0 }
                models:
                  m: { %s }
                pools:
                  p: { model: m, role: prefill, tokenizer: none, endpoints: [%s] }
                  d: { model: m, role: decode, tokenizer: none, endpoints: [%s] }
                """.formatted(rule.isEmpty() ? "" : "kv-params: " + rule, prefill.uri(), decode.uri()));
        for (String request : List.of(
                body("\"kv_transfer_params\":{\"remote_host\":\"evil\"}", "{}"),
                body("", "{\"extra_args\":{\"kv_transfer_params\":{\"remote_host\":\"evil\"}}}"))) {
            HttpResponse<String> answer = stage.post(request);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
            if (status == 400) {
                assertThat(json(answer.body()).at("/error/param").asText()).isEqualTo("kv_transfer_params");
            }
        }
        assertThat(generated(decode).toString()).doesNotContain("evil");
        assertThat(generated(prefill).toString()).doesNotContain("evil");
    }

    @ParameterizedTest
    @CsvSource({"'', true", "pass, true", "strip, false"})
    void aCoordinatorBeforeTheProxyOwnsTheTransferWhereThereIsNoPrefillPool(String rule, boolean passes) throws Exception {
        proxy.close();
        proxy = stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0 }
                models:
                  m: { %s }
                pools:
                  p: { model: m, tokenizer: none, endpoints: [%s] }
                """.formatted(rule.isEmpty() ? "" : "kv-params: " + rule, prefill.uri()));
        JsonNode first = json(stage.post(body(
                        "\"kv_transfer_params\":{\"do_remote_decode\":true,\"do_remote_prefill\":false}",
                        "{\"max_tokens\":1}"))
                .body());
        assertThat(first.at("/kv_transfer_params/do_remote_prefill").asBoolean()).isEqualTo(passes);
        if (passes) {
            String params = "\"kv_transfer_params\":" + first.path("kv_transfer_params");
            assertThat(stage.post(decode.uri(), Stage.GENERATE, body(params)).statusCode()).isEqualTo(200);
            assertThat(decode.takenPrompts()).isEqualTo(1);
        } else {
            assertThat(first.has("kv_transfer_params")).isTrue();
            assertThat(generated(prefill).getFirst().has("kv_transfer_params")).isFalse();
        }
    }

    @Test
    void anAbortReachesThePrefillServer() throws Exception {
        servers(Connector.NIXL, "proxy", ", without-prefill: fail", Duration.ofMinutes(5));
        try (Socket socket = stage.open(body(TEXT))) {
            prefill.await("the request has arrived", Stage.LIMIT, () -> prefill.activeRequests() == 1);
            stage.post(stage.uri(), "/inference/v1/abort_requests", "{\"request_ids\":[\"r1\"]}");
            prefill.await("it is aborted", Stage.LIMIT, () -> prefill.abortedRequestIds().size() == 1);
            assertThat(socket.isConnected()).isTrue();
        }
    }
}
