package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.encode;
import static io.glyphgate.proxy.boot.Stage.eventually;
import static io.glyphgate.proxy.boot.Stage.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import io.glyphgate.proxy.simulator.Chunking;
import io.glyphgate.proxy.simulator.Fault;
import io.glyphgate.proxy.simulator.ReceivedRequest;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Chats and completions whose prompts a pool of role {@code render} makes. What renders is another Glyphgate, which has the doors of
 * {@code vllm launch render}, or a server that is made up to fail.
 */
class RenderPoolTest {
    private static final String CHAT = "/v1/chat/completions";
    private static final String COMPLETIONS = "/v1/completions";
    private static final String OUTPUT = "It asks for é and 🛶.\n</think>\n\nLet me look.\n<tool_call>\n"
            + "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Tromsø 🛶\"}}\n</tool_call><|im_end|>";
    private static final String MESSAGE = "It asks for é and 🛶.\n|\n\nLet me look.\n|get_weather{\"city\": \"Tromsø 🛶\"}|tool_calls";
    private static final String TOOLS = "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"parameters\":"
            + "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}}}}}]";
    private static final String MESSAGES = "\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]";

    @TempDir
    private Path folder;

    private Stage stage;
    private SimulatedServer engine;
    private Proxy proxy;
    private final List<HttpServer> madeUp = new ArrayList<>();
    private final List<ReceivedRequest> received = new CopyOnWriteArrayList<>();
    private Script script = Script.tokens(encode(OUTPUT));

    @BeforeEach
    void start() throws Exception {
        stage = new Stage(folder);
        engine = stage.server(Stage.tokensOnly());
        engine.direct(request -> {
            received.add(request);
            return script;
        });
        proxy = renderer();
    }

    @AfterEach
    void nothingStaysOpen() throws Exception {
        engine.await("no request is active", Stage.LIMIT, () -> engine.activeRequests() == 0);
        eventually("nothing is in flight", () -> proxy.inFlight() == 0 && proxy.running() == 0 && proxy.watched() == 0);
        stage.close();
        madeUp.forEach(server -> server.stop(0));
    }

    /** What renders: its model has another name and other defaults. Only this one has a chat template. */
    private Proxy renderer() throws IOException {
        return stage.proxyOf(OpenAiCaptures.configuration(folder, Stage.nobody())
                .replace("  tiny:\n", "  served:\n")
                .replace("model: tiny", "model: served")
                .replace("kv-params: pass", "sampling-defaults: { top_k: 7 }"));
    }

    /** A proxy before the engine and what renders. */
    private void proxy(boolean tokenizer, URI... renderers) {
        proxyOf(tokenizer, "", renderers);
    }

