package io.glyphgate.proxy.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.simulator.Chunking;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

/**
 * The same tokens make the same message, whichever way a client gets it: of the chat's door, of generate at derender, or of the
 * derender door; whole or as a stream; however the tokens are cut; and whether a derendered stream waits in the proxy or not.
 */
class DerenderProperties {
    private static final String TOOLS = "[{\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"parameters\":"
            + "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"},\"days\":{\"type\":\"integer\"}}}}}]";
    private static final List<String> PIECES = List.of(
            "It asks", " for é", " 🛶", "\n", "  ", "<think>", "\n</think>\n\n", "</thi", "<tool_call>", "</tool_call>", "Let me look.",
            "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Tromsø 🛶\"}}\n</tool_call>",
            "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\", \"days\": 2}}\n</tool_call>\n",
            "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"ci", "<|endoftext|>", "STOP", "ST");

    private static @Nullable Path folder;
    private static @Nullable Stage stage;
    private static volatile Script script = Script.NONE;
    private static URI keeping = URI.create("unset:/");
    private static URI forgetting = URI.create("unset:/");

    /**
     * One output.
     *
     * @param ids its tokens, without the one that ends it
     * @param size how many come with each chunk
     * @param tools whether tools are offered
     * @param stops whether a stop string is asked for
     * @param reasoning whether the client wants the reasoning
     */
    record Said(List<Integer> ids, int size, boolean tools, boolean stops, boolean reasoning) {
        int[] tokens() {
            return ids.stream().mapToInt(id -> id).toArray();
        }
    }

    @BeforeContainer
    static void start() throws IOException {
        folder = Files.createTempDirectory("derender");
        stage = new Stage(folder);
        SimulatedServer server = stage.server(Stage.tokensOnly().model("tiny").maxModelLength(2048));
        server.direct(request -> script);
        String yaml = OpenAiCaptures.configuration(folder, server.uri());
        stage.proxyOf(yaml);
        keeping = stage.uri();
        stage.proxyOf(yaml + "derender: { streams: 0 }\n");
        forgetting = stage.uri();
    }

    @AfterContainer
    static void stop() {
        the(stage).close();
    }

    private static <T> T the(@Nullable T started) {
        return Objects.requireNonNull(started);
    }

    @Provide
    static Arbitrary<Said> outputs() {
        Arbitrary<List<Integer>> pieces = Arbitraries.frequencyOf(
                        Tuple.of(8, Arbitraries.of(PIECES).map(DerenderProperties::ids)),
                        Tuple.of(1, Arbitraries.integers().between(0, 151_600).map(List::of)))
                .list().ofMinSize(1).ofMaxSize(9)
                .map(parts -> parts.stream().flatMap(List::stream).toList());
        return Combinators.combine(
                        pieces,
                        Arbitraries.of(1, 2, 3, 5, 9, 1000),
                        Arbitraries.of(true, true, false),
                        Arbitraries.of(true, false),
                        Arbitraries.of(true, true, true, false))
                .as(Said::new);
    }

    private static List<Integer> ids(String text) {
        return IntStream.of(Stage.encode(text)).boxed().toList();
    }

    private static ObjectNode chat(Said said, boolean stream) {
        ObjectNode chat = Stage.JSON.createObjectNode().put("model", "tiny").put("stream", stream).put("return_token_ids", true);
        chat.putArray("messages").addObject().put("role", "user").put("content", "Hi");
        if (said.tools) {
            chat.set("tools", Stage.json(TOOLS));
        }
        if (said.stops) {
            chat.put("stop", "STOP");
        }
        return chat.put("include_reasoning", said.reasoning);
    }

    private static JsonNode post(URI to, String path, JsonNode body) throws Exception {
        HttpResponse<String> answer = the(stage).post(to, path, body.toString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return Stage.json(answer.body());
    }

    private static List<JsonNode> events(String path, JsonNode body) throws Exception {
        return Stage.events(the(stage).post(keeping, path, body.toString()).body());
    }

    @Property(tries = 60)
    void allWaysGiveTheSameMessage(@ForAll("outputs") Said said) throws Exception {
        script = Script.tokens(said.tokens()).chunked(Chunking.of(said.size));
        JsonNode whole = post(keeping, "/v1/chat/completions", chat(said, false));
        String wanted = message(whole.path("choices").path(0).path("message"), whole.path("choices").path(0));
        ObjectNode generate = (ObjectNode) post(keeping, "/v1/chat/completions/render", chat(said, false));

        assertThat(joined(events("/v1/chat/completions", chat(said, true)))).as("chat, stream").isEqualTo(wanted);

        ObjectNode inline = generate.deepCopy().put("output_mode", "derender");
        JsonNode inlined = post(keeping, Stage.GENERATE, inline).path("choices").path(0);
        assertThat(message(inlined.path("message"), inlined)).as("generate at derender").isEqualTo(wanted);
        assertThat(joined(events(Stage.GENERATE, inline.put("stream", true)))).as("generate at derender, stream").isEqualTo(wanted);

        // a server of tokens that does not match stop strings
        ObjectNode tokens = generate.deepCopy();
        ((ObjectNode) tokens.path("sampling_params")).putArray("stop");
        JsonNode answer = post(keeping, Stage.GENERATE, tokens);
        JsonNode derendered = post(keeping, "/v1/chat/completions/derender", derender(said, generate).set("generate_response", answer));
        assertThat(message(derendered.path("choices").path(0).path("message"), derendered.path("choices").path(0)))
                .as("derender")
                .isEqualTo(wanted);
        List<JsonNode> chunks = events(Stage.GENERATE, tokens.put("stream", true));
        assertThat(derendered(keeping, said, generate, chunks)).as("derender, stream").isEqualTo(wanted);
        assertThat(derendered(forgetting, said, generate, chunks)).as("derender, stream made again").isEqualTo(wanted);
    }

    private static ObjectNode derender(Said said, JsonNode generate) {
        ObjectNode body = Stage.JSON.createObjectNode().put("model", "tiny");
        body.put("prompt_tokens", generate.path("token_ids").size());
        body.set("prompt_token_ids", generate.path("token_ids"));
        return body.set("chat_request", chat(said, false));
    }

    private static String derendered(URI proxy, Said said, JsonNode generate, List<JsonNode> chunks) throws Exception {
        JsonNode state = Stage.JSON.nullNode();
        ArrayNode made = Stage.JSON.createArrayNode();
        for (JsonNode chunk : chunks) {
            ObjectNode body = derender(said, generate).put("stream", true);
            body.set("generate_chunk", chunk);
            body.set("stream_state", state);
            JsonNode answer = post(proxy, "/v1/chat/completions/derender", body);
            state = answer.path("stream_state");
            made.add(answer.path("chunk"));
        }
        return joined(IntStream.range(0, made.size()).mapToObj(made::get).toList());
    }

    private static String message(JsonNode message, JsonNode choice) {
        StringBuilder calls = new StringBuilder();
        message.path("tool_calls").forEach(call -> calls.append(call.path("function").path("name").asText())
                .append(call.path("function").path("arguments").asText())
                .append(';'));
        return message.path("reasoning").asText("") + "|" + message.path("content").asText("") + "|" + calls + "|"
                + choice.path("finish_reason").asText() + choice.path("stop_reason");
    }

    private static String joined(List<JsonNode> events) {
        StringBuilder reasoning = new StringBuilder();
        StringBuilder content = new StringBuilder();
        Map<Integer, String> calls = new TreeMap<>();
        String finish = "";
        for (JsonNode event : events) {
            JsonNode choice = event.path("choices").path(0);
            JsonNode delta = choice.path("delta");
            reasoning.append(delta.path("reasoning").asText(""));
            content.append(delta.path("content").asText(""));
            delta.path("tool_calls").forEach(call -> calls.merge(
                    call.path("index").asInt(),
                    call.path("function").path("name").asText("") + call.path("function").path("arguments").asText(""),
                    String::concat));
            if (choice.path("finish_reason").isTextual()) {
                finish += choice.path("finish_reason").asText() + choice.path("stop_reason");
            }
        }
        StringBuilder joined = new StringBuilder();
        calls.values().forEach(call -> joined.append(call).append(';'));
        return reasoning + "|" + content + "|" + joined + "|" + finish;
    }
}
