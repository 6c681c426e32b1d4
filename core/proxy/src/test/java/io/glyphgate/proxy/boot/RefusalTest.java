package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static io.glyphgate.proxy.boot.Stage.json;
import static io.glyphgate.proxy.boot.Stage.pool;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.simulator.SimulatedServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each row of the contract's table of refusals, over HTTP; no server is asked. */
class RefusalTest {
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
        assertThat(server.requests()).isEmpty();
        stage.close();
    }

    @Test
    void anUnknownOutputMode() throws Exception {
        all();
        refused(stage.post(body("\"output_mode\":\"bogus\"")), 400, "unknown-output-mode", "output_mode",
                "'bogus'", "'bulk' serves [tokens]", "'full' serves [derender, text, tokens]", "'chat' serves [derender, text, tokens]");
    }

    @Test
    void anOutputModeThatNoPoolCanServe() throws Exception {
        stage.proxy("bulk: { model: m, role: decode, tokenizer: none, endpoints: [" + server.uri() + "] }\n"
                + "early: { model: m, role: prefill, tokenizer: proxy, endpoints: [" + server.uri() + "] }\n");
        refused(stage.post(body("\"output_mode\":\"text\"")), 400, "no-capable-pool", "output_mode",
                "'text'", "'bulk' has no tokenizer", "'early' only prefills");
    }

    @Test
    void textWithoutDetokenizing() throws Exception {
        all();
        for (String mode : new String[] {"text", "derender"}) {
            refused(
                    stage.post(body("\"output_mode\":\"" + mode + "\",\"parse_context\":{}", "{\"detokenize\":false}")),
                    400, "invalid-request", "sampling_params.detokenize", mode);
        }
    }

    @Test
    void aChatRequestAtAnotherMode() throws Exception {
        all();
        refused(stage.post(body("\"output_mode\":\"text\",\"chat_request\":{}")), 400, "invalid-request", "chat_request", "text");
        refused(stage.post(body("\"chat_request\":{}")), 400, "invalid-request", "chat_request", "tokens");
    }

    @Test
    void bothContextsAtOnce() throws Exception {
        all();
        refused(stage.post(body("\"output_mode\":\"derender\",\"chat_request\":{},\"parse_context\":{}")), 400,
                "invalid-request", "chat_request", "send one of them");
    }

    @Test
    void derenderWithoutContextWhereTheOutputIsParsed() throws Exception {
        all();
        refused(stage.post(body("\"output_mode\":\"derender\"")), 400, "invalid-request", "parse_context", "parse_context");
    }

    @Test
    void aToolChoiceThatNamesNoTool() throws Exception {
        all();
        refused(stage.post(body("\"output_mode\":\"derender\",\"parse_context\":{\"tool_choice\":{\"type\":\"function\",\"function\":"
                        + "{\"name\":\"g\"}}}")), 400, "invalid-request", "parse_context.tool_choice", "'g'");
    }

    @Test
    void anUnknownFieldOfAParseContext() throws Exception {
        all();
        refused(stage.post(body("\"output_mode\":\"derender\",\"parse_context\":{\"zzz\":1}")), 400, "invalid-request",
                "parse_context.zzz", "zzz");
    }

    @Test
    void stopStringsWhereNobodyCanMatchThem() throws Exception {
        stage.proxy(pool("bulk", "none", server.uri()));
        refused(stage.post(body("", "{\"stop\":\"x\"}")), 400, "no-capable-pool", "output_mode", "stop strings", "'bulk'");
    }

    @Test
    void aDerenderStreamWhereTheServersRefuseIt() throws Exception {
        stage.proxy(pool("full", "upstream", server.uri()));
        refused(stage.post(body("\"output_mode\":\"derender\",\"stream\":true,\"parse_context\":{}")), 400, "no-capable-pool",
                "output_mode", "with stream", "'full' has servers that refuse derender with stream");
    }

    @Test
    void aPoolAskedForByNameThatCannot() throws Exception {
        all();
        refused(stage.post(body("\"output_mode\":\"text\""), "X-Glyphgate-Pool", "bulk"), 400, "pool-cannot-serve",
                "X-Glyphgate-Pool", "'bulk'", "has no tokenizer", "these can: full, chat");
        refused(stage.post(body(""), "X-Glyphgate-Pool", "nope"), 400, "pool-cannot-serve", "X-Glyphgate-Pool",
                "There is no pool 'nope'", "these can: bulk, full, chat");
    }

    @Test
    void wrongTokenIds() throws Exception {
        all();
        refused(stage.post("{\"token_ids\":[1,99999999],\"sampling_params\":{}}"), 400, "invalid-request", "token_ids[1]", "99999999");
        refused(stage.post("{\"token_ids\":[-1],\"sampling_params\":{}}"), 400, "invalid-request", "token_ids[0]", "-1");
        refused(stage.post("{\"token_ids\":[],\"sampling_params\":{}}"), 400, "invalid-request", "token_ids", "empty");
        refused(stage.post("{not json"), 400, "invalid-request", "", "line 1");
        refused(stage.post("{\"token_ids\":[1],\"sampling_params\":{\"n\":\"two\"}}"), 400, "invalid-request", "sampling_params.n", "whole");
    }

    @Test
    void anUnknownModel() throws Exception {
        all();
        refused(stage.post(body("").replace("\"model\":\"m\"", "\"model\":\"nope\"")), 404, "unknown-model", "model", "`nope`", "alias");
    }

    @Test
    void aBodyOverTheLimit() throws Exception {
        all();
        String large = body("\"zzz\":\"" + "x".repeat(1 << 20) + "\"");
        refused(stage.post(large), 413, "body-too-large", "", "1048576");
    }

    @Test
    void anotherContentType() throws Exception {
        all();
        refused(stage.postAs("text/plain", body("")), 400, "invalid-request", "Content-Type", "application/json");
    }

    @Test
    void aPathThatIsNone() throws Exception {
        all();
        routed(stage.get("/nope"), 404, "no-such-door", "Not Found");
        HttpResponse<String> answer = stage.get(Stage.GENERATE);
        routed(answer, 405, "wrong-method", "Method Not Allowed");
        assertThat(answer.headers().firstValue("Allow")).hasValue("POST");
    }

    @Test
    void anAbortWithoutIds() throws Exception {
        all();
        refused(stage.post(stage.uri(), "/abort_requests", "{}"), 400, "invalid-request", "request_ids", "Missing 'request_ids'");
        refused(stage.post(stage.uri(), "/inference/v1/abort_requests", "{\"request_ids\":[]}"), 400, "invalid-request", "request_ids",
                "at least one");
    }

    @Test
    void refusalsAreCounted() throws Exception {
        all();
        stage.post("{}");
        assertThat(stage.get("/metrics").body()).contains("glyphgate_refusals_total{slug=\"invalid-request\"} 1.0");
    }

    /** What is about paths and methods has the shape that FastAPI gives it. */
    private static void routed(HttpResponse<String> answer, int status, String slug, String detail) {
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.headers().firstValue("X-Glyphgate-Error")).hasValue(slug);
        assertThat(json(answer.body())).isEqualTo(Stage.JSON.createObjectNode().put("detail", detail));
    }

    private void all() {
        stage.proxy(pool("bulk", "none", server.uri()) + pool("full", "upstream", server.uri()) + pool("chat", "proxy", server.uri()));
    }

    private static void refused(HttpResponse<String> answer, int status, String slug, String param, String... words) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("X-Glyphgate-Error")).hasValue(slug);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
        JsonNode error = json(answer.body()).path("error");
        assertThat(error.path("message").asText()).contains(words);
        assertThat(error.path("code").asInt()).isEqualTo(status);
        assertThat(error.path("type").asText()).isNotEmpty();
        if (param.isEmpty()) {
            assertThat(error.path("param").isNull()).isTrue();
        } else {
            assertThat(error.path("param").asText()).isEqualTo(param);
        }
    }
}
