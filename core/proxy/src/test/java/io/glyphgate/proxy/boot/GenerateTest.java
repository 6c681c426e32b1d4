package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static io.glyphgate.proxy.boot.Stage.encode;
import static io.glyphgate.proxy.boot.Stage.events;
import static io.glyphgate.proxy.boot.Stage.json;
import static io.glyphgate.proxy.boot.Stage.pool;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.simulator.Chunking;
import io.glyphgate.proxy.simulator.Fault;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.proxy.simulator.SimulatorOptions.Kind;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The generate door at its output modes, against servers without and with a tokenizer. */
class GenerateTest {
    private static final String OUTPUT = "<think>\nIt asks for é and 🛶.\n</think>\n\nLet me look.\n<tool_call>\n"
            + "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Tromsø 🛶\"}}\n</tool_call><|im_end|>";
    private static final String CONTEXT = "\"parse_context\":{\"tool_choice\":\"auto\",\"tools\":[{\"type\":\"function\",\"function\":"
            + "{\"name\":\"get_weather\",\"parameters\":{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}}}}}]}";

    @TempDir
    private Path folder;

    private Stage stage;
    private SimulatedServer bulk;
    private SimulatedServer full;

    @BeforeEach
    void start() {
        stage = new Stage(folder);
        bulk = stage.server(Stage.tokensOnly());
        full = stage.server(Stage.full());
        bulk.direct(request -> Script.tokens(encode(OUTPUT)));
        full.direct(request -> Script.tokens(encode(OUTPUT)));
        stage.proxy(pool("bulk", "none", bulk.uri()) + pool("full", "upstream", full.uri()) + pool("chat", "proxy", bulk.uri()));
    }

    @AfterEach
    void stop() {
        stage.close();
    }

    @Test
    void tokensAreTheServersOwnBytes() throws Exception {
        HttpResponse<String> stream = stage.post(body("\"stream\":true"));
        assertThat(stream.statusCode()).isEqualTo(200);
        assertThat(stream.headers().firstValue("X-Glyphgate-Pool")).hasValue("bulk");
        assertThat(stream.headers().firstValue("Content-Type")).hasValue("text/event-stream; charset=utf-8");
        assertThat(stream.headers().firstValue("X-Accel-Buffering")).hasValue("no");
        assertThat(stream.body())
                .isEqualTo(stage.post(bulk.uri(), Stage.GENERATE, body("\"stream\":true")).body());

        HttpResponse<String> batch = stage.post(body(""));
        assertThat(batch.headers().firstValue("X-Request-Id")).hasValue("r1");
        assertThat(withoutCreated(batch.body()))
                .isEqualTo(withoutCreated(stage.post(bulk.uri(), Stage.GENERATE, body("")).body()));
    }

