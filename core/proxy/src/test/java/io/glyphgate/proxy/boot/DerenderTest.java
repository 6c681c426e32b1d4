package io.glyphgate.proxy.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams that are derendered chunk by chunk: what the client carries, what waits in the proxy, and what is refused. */
class DerenderTest {
    private static final String CHAT = "/v1/chat/completions/derender";
    private static final String COMPLETIONS = "/v1/completions/derender";
    private static final String OUTPUT = "It asks for é and 🛶.\n</think>\n\nLet me look.\n<tool_call>\n"
            + "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Tromsø 🛶\"}}\n</tool_call><|im_end|>";
    private static final String MESSAGE =
            "It asks for é and 🛶.\n|\n\nLet me look.\n|get_weather{\"city\": \"Tromsø 🛶\"}|tool_calls";
    private static final String TOOLS = "[{\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"parameters\":"
            + "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}}}}}]";
    private static final String KEY = "0123456789abcdef0123456789abcdef";

    @TempDir
    private Path folder;

    private Stage stage;

    @BeforeEach
    void start() {
        stage = new Stage(folder);
    }

    @AfterEach
    void stop() {
        stage.close();
    }

    private URI proxy(String keys) throws Exception {
        Files.writeString(folder.resolve("state.key"), KEY + "\n");
        stage.proxyOf(OpenAiCaptures.configuration(folder, Stage.nobody()) + "derender: " + keys + "\n");
        return stage.uri();
    }

    private static ObjectNode chunk(int[] ids, int index, @Nullable String finish) {
        ObjectNode chunk = Stage.JSON.createObjectNode().put("request_id", "r1");
        ObjectNode choice = chunk.putArray("choices").addObject();
        choice.put("index", index).put("finish_reason", finish);
        tokens(choice.putArray("token_ids"), ids);
        return chunk;
    }

    private static void tokens(ArrayNode into, int[] ids) {
        for (int id : ids) {
            into.add(id);
        }
    }

    private static ObjectNode request(int[] ids, @Nullable String finish, JsonNode state) {
        ObjectNode body = Stage.JSON.createObjectNode().put("model", "tiny").put("stream", true).put("prompt_tokens", 9);
        body.set("generate_chunk", chunk(ids, 0, finish));
        body.set("stream_state", state);
        tokens(body.putArray("prompt_token_ids"), Stage.encode("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"));
        ObjectNode chat = body.putObject("chat_request").put("model", "tiny");
        chat.putArray("messages").addObject().put("role", "user").put("content", "Hi");
        chat.set("tools", Stage.json(TOOLS));
        return body;
    }

    private JsonNode post(URI to, String path, JsonNode body) throws Exception {
        HttpResponse<String> answer = stage.post(to, path, body.toString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return Stage.json(answer.body());
    }

    private void refused(URI to, JsonNode body, String why) throws Exception {
        HttpResponse<String> answer = stage.post(to, CHAT, body.toString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.headers().firstValue("X-Glyphgate-Error")).contains("stream-state");
        assertThat(Stage.json(answer.body()).path("error").path("message").asText()).contains(why);
        assertThat(Stage.json(answer.body()).path("error").path("param").asText()).isEqualTo("stream_state");
    }

    /** Plays an output at proxies in turn; gives what a client puts together. */
    private String play(int[] ids, int size, UnaryOperator<JsonNode> carried, URI... proxies) throws Exception {
        StringBuilder reasoning = new StringBuilder();
        StringBuilder content = new StringBuilder();
        StringBuilder calls = new StringBuilder();
        String finish = "";
        JsonNode state = Stage.JSON.nullNode();
        int step = 0;
        for (int from = 0; from < ids.length; from += size) {
            boolean last = from + size >= ids.length;
            int[] next = Arrays.copyOfRange(ids, from, Math.min(ids.length, from + size));
            JsonNode answer = post(proxies[step++ % proxies.length], CHAT, request(next, last ? "stop" : null, state));
            state = carried.apply(answer.path("stream_state"));
            JsonNode choice = answer.path("chunk").path("choices").path(0);
            JsonNode delta = choice.path("delta");
            assertThat(delta.path("role").asText("")).isEqualTo(step == 1 ? "assistant" : "");
            reasoning.append(delta.path("reasoning").asText(""));
            content.append(delta.path("content").asText(""));
            delta.path("tool_calls").forEach(call -> calls.append(call.path("function").path("name").asText(""))
                    .append(call.path("function").path("arguments").asText("")));
            finish = choice.path("finish_reason").asText();
        }
        return reasoning + "|" + content + "|" + calls + "|" + finish;
    }

    private double replays(String reason) throws Exception {
        return metric("glyphgate_derender_replays_total{reason=\"" + reason + "\"}");
    }

    private double metric(String name) throws Exception {
        return stage.get("/metrics").body().lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElse(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 1000})
    void aStreamWaitsHere(int size) throws Exception {
        URI proxy = proxy("{}");

        assertThat(play(Stage.encode(OUTPUT), size, UnaryOperator.identity(), proxy)).isEqualTo(MESSAGE);
        assertThat(replays("gone") + replays("changed") + replays("foreign")).isZero();
        assertThat(metric("glyphgate_derender_streams")).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7})
    void aStreamThatIsNotKeptIsMadeAgain(int size) throws Exception {
        URI proxy = proxy("{ streams: 0 }");
        int[] ids = Stage.encode(OUTPUT);

        assertThat(play(ids, size, UnaryOperator.identity(), proxy)).isEqualTo(MESSAGE);
        assertThat(replays("gone")).isEqualTo((double) Math.ceilDiv(ids.length, size) - 1);
    }

