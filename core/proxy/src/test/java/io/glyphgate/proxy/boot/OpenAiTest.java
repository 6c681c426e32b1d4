package io.glyphgate.proxy.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import io.glyphgate.proxy.simulator.Chunking;
import io.glyphgate.proxy.simulator.Fault;
import io.glyphgate.proxy.simulator.ReceivedRequest;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.proxy.simulator.SimulatorOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The doors for chats and completions beyond what was recorded: parity with derender, native pools, refusals, failures. */
class OpenAiTest {
    private static final String CHAT = "/v1/chat/completions";
    private static final String COMPLETIONS = "/v1/completions";
    private static final String OUTPUT = "It asks for é and 🛶.\n</think>\n\nLet me look.\n<tool_call>\n"
            + "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Tromsø 🛶\"}}\n</tool_call><|im_end|>";
    private static final String TOOLS = "[{\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"parameters\":"
            + "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}}}}}]";
    private static final String MESSAGES = "\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]";

    @TempDir
    private Path folder;

    private Stage stage;
    private SimulatedServer server;
    private final List<ReceivedRequest> received = new CopyOnWriteArrayList<>();
    private Script script = Script.NONE;

    @BeforeEach
    void start() {
        stage = new Stage(folder);
        server = stage.server(Stage.tokensOnly().model("tiny"));
        server.direct(request -> {
            received.add(request);
            return script;
        });
    }

    @AfterEach
    void stop() {
        stage.close();
    }

    private void proxy() throws IOException {
        stage.proxyOf(OpenAiCaptures.configuration(folder, server.uri()));
    }

    /** The same with other pools, and more keys of the model. */
    private void proxy(String model, String pools) throws IOException {
        String yaml = OpenAiCaptures.configuration(folder, server.uri());
        stage.proxyOf(yaml.substring(0, yaml.indexOf("pools:")).replace("    kv-params: pass\n", model) + "pools:\n"
                + pools.indent(2));
    }

    private HttpResponse<String> post(String path, String body, String... headers) throws Exception {
        return stage.post(stage.uri(), path, body, headers);
    }