    @Test
    void unknownFieldsReachTheServerAsTheyCame() throws Exception {
        stage.post(body("\"zzz\":[1.10,12345678901234567890123]"));
        assertThat(bulk.requests().getLast().body()).contains("\"zzz\":[1.10,12345678901234567890123]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "derender"})
    void theProxyMakesWhatAServerWithATokenizerMakes(String mode) throws Exception {
        String fields = "\"output_mode\":\"" + mode + "\"," + CONTEXT;
        HttpResponse<String> made = stage.post(body(fields), "X-Glyphgate-Pool", "chat");
        HttpResponse<String> forwarded = stage.post(body(fields), "X-Glyphgate-Pool", "full");
        assertThat(made.statusCode()).as(made.body()).isEqualTo(200);
        assertThat(made.headers().firstValue("X-Glyphgate-Pool")).hasValue("chat");
        assertThat(forwarded.headers().firstValue("X-Glyphgate-Pool")).hasValue("full");
        assertThat(withoutRandom(made.body())).isEqualTo(withoutRandom(forwarded.body()));
        assertThat(bulk.requests().getLast().body()).doesNotContain("output_mode").doesNotContain("parse_context");
    }

    @Test
    void aTextStreamIsTheSameFromBothPools() throws Exception {
        String fields = "\"output_mode\":\"text\",\"stream\":true,\"stream_options\":{\"include_usage\":true}";
        HttpResponse<String> made = stage.post(body(fields), "X-Glyphgate-Pool", "chat");
        HttpResponse<String> forwarded = stage.post(body(fields), "X-Glyphgate-Pool", "full");
        assertThat(events(made.body())).isEqualTo(events(forwarded.body()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 1000})
    void aDerenderStreamAssemblesToTheBatchMessage(int size) throws Exception {
        bulk.direct(request -> Script.tokens(encode(OUTPUT)).chunked(Chunking.of(size)));
        JsonNode batch = json(stage.post(body("\"output_mode\":\"derender\"," + CONTEXT), "X-Glyphgate-Pool", "chat").body())
                .at("/choices/0");
        HttpResponse<String> stream = stage.post(body("\"output_mode\":\"derender\",\"stream\":true," + CONTEXT));
        assertThat(stream.statusCode()).as(stream.body()).isEqualTo(200);
        assertThat(stream.headers().firstValue("X-Glyphgate-Pool")).hasValue("chat");

        StringBuilder reasoning = new StringBuilder();
        StringBuilder content = new StringBuilder();
        StringBuilder arguments = new StringBuilder();
        List<String> names = new ArrayList<>();
        List<String> roles = new ArrayList<>();
        List<String> reasons = new ArrayList<>();
        List<Integer> tokens = new ArrayList<>();
        for (JsonNode event : events(stream.body())) {
            assertThat(event.path("output_mode").asText()).isEqualTo("derender");
            JsonNode choice = event.at("/choices/0");
            choice.path("token_ids").forEach(id -> tokens.add(id.asInt()));
            JsonNode delta = choice.path("delta");
            assertThat(delta.has("reasoning") && (delta.has("content") || delta.has("tool_calls")))
                    .as("reasoning together with what follows it: %s", event)
                    .isFalse();
            reasoning.append(delta.path("reasoning").asText(""));
            content.append(delta.path("content").asText(""));
            if (delta.hasNonNull("role")) {
                roles.add(delta.path("role").asText());
            }
            for (JsonNode call : delta.path("tool_calls")) {
                if (call.at("/function/name").isTextual()) {
                    names.add(call.at("/function/name").asText());
                    assertThat(call.path("id").asText()).startsWith("chatcmpl-tool-");
                }
                arguments.append(call.at("/function/arguments").asText(""));
            }
            if (choice.hasNonNull("finish_reason")) {
                reasons.add(choice.path("finish_reason").asText());
            }
        }
        assertThat(reasoning.toString()).isEqualTo(batch.at("/message/reasoning").asText()).contains("🛶");
        assertThat(content.toString()).isEqualTo(batch.at("/message/content").asText());
        assertThat(names).containsExactly("get_weather");
        assertThat(json(arguments.toString())).isEqualTo(json("{\"city\":\"Tromsø 🛶\"}"));
        assertThat(json(batch.at("/message/tool_calls/0/function/arguments").asText())).isEqualTo(json(arguments.toString()));
        assertThat(roles).containsExactly("assistant");
        assertThat(reasons).containsExactly("tool_calls");
        assertThat(batch.path("finish_reason").asText()).isEqualTo("tool_calls");
        assertThat(tokens).containsExactlyElementsOf(Arrays.stream(encode(OUTPUT)).boxed().toList());
    }

    @Test
    void aChatRequestDoesWhatAParseContextDoes() throws Exception {
        String asChat = CONTEXT.replace("parse_context", "chat_request");
        JsonNode made = json(stage.post(body("\"output_mode\":\"derender\"," + asChat), "X-Glyphgate-Pool", "chat").body());
        assertThat(made.at("/choices/0/message/tool_calls/0/function/name").asText()).isEqualTo("get_weather");
        JsonNode forwarded = json(stage.post(body("\"output_mode\":\"derender\"," + asChat), "X-Glyphgate-Pool", "full").body());
        assertThat(forwarded.at("/choices/0/message/tool_calls/0/function/name").asText()).isEqualTo("get_weather");
        assertThat(full.requests().getLast().body()).contains("parse_context").doesNotContain("chat_request");
    }

    @Test
    void reasoningThatIsNotIncludedDoesNotLeakByItsTokens() throws Exception {
        String context = CONTEXT.replace("\"tool_choice\"", "\"include_reasoning\":false,\"tool_choice\"");
        for (String stream : List.of("", ",\"stream\":true")) {
            HttpResponse<String> answer =
                    stage.post(body("\"output_mode\":\"derender\"," + context + stream, "{\"logprobs\":1}"), "X-Glyphgate-Pool", "chat");
            assertThat(answer.body()).doesNotContain("asks").doesNotContain("\"token_ids\":[").doesNotContain("\"logprobs\":{");
            assertThat(answer.body()).contains("look");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void thePromptDecidesWhetherTheOutputStartsInReasoning(boolean stream) throws Exception {
        bulk.direct(request -> Script.tokens(encode("one<|im_end|>")));
        String fields = "\"output_mode\":\"derender\",\"parse_context\":{},\"stream\":" + stream;
        String open = stage.post(body(fields), "X-Glyphgate-Pool", "chat").body();
        assertThat(open).contains("\"reasoning\":\"one\"").doesNotContain("\"content\":\"one\"");
        String closed = stage.post(body("<think>\n\n</think>\n\n", fields, "{}"), "X-Glyphgate-Pool", "chat")
                .body();
        assertThat(closed).contains("\"content\":\"one\"").doesNotContain("\"reasoning\":\"one\"");
    }

    @Test
    void logprobsGetTheChatShape() throws Exception {
        String output = "<think>one</think>é <|im_end|>";
        bulk.direct(request -> Script.tokens(encode(output)));
        full.direct(request -> Script.tokens(encode(output)));
        String fields = "\"output_mode\":\"text\"";
        HttpResponse<String> made = stage.post(body(fields, "{\"logprobs\":2,\"seed\":1}"), "X-Glyphgate-Pool", "chat");
        HttpResponse<String> forwarded = stage.post(body(fields, "{\"logprobs\":2,\"seed\":1}"), "X-Glyphgate-Pool", "full");
        assertThat(json(made.body()).at("/choices/0/logprobs/content").size()).isEqualTo(encode(output).length);
        assertThat(json(made.body()).at("/choices/0/logprobs")).isEqualTo(json(forwarded.body()).at("/choices/0/logprobs"));
    }

    @Test
    void everyChoiceHasItsOwnState() throws Exception {
        bulk.direct(request -> new Script(
                List.of(output("<think>a</think>one<|im_end|>"), output("<think>bb</think>two 🛶<|im_end|>")), null, null, List.of()));
        String fields = "\"output_mode\":\"derender\",\"stream\":true,\"parse_context\":{}";
        StringBuilder[] contents = {new StringBuilder(), new StringBuilder()};
        StringBuilder[] reasonings = {new StringBuilder(), new StringBuilder()};
        HttpResponse<String> stream = stage.post(body(fields, "{\"n\":2}"));
        for (JsonNode event : events(stream.body())) {
            for (JsonNode choice : event.path("choices")) {
                contents[choice.path("index").asInt()].append(choice.at("/delta/content").asText(""));
                reasonings[choice.path("index").asInt()].append(choice.at("/delta/reasoning").asText(""));
            }
        }
        assertThat(contents[0].toString()).isEqualTo("one");
        assertThat(contents[1].toString()).isEqualTo("two 🛶");
        assertThat(reasonings[0].toString()).isEqualTo("a");
        assertThat(reasonings[1].toString()).isEqualTo("bb");
    }

    @Test
    void aStopStringEndsAStreamOfATokensOnlyServerAtOnce() throws Exception {
        String fields = "\"output_mode\":\"text\",\"stream\":true,\"stream_options\":{\"include_usage\":true}";
        bulk.direct(request -> Script.tokens(encode("one two three four five")).failing(List.of(
                Fault.of(Fault.Kind.STALL).after(4))));
        HttpResponse<String> answer = stage.post(body(fields, "{\"stop\":[\"o thr\"]}"), "X-Glyphgate-Pool", "chat");
        List<JsonNode> events = events(answer.body());
        StringBuilder text = new StringBuilder();
        events.forEach(event -> text.append(event.at("/choices/0/text").asText("")));
        assertThat(text.toString()).isEqualTo("one tw");
        JsonNode last = events.get(events.size() - 2).at("/choices/0");
        assertThat(last.path("finish_reason").asText()).isEqualTo("stop");
        assertThat(last.path("stop_reason").asText()).isEqualTo("o thr");
        assertThat(events.getLast().at("/usage/completion_tokens").asInt()).isEqualTo(3);
        bulk.await("the leg is aborted", Stage.LIMIT, () -> bulk.activeRequests() == 0);
        assertThat(bulk.abortedRequestIds()).containsExactly("generate-tokens-r1");
        assertThat(bulk.requests().getLast().body()).doesNotContain("\"stop\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tokens", "text", "derender"})
    void aStopStringEndsABatchAnswerOfATokensOnlyServerAtOnce(String mode) throws Exception {
        String output = "<think>x</think>one two three four five";
        bulk.direct(request -> Script.tokens(encode(output)).failing(List.of(
                Fault.of(Fault.Kind.STALL).after(7))));
        full.direct(request -> Script.tokens(encode(output)));
        String fields = "\"output_mode\":\"" + mode + "\",\"parse_context\":{\"tool_choice\":\"none\"}";
        String sampling = "{\"stop\":[\"o thr\"],\"logprobs\":1,\"seed\":1}";
        HttpResponse<String> made = stage.post(body(fields, sampling), "X-Glyphgate-Pool", "chat");
        assertThat(made.statusCode()).as(made.body()).isEqualTo(200);
        HttpResponse<String> forwarded = stage.post(body(fields, sampling), "X-Glyphgate-Pool", "full");
        assertThat(withoutRandom(made.body())).isEqualTo(withoutRandom(forwarded.body()));
        bulk.await("the leg is aborted", Stage.LIMIT, () -> bulk.activeRequests() == 0);
        assertThat(bulk.abortedRequestIds()).containsExactly("generate-tokens-r1");
    }

    @Test
    void theEndOfSequenceTokenIsNoStopReasonWhoeverMatchesTheStopStrings() throws Exception {
        bulk.direct(request -> Script.tokens(encode("short<|im_end|>")));
        for (String sampling : List.of("{}", "{\"stop\":[\"never\"]}")) {
            for (String stream : List.of("", ",\"stream\":true")) {
                HttpResponse<String> answer =
                        stage.post(body("\"output_mode\":\"text\"" + stream, sampling), "X-Glyphgate-Pool", "chat");
                assertThat(answer.body()).contains("\"finish_reason\":\"stop\",\"stop_reason\":null").doesNotContain("im_end");
            }
        }
        assertThat(stage.post(body(""), "X-Glyphgate-Pool", "bulk").body()).contains("\"stop_reason\":151645");
    }

    @Test
    void anOldServersTokensAreNotPassedOffAsText() throws Exception {
        SimulatedServer old = stage.server(Stage.tokensOnly().kind(Kind.OLD_VLLM));
        stage.proxy(pool("old", "upstream", old.uri()));
        for (String stream : List.of("", ",\"stream\":true")) {
            HttpResponse<String> answer = stage.post(body("\"output_mode\":\"text\"" + stream));
            assertThat(answer.statusCode()).isEqualTo(502);
            assertThat(answer.headers().firstValue("X-Glyphgate-Error")).hasValue("upstream-ignored-output-mode");
        }
    }

    @Test
    void anOldServerServesEveryModeBehindAProxyPool() throws Exception {
        SimulatedServer old = stage.server(Stage.tokensOnly().kind(Kind.OLD_VLLM));
        old.direct(request -> Script.tokens(encode(OUTPUT)));
        stage.proxy(pool("old", "proxy", old.uri()));
        JsonNode answer = json(stage.post(body("\"output_mode\":\"derender\"," + CONTEXT, "{\"logprobs\":1}")).body());
        assertThat(answer.path("output_mode").asText()).isEqualTo("derender");
        assertThat(answer.at("/choices/0/message/tool_calls/0/function/name").asText()).isEqualTo("get_weather");
        assertThat(answer.at("/choices/0/logprobs/content/0/token").asText()).isEqualTo("<think>");
    }

    @Test
    void aRustFrontendServesTextBehindAProxyPool() throws Exception {
        SimulatedServer rust = stage.server(Stage.tokensOnly().kind(Kind.RUST_FRONTEND));
        rust.direct(request -> Script.tokens(encode("short")));
        stage.proxy(pool("rust", "proxy", rust.uri()));
        List<JsonNode> events = events(stage.post(body("\"output_mode\":\"text\",\"stream\":true")).body());
        StringBuilder text = new StringBuilder();
        events.forEach(event -> text.append(event.at("/choices/0/text").asText("")));
        assertThat(text.toString()).isEqualTo("short");
    }

    @Test
    void aRequestIdThatCannotStandInAHeaderReachesTheServerInTheBodyOnly() throws Exception {
        String id = "r\\r\\nX-Evil: 1";
        HttpResponse<String> answer = stage.post(body("").replace("\"r1\"", "\"" + id + "\""));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("X-Request-Id")).isEmpty();
        assertThat(answer.headers().firstValue("X-Evil")).isEmpty();
        assertThat(bulk.requests().getLast().headers()).doesNotContainKeys("X-Request-Id", "X-Evil");
        assertThat(json(answer.body()).path("request_id").asText()).isEqualTo("generate-tokens-r\r\nX-Evil: 1");
    }

    @Test
    void anAliasReachesTheServerUnderItsOwnName() throws Exception {
        assertThat(stage.post(body("").replace("\"model\":\"m\"", "\"model\":\"alias\"")).statusCode()).isEqualTo(200);
        assertThat(bulk.requests().getLast().body()).contains("\"model\":\"m\"");
    }

    private static Script.Output output(String text) {
        return new Script.Output(encode(text), null);
    }

    private static JsonNode withoutCreated(String text) {
        return ((ObjectNode) json(text)).without("created");
    }

    /** An answer without what differs by chance, and without the weight versions, which a stopped server does not tell. */
    private static JsonNode withoutRandom(String text) {
        ObjectNode answer = (ObjectNode) json(text.replaceAll("chatcmpl-tool-[0-9a-f]{32}", "chatcmpl-tool-x"));
        answer.path("choices").forEach(choice -> ((ObjectNode) choice).remove("weight_versions"));
        return answer.without("created");
    }
}