    @Test
    void proxiesWithOneKeyGoOnWithEachOthersStreams() throws Exception {
        URI one = proxy("{ state-key-file: state.key }");
        URI other = proxy("{ state-key-file: state.key }");

        assertThat(play(Stage.encode(OUTPUT), 2, UnaryOperator.identity(), one, other)).isEqualTo(MESSAGE);
    }

    @Test
    void aProxyWithAnotherKeyRefusesTheState() throws Exception {
        JsonNode state = post(proxy("{}"), CHAT, request(Stage.encode("It"), null, Stage.JSON.nullNode())).path("stream_state");

        refused(proxy("{}"), request(Stage.encode(" asks"), null, state), "another key");
    }

    @Test
    void theOldestStreamGoesWhereThereIsNoRoom() throws Exception {
        URI proxy = proxy("{ streams: 2 }");
        List<JsonNode> states = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            states.add(post(proxy, CHAT, request(Stage.encode("It"), null, Stage.JSON.nullNode())).path("stream_state"));
        }
        assertThat(metric("glyphgate_derender_streams")).isEqualTo(2);

        for (JsonNode state : states.reversed()) {
            JsonNode delta = post(proxy, CHAT, request(Stage.encode(" asks"), null, state))
                    .path("chunk").path("choices").path(0).path("delta");
            assertThat(delta.path("reasoning").asText()).isEqualTo(" asks");
        }
        assertThat(replays("gone")).isEqualTo(1);
    }

    /** Each stream takes about 10 KiB. */
    @ParameterizedTest
    @ValueSource(strings = {"8KiB", "25KiB", "1MiB"})
    void theOldestStreamsGoWhereThereIsNoMemory(String memory) throws Exception {
        URI proxy = proxy("{ stream-memory: " + memory + " }");
        List<JsonNode> states = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            states.add(post(proxy, CHAT, request(Stage.encode("It"), null, Stage.JSON.nullNode())).path("stream_state"));
        }
        int kept = switch (memory) {
            case "8KiB" -> 0;
            case "25KiB" -> 2;
            default -> 5;
        };
        assertThat(metric("glyphgate_derender_streams")).isEqualTo(kept);
        double bytes = metric("glyphgate_derender_stream_memory_bytes");
        assertThat(bytes).isBetween(kept * 8.0 * 1024, kept * 14.0 * 1024);

        for (JsonNode state : states.reversed()) {
            JsonNode delta = post(proxy, CHAT, request(Stage.encode(" asks</think>"), "stop", state))
                    .path("chunk").path("choices").path(0).path("delta");
            assertThat(delta.path("reasoning").asText()).isEqualTo(" asks");
        }
        assertThat(replays("gone")).isEqualTo(5 - kept);
        assertThat(metric("glyphgate_derender_stream_memory_bytes")).isZero();
    }

    @Test
    void aStreamThatWaitsTooLongGoes() throws Exception {
        URI proxy = proxy("{ stream-idle: 1ms }");
        JsonNode state = post(proxy, CHAT, request(Stage.encode("It"), null, Stage.JSON.nullNode())).path("stream_state");

        Stage.eventually("the stream has gone", () -> {
            try {
                return metric("glyphgate_derender_streams") == 0;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(post(proxy, CHAT, request(Stage.encode(" asks"), null, state)).path("chunk").toString()).contains(" asks");
    }

    /** The answer to a chunk was lost, so it is sent again; and a client may go on from an older chunk. */
    @Test
    void aChunkMayBeSentAgain() throws Exception {
        URI proxy = proxy("{}");
        JsonNode state = post(proxy, CHAT, request(Stage.encode("It asks"), null, Stage.JSON.nullNode())).path("stream_state");
        ObjectNode next = request(Stage.encode(" for é"), null, state);
        JsonNode first = post(proxy, CHAT, next);
        JsonNode again = post(proxy, CHAT, next);

        assertThat(again.path("chunk").path("choices")).isEqualTo(first.path("chunk").path("choices"));
        assertThat(replays("changed")).isEqualTo(1);
        JsonNode after = post(proxy, CHAT, request(Stage.encode("</think>ok"), null, again.path("stream_state")));
        assertThat(after.path("chunk").path("choices").path(0).path("delta").path("content").asText()).isEqualTo("ok");
    }

    @Test
    void theRequestThatComesWithTheChunkCounts() throws Exception {
        URI proxy = proxy("{}");
        JsonNode state = post(proxy, CHAT, request(Stage.encode("It"), null, Stage.JSON.nullNode())).path("stream_state");
        ObjectNode next = request(Stage.encode(" asks"), null, state);
        ((ObjectNode) next.path("chat_request")).put("include_reasoning", false).put("return_token_ids", true);

        assertThat(post(proxy, CHAT, next).path("chunk").path("choices").path(0).path("delta").path("reasoning").isNull()).isTrue();
        assertThat(replays("changed")).isEqualTo(1);
    }

    private static ObjectNode edited(JsonNode state, int entry, UnaryOperator<String> edit) {
        ObjectNode copy = state.deepCopy();
        ArrayNode window = (ArrayNode) copy.path("prev_tokens");
        window.set(entry, copy.textNode(edit.apply(window.path(entry).asText())));
        return copy;
    }

    private static String flipped(String text, int at) {
        return text.substring(0, at) + (text.charAt(at) == 'A' ? 'B' : 'A') + text.substring(at + 1);
    }

    @Test
    void aStateThatWasChangedIsRefused() throws Exception {
        URI proxy = proxy("{}");
        JsonNode state = post(proxy, CHAT, request(Stage.encode("It"), null, Stage.JSON.nullNode())).path("stream_state");
        int[] more = Stage.encode(" asks");
        String seal = state.path("prev_tokens").path(0).asText();

        refused(proxy, request(more, null, edited(state, 0, text -> flipped(text, text.length() - 30))), "its signature is wrong");
        refused(proxy, request(more, null, edited(state, 0, text -> flipped(text, 30))), "its signature is wrong");
        refused(proxy, request(more, null, edited(state, 0, text -> text.replace("glyphgate:1:", "glyphgate:2:"))), "version '2'");
        refused(proxy, request(more, null, edited(state, 0, text -> text.substring(0, 40))), "not whole");
        refused(proxy, request(more, null, edited(state, 0, text -> "glyphgate:1:::")), "not whole");
        refused(proxy, request(more, null, edited(state, 0, text -> "glyphgate:1:é:")), "not whole");
        refused(proxy, request(more, null, edited(state, 1, text -> text + "A")), "its history is not the one that was signed");
        refused(proxy, request(more, null, edited(state, 1, text -> "")), "its history is not the one that was signed");
        assertThat(seal).startsWith("glyphgate:1:").doesNotContain("=");
        assertThat(post(proxy, CHAT, request(more, null, state)).path("chunk").toString()).contains(" asks");
    }

    @Test
    void anOldStateIsRefused() throws Exception {
        URI proxy = proxy("{ state-age: 1ms, streams: 0 }");
        JsonNode state = post(proxy, CHAT, request(Stage.encode("It"), null, Stage.JSON.nullNode())).path("stream_state");
        long second = System.currentTimeMillis() / 1000;
        Stage.eventually("another second begins", () -> System.currentTimeMillis() / 1000 > second);

        refused(proxy, request(Stage.encode(" asks"), null, state), "derender.state-age");
    }

    @Test
    void aStateIsOfOneChoiceDoorAndModel() throws Exception {
        URI proxy = proxy("{}");
        JsonNode state = post(proxy, CHAT, request(Stage.encode("It"), null, Stage.JSON.nullNode())).path("stream_state");
        ObjectNode other = request(Stage.encode(" asks"), null, state);
        ((ObjectNode) other.path("generate_chunk").path("choices").path(0)).put("index", 1);

        refused(proxy, other, "another door, model or choice");
        HttpResponse<String> door = stage.post(proxy, COMPLETIONS, request(Stage.encode(" asks"), null, state).toString());
        assertThat(door.statusCode()).isEqualTo(400);
        assertThat(door.headers().firstValue("X-Glyphgate-Error")).contains("stream-state");
    }

    @Test
    void aStreamIsAsLongAsTheModelMayBe() throws Exception {
        URI proxy = proxy("{}");
        int[] many = new int[1500];
        Arrays.fill(many, Stage.encode(" a")[0]);
        JsonNode state = post(proxy, CHAT, request(many, null, Stage.JSON.nullNode())).path("stream_state");

        HttpResponse<String> answer = stage.post(proxy, CHAT, request(many, null, state).toString());

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("max_model_len is 2048");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1000})
    void stopStringsEndAStream(int streams) throws Exception {
        URI proxy = proxy("{ streams: " + streams + " }");
        JsonNode state = Stage.JSON.nullNode();
        StringBuilder content = new StringBuilder();
        List<String> finishes = new ArrayList<>();
        for (int id : Stage.encode("x</think>One. Two. Three.")) {
            ObjectNode next = request(new int[] {id}, null, state);
            ((ObjectNode) next.path("chat_request")).put("stop", ". Tw");
            JsonNode answer = post(proxy, CHAT, next);
            state = answer.path("stream_state");
            JsonNode choice = answer.path("chunk").path("choices").path(0);
            content.append(choice.path("delta").path("content").isTextual() ? choice.path("delta").path("content").asText() : "");
            if (choice.path("finish_reason").isTextual()) {
                finishes.add(choice.path("finish_reason").asText() + " " + choice.path("stop_reason").asText());
            }
        }
        assertThat(content).hasToString("One");
        assertThat(finishes).containsExactly("stop . Tw");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1000})
    void logprobsOfAStreamGoOn(int streams) throws Exception {
        URI proxy = proxy("{ streams: " + streams + " }");
        JsonNode state = Stage.JSON.nullNode();
        List<String> tokens = new ArrayList<>();
        List<Integer> offsets = new ArrayList<>();
        for (int id : Stage.encode("é 🛶 there")) {
            ObjectNode next = request(new int[] {id}, null, state);
            next.remove("chat_request");
            ObjectNode entry = ((ObjectNode) next.path("generate_chunk").path("choices").path(0))
                    .putObject("logprobs").putArray("content").addObject();
            entry.put("token_id", id).put("logprob", -1.0);
            entry.putArray("top_logprobs").addObject().put("token_id", id).put("logprob", -1.0);
            JsonNode answer = post(proxy, COMPLETIONS, next);
            state = answer.path("stream_state");
            JsonNode logprobs = answer.path("chunk").path("choices").path(0).path("logprobs");
            tokens.add(logprobs.path("tokens").path(0).asText());
            offsets.add(logprobs.path("text_offset").path(0).asInt());
        }
        assertThat(tokens).containsExactly("é", "", "", " 🛶", " there");
        assertThat(offsets).containsExactly(0, 1, 1, 1, 3);
    }

    @Test
    void usageThatComesAloneChangesNothing() throws Exception {
        URI proxy = proxy("{}");
        JsonNode state = post(proxy, CHAT, request(Stage.encode("It"), null, Stage.JSON.nullNode())).path("stream_state");
        ObjectNode usage = request(new int[0], null, state);
        ObjectNode chunk = usage.putObject("generate_chunk").put("request_id", "r1");
        chunk.putObject("usage").put("prompt_tokens", 4).put("completion_tokens", 1).put("total_tokens", 5);
        chunk.putArray("choices");

        JsonNode answer = post(proxy, CHAT, usage);

        assertThat(answer.path("chunk").path("usage").path("total_tokens").asInt()).isEqualTo(10);
        assertThat(answer.path("stream_state")).isEqualTo(state);
        post(proxy, CHAT, request(Stage.encode(" asks"), null, answer.path("stream_state")));
        assertThat(replays("gone") + replays("changed")).isZero();
    }

    @Test
    void theDoorsCanBeClosed() throws Exception {
        stage.proxyOf(OpenAiCaptures.configuration(folder, Stage.nobody()) + "doors: { render: false }\n");

        assertThat(stage.post(stage.uri(), CHAT, "{}").statusCode()).isEqualTo(404);
        assertThat(stage.post(stage.uri(), "/v1/chat/completions/render", "{}").statusCode()).isEqualTo(404);
    }

    @Test
    void aShortKeyStopsTheStart() throws Exception {
        Files.writeString(folder.resolve("short.key"), "secret\n");
        String yaml = OpenAiCaptures.configuration(folder, Stage.nobody()) + "derender: { state-key-file: short.key }\n";

        assertThat(catchThrowable(() -> stage.proxyOf(yaml)))
                .hasMessageContaining("state-key-file")
                .hasMessageContaining("at least 32")
                .message()
                .doesNotContain("secret");
    }
}
