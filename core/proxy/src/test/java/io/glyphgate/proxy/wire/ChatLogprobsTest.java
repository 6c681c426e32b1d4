package io.glyphgate.proxy.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.Recorded;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.TokenizerProvider;
import io.glyphgate.testkit.RecordingJsonWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * {@code captures} holds exchanges with a vLLM server; {@code texts} what vLLM's logprobs processor makes of tokens,
 * many of them parts of characters, each with three candidates.
 */
class ChatLogprobsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<String, Tokenizer> TOKENIZERS = new HashMap<>();

    @BeforeAll
    static void load() throws IOException {
        TokenizerProvider provider = ServiceLoader.load(TokenizerProvider.class).findFirst().orElseThrow();
        Map<String, String> folders = Map.of(
                "qwen3", "../../distribution/src/main/tokenizers/qwen3",
                "llama2", "../../plugins/tokenizer-huggingface/src/test/resources/tokenizers/llama2");
        for (Map.Entry<String, String> folder : folders.entrySet()) {
            TOKENIZERS.put(folder.getKey(), provider.load(Path.of(folder.getValue()).toUri(), Map.of()));
        }
    }

    @AfterAll
    static void close() {
        TOKENIZERS.values().forEach(Tokenizer::close);
    }

    private static Tokenizer tokenizer(String key) {
        Tokenizer tokenizer = TOKENIZERS.get(key);
        if (tokenizer == null) {
            throw new AssertionError("no tokenizer " + key);
        }
        return tokenizer;
    }

    private static List<JsonNode> lines(String resource) {
        return Recorded.lines("/logprobs/" + resource + ".jsonl.gz");
    }

    /** The logprobs of the only choice in each event, or in the answer, of a capture. */
    private static List<JsonNode> captured(String name) throws IOException {
        List<JsonNode> logprobs = new ArrayList<>();
        for (JsonNode capture : lines("captures")) {
            if (!capture.path("name").asText().equals(name)) {
                continue;
            }
            if (capture.path("json").isObject()) {
                logprobs.add(capture.at("/json/choices/0/logprobs"));
            }
            for (String line : capture.path("body").asText("").lines().toList()) {
                if (line.startsWith("data: {")) {
                    logprobs.add(JSON.readTree(line.substring("data: ".length())).at("/choices/0/logprobs"));
                }
            }
        }
        assertThat(logprobs).as("capture %s", name).isNotEmpty();
        return logprobs;
    }

    private static JsonNode write(ChatLogprobs logprobs, String json, int kept) throws MalformedJsonException {
        byte[] bytes = ("..." + json + "..").getBytes(StandardCharsets.UTF_8);
        RecordingJsonWriter out = new RecordingJsonWriter();
        logprobs.write(bytes, 3, bytes.length - 2, kept, out);
        try {
            return JSON.readTree(node(out.value()).toString());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static JsonNode node(Object value) {
        if (value == RecordingJsonWriter.NULL) {
            return JSON.getNodeFactory().nullNode();
        }
        if (value instanceof Map<?, ?> map) {
            ObjectNode object = JSON.createObjectNode();
            map.forEach((name, member) -> object.set((String) name, node(member)));
            return object;
        }
        if (value instanceof List<?> list) {
            ArrayNode array = JSON.createArrayNode();
            list.forEach(element -> array.add(node(element)));
            return array;
        }
        return JSON.valueToTree(value);
    }

    /** The shape that servers before 0.33 wrote. */
    private static JsonNode older(JsonNode node) {
        if (node instanceof ObjectNode object && object.has("token_id")) {
            ObjectNode older = JSON.createObjectNode();
            older.put("token", "token_id:" + object.path("token_id").asInt());
            older.set("logprob", object.path("logprob"));
            older.putNull("bytes");
            if (object.has("top_logprobs")) {
                older.set("top_logprobs", older(object.path("top_logprobs")));
            }
            return older;
        }
        ArrayNode list = JSON.createArrayNode();
        node.forEach(entry -> list.add(older(entry)));
        return list;
    }

    private static void assertTranslates(String tokens, String text, boolean older) throws IOException {
        ChatLogprobs logprobs = new ChatLogprobs(tokenizer("qwen3"));
        List<JsonNode> from = captured(tokens);
        List<JsonNode> to = captured(text);
        assertThat(from).hasSameSizeAs(to);
        for (int i = 0; i < from.size(); i++) {
            JsonNode source = from.get(i);
            if (older) {
                source = JSON.createObjectNode().set("content", older(source.path("content")));
            }
            assertThat(write(logprobs, source.toString(), 100)).isEqualTo(to.get(i));
        }
    }

    @Test
    void givesWhatTheServerGivesAsText() throws IOException {
        assertTranslates("tokens-logprobs", "text-logprobs", false);
        assertTranslates("tokens-logprobs-stream", "text-logprobs-stream", false);
    }

    @Test
    void readsTheShapeOfOlderServers() throws IOException {
        assertTranslates("tokens-logprobs", "text-logprobs", true);
        assertTranslates("tokens-logprobs-stream", "text-logprobs-stream", true);
    }

    @Test
    void partsOfCharactersAreTextAsInVllm() throws IOException {
        List<JsonNode> cases = lines("texts");
        assertThat(cases).hasSizeGreaterThan(40);
        int completed = 0;
        for (JsonNode golden : cases) {
            for (int chunk : new int[] {1, 3, 1000}) {
                ChatLogprobs logprobs =
                        new ChatLogprobs(tokenizer(golden.path("tokenizer").asText()));
                ArrayNode content = JSON.createArrayNode();
                for (JsonNode position : golden.path("positions")) {
                    ObjectNode entry = content.addObject().put("token_id", position.at("/ids/0").asInt());
                    entry.put("logprob", -1.5);
                    position.path("ids").forEach(id -> entry.withArray("top_logprobs")
                            .addObject()
                            .put("token_id", id.asInt())
                            .put("logprob", -1.5));
                }
                List<JsonNode> written = new ArrayList<>();
                for (int at = 0; at < content.size(); at += chunk) {
                    ArrayNode part = JSON.createArrayNode();
                    for (int i = at; i < Math.min(content.size(), at + chunk); i++) {
                        part.add(content.path(i));
                    }
                    write(logprobs, JSON.createObjectNode().set("content", part).toString(), part.size())
                            .path("content")
                            .forEach(written::add);
                }
                for (int i = 0; i < written.size(); i++) {
                    JsonNode position = golden.path("positions").path(i);
                    List<String> texts = new ArrayList<>();
                    written.get(i).path("top_logprobs").forEach(top -> texts.add(top.path("token").asText()));
                    List<String> expected = new ArrayList<>();
                    position.path("tokens").forEach(token -> expected.add(token.asText()));
                    assertThat(texts).as("position %d of %s", i, golden).isEqualTo(expected);
                    assertThat(written.get(i).path("token").asText()).isEqualTo(expected.get(0));
                    completed += expected.get(0).codePointCount(0, expected.get(0).length()) == 1 ? 1 : 0;
                }
                assertThat(written).hasSameSizeAs(content);
            }
        }
        assertThat(completed).isGreaterThan(50);
    }

    private static String one(@Nullable String logprob) {
        return "{\"content\":[{\"token_id\":64,\"logprob\":" + logprob
                + ",\"rank\":1,\"top_logprobs\":[{\"token_id\":64,\"logprob\":" + logprob
                + ",\"rank\":1},{\"token_id\":65,\"logprob\":-3,\"rank\":2}]}]}";
    }

    @Test
    void whatIsNoLogprobIsTheFloor() throws IOException {
        for (String logprob : List.of("null", "NaN", "-Infinity", "-1e30", "-9999.5")) {
            JsonNode written = write(new ChatLogprobs(tokenizer("qwen3")), one(logprob), 1);
            assertThat(written.at("/content/0/logprob").asDouble()).as(logprob).isEqualTo(-9999.0);
            assertThat(written.at("/content/0/top_logprobs/0/logprob").asDouble()).isEqualTo(-9999.0);
            assertThat(written.at("/content/0/top_logprobs/1/logprob").asDouble()).isEqualTo(-3);
        }
        assertThat(write(new ChatLogprobs(tokenizer("qwen3")), one("-9998.5"), 1)
                        .at("/content/0/logprob")
                        .asDouble())
                .isEqualTo(-9998.5);
    }

    @Test
    void placeholdersStayWithoutATokenizer() throws IOException {
        JsonNode written = write(new ChatLogprobs(null), one("-1"), 1);
        assertThat(written.at("/content/0/token").asText()).isEqualTo("token_id:64");
        assertThat(written.at("/content/0/bytes").isNull()).isTrue();
        assertThat(written.at("/content/0/top_logprobs/1/token").asText()).isEqualTo("token_id:65");
    }

    @Test
    void candidatesCanBeLimited() throws IOException {
        assertThat(write(new ChatLogprobs(tokenizer("qwen3"), 1), one("-1"), 1).at("/content/0/top_logprobs"))
                .hasSize(1);
        assertThat(write(new ChatLogprobs(tokenizer("qwen3"), 0), one("-1"), 1).at("/content/0/top_logprobs"))
                .isEmpty();
    }

    @Test
    void tokensBehindTheEndAreLeftOut() throws IOException {
        JsonNode all = captured("tokens-logprobs").get(0);
        assertThat(write(new ChatLogprobs(tokenizer("qwen3")), all.toString(), 2).path("content"))
                .hasSize(2);
    }

    @Test
    void aTokenThatTheServerHasNoLogprobOfIsWrittenByItself() throws IOException {
        String json = "{\"content\":[{\"token_id\":172,\"logprob\":-9999.0,\"rank\":null,\"top_logprobs\":[]}]}";
        JsonNode written = write(new ChatLogprobs(tokenizer("qwen3")), json, 1);
        assertThat(written.at("/content/0/token").asText()).isEqualTo("\uFFFD");
        assertThat(written.at("/content/0/top_logprobs")).isEmpty();
    }

    @Test
    void nullStaysNull() throws IOException {
        assertThat(write(new ChatLogprobs(tokenizer("qwen3")), "null", 3).isNull()).isTrue();
    }

    @Test
    void otherShapesAreRefused() {
        for (String json : List.of(
                "{\"content\":{}}",
                "{\"content\":[{}]}",
                "{\"content\":[{\"token\":\"token_id:x\"}]}",
                "{\"content\":[{\"token_id\":1.5}]}",
                "{\"content\":[")) {
            assertThatThrownBy(() -> write(new ChatLogprobs(tokenizer("qwen3")), json, 1))
                    .as(json)
                    .isInstanceOf(MalformedJsonException.class)
                    .hasMessageContaining("logprobs");
        }
    }
}