    private static String chat(String fields) {
        return "{\"model\":\"tiny\"," + MESSAGES + (fields.isEmpty() ? "" : "," + fields) + "}";
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 1000})
    void aChatHoldsWhatDerenderHolds(int size) throws Exception {
        proxy();
        script = Script.tokens(Stage.encode(OUTPUT)).chunked(Chunking.of(size));
        String asked = "\"tools\":" + TOOLS + ",\"return_token_ids\":true";
        JsonNode batch = Stage.json(post(CHAT, chat(asked)).body());
        List<JsonNode> stream = Stage.events(post(CHAT, chat(asked + ",\"stream\":true")).body());
        JsonNode choice = batch.path("choices").path(0);

        ObjectNode generate = Stage.JSON.createObjectNode();
        generate.put("model", "tiny");
        generate.put("output_mode", "derender");
        generate.set("token_ids", batch.path("prompt_token_ids"));
        generate.putObject("sampling_params");
        generate.putObject("parse_context").put("tool_choice", "auto").set("tools", Stage.json(TOOLS));
        JsonNode derendered = Stage.json(post(Stage.GENERATE, generate.toString()).body()).path("choices").path(0);
        generate.put("stream", true);
        List<JsonNode> derenderedStream = Stage.events(post(Stage.GENERATE, generate.toString()).body());

        assertThat(choice.path("message").path("tool_calls").size()).isEqualTo(1);
        assertThat(message(choice.path("message"))).isEqualTo(message(derendered.path("message")));
        assertThat(choice.path("token_ids")).isEqualTo(derendered.path("token_ids"));
        assertThat(choice.path("finish_reason").asText())
                .isEqualTo(derendered.path("finish_reason").asText())
                .isEqualTo("tool_calls");
        assertThat(joined(stream)).isEqualTo(joined(derenderedStream)).isEqualTo(message(choice.path("message")));
        assertThat(tokens(stream)).isEqualTo(tokens(derenderedStream)).isEqualTo(choice.path("token_ids").toString());
    }

    private static String tokens(List<JsonNode> events) {
        List<Integer> ids = new ArrayList<>();
        events.forEach(event -> event.path("choices").path(0).path("token_ids").forEach(id -> ids.add(id.asInt())));
        return ids.toString().replace(" ", "");
    }

    private static String message(JsonNode message) {
        StringBuilder calls = new StringBuilder();
        message.path("tool_calls").forEach(call -> calls.append(call.path("function").path("name").asText())
                .append(call.path("function").path("arguments").asText()));
        return message.path("reasoning").asText("") + "|" + message.path("content").asText("") + "|" + calls;
    }

    private static String joined(List<JsonNode> events) {
        StringBuilder reasoning = new StringBuilder();
        StringBuilder content = new StringBuilder();
        StringBuilder calls = new StringBuilder();
        for (JsonNode event : events) {
            JsonNode delta = event.path("choices").path(0).path("delta");
            reasoning.append(delta.path("reasoning").asText(""));
            content.append(delta.path("content").asText(""));
            delta.path("tool_calls").forEach(call -> calls.append(call.path("function").path("name").asText(""))
                    .append(call.path("function").path("arguments").asText("")));
        }
        return reasoning + "|" + content + "|" + calls;
    }

    @Test
    void aServerIsAskedForTokensWithTheClientsId() throws Exception {
        proxy();

        HttpResponse<String> answer = post(CHAT, chat("\"max_tokens\":3"), "X-Request-Id", "mine");

        assertThat(answer.headers().firstValue("X-Request-Id")).contains("mine");
        assertThat(answer.headers().firstValue("X-Glyphgate-Pool")).contains("p");
        assertThat(Stage.json(answer.body()).path("id").asText()).isEqualTo("chatcmpl-mine");
        assertThat(received).hasSize(1);
        assertThat(received.getFirst().path()).isEqualTo(Stage.GENERATE);
        assertThat(received.getFirst().body()).doesNotContain("parse_context", "messages");
        assertThat(received.getFirst().headers()).containsEntry("x-request-id", "chatcmpl-mine");
    }

    @Test
    void aNativePoolGetsTheRequestAsItCame() throws Exception {
        List<String> bodies = new CopyOnWriteArrayList<>();
        try (NativeServer vllm = new NativeServer(bodies)) {
            proxy("", "n: { model: tiny, tokenizer: upstream, chat: native, served-model: other, endpoints: [ " + vllm.uri() + " ] }\n");

            String odd = "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\"}]}],\"temperature\":1.50,\"zzz\":1,"
                    + "\"model\":\"tiny\"}";
            HttpResponse<String> answer = post(CHAT, odd, "X-Request-Id", "mine");
            HttpResponse<String> stream = post(COMPLETIONS, "{\"prompt\":[\"a\",\"b\"],\"stream\":true}");

            assertThat(answer.body()).isEqualTo(NativeServer.WHOLE);
            assertThat(stream.body()).isEqualTo(NativeServer.STREAM);
            assertThat(bodies.getFirst())
                    .isEqualTo("/v1/chat/completions mine "
                            + odd.replace(",\"model\":\"tiny\"", ",\"model\":\"other\""));
            assertThat(bodies.get(1)).endsWith("{\"prompt\":[\"a\",\"b\"],\"stream\":true,\"model\":\"other\"}");
        }
    }

    @Test
    void aPromptOfImagesGoesToANativePoolBesideOthers() throws Exception {
        List<String> bodies = new CopyOnWriteArrayList<>();
        try (NativeServer vllm = new NativeServer(bodies)) {
            proxy("", "p: { model: tiny, tokenizer: proxy, endpoints: [ " + server.uri() + " ] }\n"
                    + "n: { model: tiny, tokenizer: upstream, chat: native, endpoints: [ " + vllm.uri() + " ] }\n");
            String images = "{\"model\":\"tiny\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\"}]}]}";

            assertThat(post(CHAT, images).headers().firstValue("X-Glyphgate-Pool")).contains("n");
            assertThat(post(CHAT, chat(""), "X-Glyphgate-Pool", "p").headers().firstValue("X-Glyphgate-Pool")).contains("p");
        }
    }

    @Test
    void refusalsNameWhatEachPoolLacks() throws Exception {
        proxy("", "bulk: { model: tiny, tokenizer: none, endpoints: [ " + server.uri() + " ] }\n"
                + "full: { model: tiny, tokenizer: upstream, endpoints: [ " + server.uri() + " ] }\n");

        HttpResponse<String> answer = post(CHAT, chat(""));

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.headers().firstValue("X-Glyphgate-Error")).contains("no-capable-pool");
        assertThat(answer.body()).contains("'bulk' has no tokenizer (tokenizer: none)", "'full' leaves texts to its servers", "chat: none");
        assertThat(received).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            "zzz":1 | zzz
            "guided_json":{} | guided_json
            "bad_words":["a"] | bad_words
            "use_beam_search":true | use_beam_search
            "modalities":["audio"] | modalities
            "temperature":"hot" | body.temperature
            "n":0 | n
            "stop":["a",1] | body.stop.1
            """)
    void whatWouldChangeTheAnswerIsNeverIgnored(String field, String param) throws Exception {
        proxy();

        HttpResponse<String> answer = post(CHAT, chat(field));

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(Stage.json(answer.body()).path("error").path("param").asText()).isEqualTo(param);
        assertThat(received).isEmpty();
    }

    @Test
    void unknownFieldsAreIgnoredWhereTheOperatorSaysSo() throws Exception {
        String yaml = OpenAiCaptures.configuration(folder, server.uri());
        stage.proxyOf(yaml + "doors: { unknown-fields: ignore }\n");

        assertThat(post(CHAT, chat("\"zzz\":1,\"max_tokens\":1")).statusCode()).isEqualTo(200);
    }

    @Test
    void thePromptOfAChatIsComputedByAPrefillPool() throws Exception {
        SimulatedServer prefill = stage.server(Stage.tokensOnly().model("tiny").connector(SimulatorOptions.Connector.NIXL));
        SimulatedServer decode = stage.server(Stage.tokensOnly().model("tiny").connector(SimulatorOptions.Connector.NIXL));
        decode.direct(request -> Script.tokens(Stage.encode(OUTPUT)));
        proxy("", "a: { model: tiny, tokenizer: none, role: prefill, endpoints: [ " + prefill.uri() + " ] }\n"
                + "b: { model: tiny, tokenizer: proxy, role: decode, endpoints: [ " + decode.uri() + " ] }\n");

        JsonNode answer = Stage.json(post(CHAT, chat("\"tools\":" + TOOLS)).body());

        assertThat(answer.path("choices").path(0).path("finish_reason").asText()).isEqualTo("tool_calls");
        assertThat(answer.path("kv_transfer_params").isNull()).isTrue();
        assertThat(prefill.requests()).anySatisfy(request -> assertThat(request.body()).contains("\"max_tokens\":1"));
        assertThat(decode.requests())
                .anySatisfy(request -> assertThat(request.body()).contains("\"kv_transfer_params\"", "remote_block_ids"));
    }

    @Test
    void imagesAreRefused() throws Exception {
        proxy();

        HttpResponse<String> answer =
                post(CHAT, "{\"model\":\"tiny\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\"}]}]}");

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("'image_url' cannot be rendered here");
    }

    @Test
    void transferParametersFollowTheModelsSetting() throws Exception {
        proxy("    kv-params: strip\n", "p: { model: tiny, tokenizer: proxy, endpoints: [ " + server.uri() + " ] }\n");

        assertThat(post(CHAT, chat("\"kv_transfer_params\":{\"a\":1},\"max_tokens\":1")).statusCode()).isEqualTo(200);
        assertThat(received.getFirst().body()).doesNotContain("kv_transfer_params");
    }

    @Test
    void recommendedParametersHoldWhereTheClientGivesNone() throws Exception {
        OpenAiCaptures.configuration(folder, server.uri());
        Files.writeString(folder.resolve("tokenizer/generation_config.json"), "{\"temperature\":0.6,\"top_k\":20,\"do_sample\":true}");
        proxy("    sampling-defaults: { top_k: 5 }\n", "p: { model: tiny, tokenizer: proxy, endpoints: [ " + server.uri() + " ] }\n");

        post(CHAT, chat(""));
        post(CHAT, chat("\"temperature\":0.1"));

        JsonNode sampling = Stage.json(received.getFirst().body()).path("sampling_params");
        assertThat(sampling.path("temperature").asDouble()).isEqualTo(0.6);
        assertThat(sampling.path("top_k").asInt()).isEqualTo(5);
        assertThat(Stage.json(received.get(1).body()).path("sampling_params").path("temperature").asDouble()).isEqualTo(0.1);
    }

    @Test
    void aStreamThatBreaksEndsWithWhatWasHeldBackAndAnError() throws Exception {
        proxy();
        script = Script.tokens(Stage.encode(OUTPUT)).failing(List.of(Fault.of(Fault.Kind.CUT).after(5)));

        String stream = post(CHAT, chat("\"stream\":true")).body();

        List<JsonNode> events = Stage.events(stream);
        assertThat(events.getLast().path("error").path("code").asInt()).isEqualTo(502);
        assertThat(events.get(events.size() - 2).path("choices").path(0).path("finish_reason").asText()).isEqualTo("error");
    }

    @Test
    void oneOfSeveralPromptsThatIsRefusedRefusesAll() throws Exception {
        proxy();
        String asked = "{\"model\":\"tiny\",\"prompt\":[\"a\",\"b\"],\"max_tokens\":2%s}";
        assertThat(Stage.json(post(COMPLETIONS, asked.formatted("")).body()).path("choices").size()).isEqualTo(2);

        script = Script.faults(Fault.of(Fault.Kind.STATUS).with(400));
        HttpResponse<String> answer = post(COMPLETIONS, asked.formatted(""));
        HttpResponse<String> stream = post(COMPLETIONS, asked.formatted(",\"stream\":true"));

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(stream.statusCode()).isEqualTo(400);
        assertThat(Stage.json(answer.body()).path("error").path("code").asInt()).isEqualTo(400);
    }

    @Test
    void demandedCallsAreDemandedOfTheServer() throws Exception {
        proxy();

        post(CHAT, chat("\"tools\":" + TOOLS + ",\"tool_choice\":\"required\""));

        JsonNode constraint = Stage.json(received.getFirst().body()).path("sampling_params").path("structured_outputs");
        assertThat(Stage.json(constraint.path("structural_tag").asText()).path("format").path("at_least_one").asBoolean()).isTrue();
    }

    /** A server with the doors of vLLM. */
    private static final class NativeServer implements AutoCloseable {
        static final String WHOLE = "{\"id\": \"chatcmpl-mine\", \"choices\": [{\"index\": 0, \"message\": {\"role\": \"assistant\", "
                + "\"content\": \"Hi\"}, \"finish_reason\": \"stop\"}], \"usage\": {\"prompt_tokens\": 1}}";
        static final String STREAM = """
                data: {"id":"c","choices":[{"index":0,"text":"a","finish_reason":"stop"}]}

                data: {"id":"c","choices":[{"index":1,"text":"b","finish_reason":"stop"}]}

                data: [DONE]

                """;

        private final HttpServer http;

        NativeServer(List<String> bodies) throws IOException {
            http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            http.createContext("/v1", exchange -> {
                String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                bodies.add(exchange.getRequestURI().getPath() + " " + exchange.getRequestHeaders().getFirst("X-Request-Id") + " " + body);
                boolean stream = body.contains("\"stream\":true");
                byte[] answer = (stream ? STREAM : WHOLE).getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().set("Content-Type", stream ? "text/event-stream; charset=utf-8" : "application/json");
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
                exchange.close();
            });
            http.start();
        }

        URI uri() {
            return URI.create("http://127.0.0.1:" + http.getAddress().getPort());
        }

        @Override
        public void close() {
            http.stop(0);
        }
    }
}