    private void proxyOf(boolean tokenizer, String more, URI... renderers) {
        proxy = stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0, drain: 5s }
                models: { m: { %s } }
                upstream: { tokenizer-mismatch: ignore }
                pools:
                  engine: { model: m, tokenizer: %s, endpoints: [ %s ] }
                  render: { model: m, served-model: served, role: render, tokenizer: upstream, policy: round-robin, endpoints: %s }
                %s
                """.formatted(
                        tokenizer ? "tokenizer: { source: " + Stage.QWEN3 + " }, reasoning-parser: qwen3, tool-parser: hermes" : "",
                        tokenizer ? "proxy" : "none",
                        engine.uri(),
                        List.of(renderers),
                        more));
    }

    private HttpResponse<String> post(String path, String body, String... headers) throws Exception {
        return stage.post(stage.uri(), path, body, headers);
    }

    private static String chat(String fields) {
        return "{\"model\":\"m\"," + MESSAGES + (fields.isEmpty() ? "" : "," + fields) + "}";
    }

    private static String text(JsonNode message, String finish) {
        StringBuilder calls = new StringBuilder();
        message.path("tool_calls").forEach(call -> calls.append(call.path("function").path("name").asText(""))
                .append(call.path("function").path("arguments").asText("")));
        return message.path("reasoning").asText("") + "|" + message.path("content").asText("") + "|" + calls + "|" + finish;
    }

    /** What a client puts together of a stream, by choice. */
    private static Map<Integer, String> joined(List<JsonNode> events) {
        Map<Integer, ObjectNode> messages = new TreeMap<>();
        Map<Integer, String> finishes = new TreeMap<>();
        for (JsonNode event : events) {
            for (JsonNode choice : event.path("choices")) {
                ObjectNode message = messages.computeIfAbsent(choice.path("index").asInt(), i -> Stage.JSON.createObjectNode());
                for (String name : List.of("reasoning", "content")) {
                    message.put(name, message.path(name).asText("") + choice.path("delta").path(name).asText(""));
                }
                choice.path("delta").path("tool_calls").forEach(message.withArray("tool_calls")::add);
                if (!choice.path("finish_reason").isNull()) {
                    finishes.put(choice.path("index").asInt(), choice.path("finish_reason").asText());
                }
            }
        }
        Map<Integer, String> all = new TreeMap<>();
        messages.forEach((index, message) -> all.put(index, text(message, finishes.getOrDefault(index, "none"))));
        return all;
    }

    private JsonNode asked() {
        return json(received.getLast().body());
    }

    @ParameterizedTest
    @CsvSource({"true, 1", "true, 1000", "false, 1", "false, 3", "false, 1000"})
    void aChatIsWhatTheModelSaid(boolean tokenizer, int size) throws Exception {
        proxy(tokenizer, stage.uri());
        script = script.chunked(Chunking.of(size));

        JsonNode whole = json(post(CHAT, chat(TOOLS), "X-Request-Id", "mine").body());
        HttpResponse<String> stream = post(
                CHAT, chat(TOOLS + ",\"n\":2,\"stream\":true,\"stream_options\":{\"include_usage\":true}"), "X-Request-Id", "mine");

        assertThat(text(whole.at("/choices/0/message"), whole.at("/choices/0/finish_reason").asText())).isEqualTo(MESSAGE);
        assertThat(whole.path("id").asText()).isEqualTo("chatcmpl-mine");
        assertThat(whole.path("model").asText()).isEqualTo("m");
        List<JsonNode> events = Stage.events(stream.body());
        assertThat(joined(events)).isEqualTo(Map.of(0, MESSAGE, 1, MESSAGE));
        assertThat(events).allSatisfy(event -> {
            assertThat(event.path("id").asText()).isEqualTo("chatcmpl-mine");
            assertThat(event.path("model").asText()).isEqualTo("m");
        });
        assertThat(events.getLast().path("usage").path("prompt_tokens")).isEqualTo(whole.path("usage").path("prompt_tokens"));
        assertThat(stream.headers().firstValue("X-Glyphgate-Pool")).contains("engine");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void thePromptAndTheParametersAreTheServers(boolean tokenizer) throws Exception {
        proxy(tokenizer, stage.uri());

        JsonNode whole = json(post(CHAT, chat("\"temperature\":0.5,\"max_tokens\":5")).body());

        assertThat(asked().path("sampling_params").path("top_k").asInt()).isEqualTo(7); // a default of what renders
        assertThat(asked().path("sampling_params").path("temperature").asDouble()).isEqualTo(0.5);
        assertThat(asked().path("model").asText()).isEqualTo("m");
        int[] prompt = encode("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
        assertThat(Stage.JSON.convertValue(asked().path("token_ids"), int[].class)).isEqualTo(prompt);
        assertThat(whole.at("/usage/prompt_tokens").asInt()).isEqualTo(prompt.length);
    }

    @ParameterizedTest
    @CsvSource({"true, false", "true, true", "false, false", "false, true"})
    void aCompletionIsWhatTheModelSaid(boolean tokenizer, boolean stream) throws Exception {
        proxy(tokenizer, stage.uri());
        script = Script.tokens(encode("One é 🛶."));

        String body = post(COMPLETIONS, "{\"model\":\"m\",\"prompt\":\"Hi\",\"max_tokens\":50,\"stream\":" + stream + "}").body();

        StringBuilder text = new StringBuilder();
        for (JsonNode each : stream ? Stage.events(body) : List.of(json(body))) {
            text.append(each.at("/choices/0/text").asText());
            assertThat(each.path("model").asText()).isEqualTo("m");
        }
        assertThat(text.toString()).isEqualTo("One é 🛶.");
    }

    @Test
    void severalPromptsAreRenderedTogether() throws Exception {
        proxy(true, stage.uri());
        script = Script.tokens(encode("yes"));

        JsonNode two = json(post(COMPLETIONS, "{\"model\":\"m\",\"prompt\":[\"Hi\",\"Ho\"],\"echo\":true}").body());

        assertThat(two.path("choices").findValuesAsText("text")).containsExactly("Hiyes", "Hoyes");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock = """
            /v1/completions      | "prompt":["Hi","Ho"]       | prompt
            /v1/completions      | "prompt":"Hi","echo":true  | echo
            /v1/chat/completions | "messages":[{"role":"user","content":"Hi"}],"return_prompt_text":true | return_prompt_text
            /v1/chat/completions | "messages":[{"role":"user","content":"Hi"}],"stop":"x" | model
            """)
    void whatNeedsATokenizerIsRefusedWithoutOne(String path, String fields, String param) throws Exception {
        List<String> asked = new CopyOnWriteArrayList<>();
        proxy(false, madeUp(path2 -> asked.add(path2) ? "{}" : ""));

        HttpResponse<String> answer = post(path, "{\"model\":\"m\"," + fields + "}");

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        if (!param.equals("model")) {
            assertThat(json(answer.body()).at("/error/param").asText()).isEqualTo(param);
        }
        assertThat(asked).isEmpty();
        assertThat(received).isEmpty();
    }

    @Test
    void theRefusalOfWhatRendersIsTheClients() throws Exception {
        proxy(true, stage.uri());
        String image = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":"
                + "{\"url\":\"data:,x\"}}]}]}";

        HttpResponse<String> answer = post(CHAT, image);
        HttpResponse<String> message = post(
                "/v1/messages", "{\"model\":\"m\",\"max_tokens\":5,\"messages\":[{\"role\":\"robot\",\"content\":\"Hi\"}]}");

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.headers().firstValue("X-Glyphgate-Error")).contains("upstream-refused");
        assertThat(json(answer.body()).at("/error/code").asInt()).isEqualTo(400);
        assertThat(json(message.body()).path("type").asText()).isEqualTo("error");
        assertThat(received).isEmpty();
    }

    @Test
    void anotherServerRendersWhereOneFails() throws Exception {
        URI good = stage.uri();
        URI full = madeUp(path -> "503");
        URI broken = madeUp(path -> "500");
        proxy(false, Stage.nobody(), full, broken, good);

        for (int i = 0; i < 4; i++) { // each comes first once
            JsonNode whole = json(post(CHAT, chat(TOOLS)).body());
            assertThat(text(whole.at("/choices/0/message"), whole.at("/choices/0/finish_reason").asText())).isEqualTo(MESSAGE);
        }

        String metrics = stage.get("/metrics").body();
        assertThat(metrics)
                .contains("pool=\"render\",reason=\"full\"")
                .contains("pool=\"render\",reason=\"server-error\"");
    }

    @Test
    void aServerThatIsFullIsPassedOverForAWhile() throws Exception {
        URI good = stage.uri();
        List<String> asked = new CopyOnWriteArrayList<>();
        URI full = madeUp(path -> asked.add(path) ? "503" : "");
        proxy(false, full, good);

        for (int i = 0; i < 8; i++) {
            assertThat(post(CHAT, chat("\"max_tokens\":1")).statusCode()).isEqualTo(200);
        }

        assertThat(asked).hasSizeBetween(1, 3); // in turn with the other it would be eight: each chat is rendered, and read
    }

    @ParameterizedTest
    @CsvSource({"'', 503, no-endpoint", "500, 500, upstream-refused", "{, 502, upstream-bad-answer", "[], 502, upstream-bad-answer",
        "307, 502, upstream-bad-answer",
        "'{\"token_ids\":[],\"sampling_params\":{}}', 502, upstream-bad-answer"})
    void whereNobodyRendersTheClientIsTold(String said, int status, String slug) throws Exception {
        proxyOf(true, "retries: { attempts: 1 }", said.isEmpty() ? Stage.nobody() : madeUp(path -> said));

        HttpResponse<String> answer = post(CHAT, chat(""));

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("X-Glyphgate-Error")).contains(slug);
        assertThat(received).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoFailsToReadTheOutputEndsTheRequest(boolean stream) throws Exception {
        List<Integer> chunks = new CopyOnWriteArrayList<>();
        String rendered = "{\"token_ids\":[1,2],\"sampling_params\":{},\"stream\":" + stream + "}";
        String first = "{\"chunk\":{\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"A\"}}]},\"stream_state\":{\"n\":1}}";
        URI reader = madeUp(path -> path.endsWith("/derender") ? (stream && chunks.add(1) && chunks.size() == 1 ? first : "400") : rendered);
        proxy(false, reader);
        script = script.chunked(Chunking.of(1));

        HttpResponse<String> answer = post(CHAT, chat("\"stream\":" + stream));

        if (stream) {
            assertThat(answer.statusCode()).isEqualTo(200);
            List<JsonNode> events = Stage.events(answer.body());
            assertThat(events).hasSize(2);
            assertThat(events.getFirst().at("/choices/0/delta/content").asText()).isEqualTo("A");
            assertThat(events.getLast().at("/error/code").asInt()).isEqualTo(400);
        } else {
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.headers().firstValue("X-Glyphgate-Error")).contains("upstream-refused");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theDoorsOfWhatRendersAreOpenHereToo(boolean tokenizer) throws Exception {
        proxy(tokenizer, stage.uri());
        script = Script.tokens(encode("It asks.\n</think>\n\nYes.<|im_end|>"));

        JsonNode rendered = json(post(CHAT + "/render", chat("")).body());
        JsonNode prompts = json(post(COMPLETIONS + "/render", "{\"model\":\"m\",\"prompt\":[\"Hi\",\"Ho\"]}").body());
        JsonNode said = json(post(Stage.GENERATE, rendered.toString()).body());
        ObjectNode body = Stage.JSON.createObjectNode().put("model", "m");
        body.set("generate_response", said);
        body.set("prompt_token_ids", rendered.path("token_ids"));
        body.set("chat_request", json(chat("")));
        JsonNode derendered = json(post(CHAT + "/derender", body.toString()).body());

        assertThat(rendered.path("model").asText()).isEqualTo("m");
        assertThat(rendered.at("/sampling_params/top_k").asInt()).isEqualTo(7);
        assertThat(prompts.findValuesAsText("model")).containsExactly("m", "m");
        assertThat(derendered.at("/choices/0/message/reasoning").asText()).isEqualTo("It asks.\n");
        assertThat(derendered.at("/choices/0/message/content").asText()).isEqualTo("\n\nYes.");
        assertThat(derendered.path("model").asText()).isEqualTo("m");
    }

    @Test
    void aChunkIsReadByWhatRenders() throws Exception {
        proxy(false, stage.uri());
        ObjectNode body = Stage.JSON.createObjectNode().put("model", "m").put("stream", true);
        body.putObject("generate_chunk").put("request_id", "r").putArray("choices").addObject().put("index", 0)
                .putArray("token_ids").add(encode("Hi")[0]);
        body.putArray("prompt_token_ids").add(1);

        JsonNode answer = json(post(COMPLETIONS + "/derender", body.toString()).body());

        assertThat(answer.at("/chunk/choices/0/text").asText()).isEqualTo("Hi");
        assertThat(answer.at("/chunk/model").asText()).isEqualTo("m");
        assertThat(answer.has("stream_state")).isTrue();
    }

    @Test
    void textsBecomeTokensThere() throws Exception {
        proxy(false, stage.uri());

        JsonNode tokens = json(post("/tokenize", "{\"model\":\"m\",\"prompt\":\"Hi\"}").body());

        assertThat(Stage.JSON.convertValue(tokens.path("tokens"), int[].class)).isEqualTo(encode("Hi"));
    }

    @Test
    void aMessageIsRenderedThereToo() throws Exception {
        proxy(true, stage.uri());
        String body = "{\"model\":\"m\",\"max_tokens\":100,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";

        JsonNode answer = json(post("/v1/messages", body).body());
        JsonNode count = json(post("/v1/messages/count_tokens", body).body());

        assertThat(answer.at("/content/1/text").asText()).contains("Let me look.");
        assertThat(asked().path("sampling_params").path("top_k").asInt()).isEqualTo(7);
        assertThat(count.path("input_tokens").asInt()).isEqualTo(asked().path("token_ids").size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"served", "other"})
    void aServerThatRendersNeedsNoDoorToGenerate(String serves) throws Exception {
        URI renders = madeUp(path -> path.equals("/v1/models") ? "{\"data\":[{\"id\":\"" + serves + "\"}]}" : "404");
        Throwable start = catchThrowable(() -> stage.watchingProxyOf("""
                server: { host: 127.0.0.1, port: 0 }
                models: { m: {} }
                upstream: { misfit: fail }
                pools:
                  engine: { model: m, tokenizer: none, endpoints: [ %s ] }
                  render: { model: m, served-model: served, role: render, tokenizer: upstream, endpoints: [ %s ] }
                """.formatted(engine.uri(), renders)));

        if (serves.equals("served")) {
            assertThat(start).isNull();
        } else {
            assertThat(start).hasMessageContaining("it does not serve 'served'").hasMessageNotContaining("/inference/v1/generate");
        }
    }

    @Test
    void aClientThatLeavesEndsTheRequest() throws Exception {
        proxy(false, stage.uri());
        script = Script.tokens(encode("x ".repeat(500))).chunked(Chunking.of(1)).failing(
                Fault.parse("stall@3=60s"));
        String body = chat("\"stream\":true");
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), stage.uri().getPort())) {
            socket.getOutputStream().write(("POST " + CHAT + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
                            + body.length() + "\r\n\r\n" + body)
                    .getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().read()).isPositive();
        }

        engine.await("the request is aborted", Stage.LIMIT, () -> !engine.abortedRequestIds().isEmpty());
    }

    /** A server that says what a test says of a path: an answer, or a status. */
    private URI madeUp(Function<String, String> says) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            String said = says.apply(exchange.getRequestURI().getPath());
            boolean status = said.matches("[0-9]{3}");
            byte[] body = (status ? "{\"error\":{\"message\":\"no\",\"type\":\"x\",\"param\":null,\"code\":" + said + "}}" : said)
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(status ? Integer.parseInt(said) : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        madeUp.add(server);
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }
}
