package io.glyphgate.proxy.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.Recorded;
import io.glyphgate.proxy.simulator.Chunking;
import io.glyphgate.proxy.simulator.ReceivedRequest;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What chats demand of servers is what vLLM 0.33's {@code /render} demands of them, for every family: calls, strict functions,
 * content that follows a format, and all of them together.
 */
class ConstraintTest {
    private static final List<JsonNode> LINES = Recorded.lines("/wire/vllm-0.33-constraints.jsonl.gz");
    private static final JsonNode TOOLS = LINES.getFirst().path("tools");

    /** What says how an answer is made, not what it must look like. */
    private static final Set<String> FILLER = Set.of("any_order", "max_whitespace_cnt", "max_tokens", "max_chars");

    private static final List<JsonNode> OUTPUTS = Recorded.lines("/wire/xgrammar-walks.jsonl.gz");

    private static final List<ReceivedRequest> RECEIVED = new CopyOnWriteArrayList<>();

    private static Script script = Script.NONE;

    @TempDir
    private static Path folder;

    private static Stage stage;

    @BeforeAll
    static void start() throws IOException {
        Path template = Files.writeString(folder.resolve("template.jinja"), "{{ messages[-1].content }}<|start|>assistant");
        stage = new Stage(folder);
        SimulatedServer server = stage.server(Stage.tokensOnly().model("tiny").maxModelLength(4096));
        server.direct(request -> {
            RECEIVED.add(request);
            return script;
        });
        Map<String, String> models = new LinkedHashMap<>();
        LINES.stream().skip(1).forEach(line -> models.put(model(line), parsers(line)));
        families().forEach(family ->
                models.put("calls-" + family.replace('_', '-'), family.equals("openai") ? "parser: openai" : "tool-parser: " + family));
        models.put("described", "tool-parser: own");
        StringBuilder yaml = new StringBuilder("""
                server: { host: 127.0.0.1, port: 0, drain: 5s }
                upstream: { tokenizer-mismatch: ignore }
                parsers:
                  own:
                    tools:
                      calls: [ { opener: { marker: "<do>", followed-by: [ "{" ] } } ]
                      call-ends: [ "</do>" ]
                      constraint:
                        call: '{"type": "tag", "begin": "<do>${name}", "content": {"type": "any_text"}, "end": "</do>"}'
                        required: '{"type": "tags_with_separator", "separator": "", "tags": [{"each-function": "${call}"}]}'
                models:
                """);
        models.forEach((name, parsers) -> yaml.append("""
                  %s:
                    tokenizer: { source: %s }
                    chat-template: %s
                    %s
                    max-model-len: 4096
                """.formatted(name, Stage.QWEN3, template, parsers).indent(2)));
        yaml.append("pools:\n");
        models.keySet().forEach(name -> yaml.append("  p-" + name + ": { model: " + name
                + ", served-model: tiny, tokenizer: proxy, endpoints: [ " + server.uri() + " ] }\n"));
        stage.proxyOf(yaml.toString());
    }

    @AfterAll
    static void stop() {
        stage.close();
    }

    private static String model(JsonNode line) {
        return (line.path("tool_parser").asText() + "-" + line.path("reasoning_parser").asText() + "-"
                + line.path("tokenizer").asText()).replace('_', '-');
    }

    private static String parsers(JsonNode line) {
        String tools = line.path("tool_parser").asText("none");
        String reasoning = line.path("reasoning_parser").asText("none");
        if (reasoning.equals("openai_gptoss")) {
            return "parser: openai";
        }
        return (line.path("tool_parser").isNull() ? "" : "tool-parser: " + tools + "\n    ")
                + (line.path("reasoning_parser").isNull() ? "" : "reasoning-parser: " + reasoning);
    }

    static Stream<String> models() {
        return LINES.stream().skip(1).map(ConstraintTest::model).distinct();
    }

    private static ObjectNode request(JsonNode line) {
        ObjectNode request = line.path("request").deepCopy();
        request.put("model", model(line));
        request.putArray("messages").addObject().put("role", "user").put("content", "Please help.");
        if (!line.path("tool_parser").isNull()) {
            ArrayNode tools = TOOLS.deepCopy();
            for (JsonNode tool : tools) {
                ObjectNode function = (ObjectNode) tool.path("function");
                line.path("strict").forEach(name -> {
                    if (name.equals(function.path("name"))) {
                        function.put("strict", true);
                    }
                });
            }
            request.set("tools", tools);
        } else {
            request.remove("tool_choice");
        }
        return request;
    }

    @ParameterizedTest
    @MethodSource("models")
    void demandsWhatVllmDemands(String model) throws Exception {
        SoftAssertions all = new SoftAssertions();
        for (JsonNode line : LINES.subList(1, LINES.size())) {
            if (model(line).equals(model)) {
                RECEIVED.clear();
                HttpResponse<String> answer =
                        stage.post(stage.uri(), "/v1/chat/completions", request(line).toString());
                String name = line.path("variant").asText();
                if (contradicts(line)) {
                    all.assertThat(answer.statusCode()).as(name).isEqualTo(400);
                } else {
                    all.assertThat(answer.statusCode()).as(name).isEqualTo(line.path("status").asInt());
                    JsonNode made = RECEIVED.isEmpty() ? Stage.JSON.nullNode() : Stage.json(RECEIVED.getFirst().body());
                    JsonNode constraint = made.path("sampling_params").path("structured_outputs");
                    all.assertThat(constraint(constraint)).as(name).isEqualTo(constraint(promised(line)));
                    boolean fromTheStart = !constraint.isMissingNode()
                            && (line.path("reasoning_parser").asText().equals("openai_gptoss") || line.path("variant").asText().equals("required-unseen"));
                    all.assertThat(made.path("reasoning_ended").asBoolean()).as(name).isEqualTo(fromTheStart);
                    all.assertThat(!fromTheStart || line.path("reasoning_ended").asBoolean()).as(name).isTrue();
                }
            }
        }
        all.assertAll();
    }

    private static boolean demanded(JsonNode line) {
        JsonNode choice = line.path("request").path("tool_choice");
        return choice.isObject() || choice.asText().equals("required");
    }

    /** A demanded call and another constraint of the whole output: C9. */
    private static boolean contradicts(JsonNode line) {
        return demanded(line) && line.path("request").has("structured_outputs");
    }

    /** What is demanded where vLLM demands nothing, or what hangs on the tokenizer: C10. */
    private static JsonNode promised(JsonNode line) {
        return switch (line.path("tool_parser").asText()) {
            case "gemma4" -> demanded(line) ? keyValueCalls(line) : line.path("structured_outputs");
            case "mistral" -> listedCalls(line);
            case "ling3" -> other(line, line.path("variant").asText(), "qwen3_glm", "glm45").path("structured_outputs");
            default -> line.path("structured_outputs");
        };
    }

    private static JsonNode keyValueCalls(JsonNode line) {
        JsonNode choice = line.path("request").path("tool_choice");
        List<String> tags = new ArrayList<>();
        for (JsonNode tool : TOOLS) {
            String name = tool.path("function").path("name").asText();
            if (!choice.isObject() || choice.path("function").path("name").asText().equals(name)) {
                tags.add("""
                        {"type": "tag", "begin": "<|tool_call>call:%s{", "end": "}<tool_call|>", "content": {"type": "any_text",
                         "excludes": ["<|tool_call>", "<tool_call|>", "<|channel>", "<channel|>"]}}""".formatted(name));
            }
        }
        boolean one = choice.isObject() || !line.path("request").path("parallel_tool_calls").asBoolean(true);
        return Stage.json("""
                {"structural_tag": {"type": "structural_tag", "format": {"type": "tags_with_separator", "separator": "",
                 "at_least_one": true, "stop_after_first": %s, "tags": %s}}}""".formatted(one, tags));
    }

    /** As vLLM where it does not know the tokenizer, and one call where only one is allowed. */
    private static JsonNode listedCalls(JsonNode line) {
        String variant = line.path("variant").asText();
        // of a demanded call, the content has no say
        String plain = demanded(line) ? variant.replaceAll("(-strict)?-(schema|object|legacy-tag|tag)", "") : variant;
        JsonNode older = other(line, plain, "tekken_v3", "mistral").path("structured_outputs").deepCopy();
        if (demanded(line)
                && !line.path("request").path("parallel_tool_calls").asBoolean(true)
                && older.path("json") instanceof ObjectNode array) {
            array.put("maxItems", 1);
        }
        return older;
    }

    private static JsonNode other(JsonNode line, String variant, String tokenizer, String toolParser) {
        return LINES.stream()
                .filter(each -> each.path("tool_parser").asText().equals(toolParser)
                        && each.path("variant").asText().equals(variant)
                        && each.path("tokenizer").asText().equals(tokenizer))
                .findFirst()
                .orElse(line);
    }

    private static JsonNode constraint(JsonNode constraint) {
        if (constraint.isNull() || constraint.isMissingNode()) {
            return Stage.JSON.nullNode();
        }
        ObjectNode copy = constraint.deepCopy();
        JsonNode tag = copy.path("structural_tag");
        if (!tag.isMissingNode()) {
            copy.set("structural_tag", withoutFiller(tag.isTextual() ? Stage.json(tag.asText()) : tag));
        }
        return copy;
    }

    /** Without members that say the default. */
    private static JsonNode withoutFiller(JsonNode tag) {
        if (tag instanceof ObjectNode object) {
            object.remove(FILLER);
            if (object.path("excludes").isEmpty()) {
                object.remove("excludes");
            }
            if (object.path("style").asText().equals("json")) {
                object.remove("style");
            }
            for (String name : List.of("at_least_one", "stop_after_first")) {
                if (object.has(name) && !object.path(name).asBoolean()) {
                    object.remove(name);
                }
            }
        }
        tag.forEach(ConstraintTest::withoutFiller);
        return tag;
    }

    static Stream<String> families() {
        return OUTPUTS.stream().map(line -> line.path("tool_parser").asText()).distinct();
    }

    /** The outputs were made at random by xgrammar, out of what vLLM demands. */
    @ParameterizedTest
    @MethodSource("families")
    void whatTheGrammarLetsThroughAreCalls(String family) throws Exception {
        SoftAssertions all = new SoftAssertions();
        for (JsonNode line : OUTPUTS) {
            if (line.path("tool_parser").asText().equals(family)) {
                JsonNode recorded = other(line, line.path("variant").asText(), family);
                ObjectNode request = request(recorded);
                request.put("model", "calls-" + family.replace('_', '-'));
                request.put("temperature", 0);
                String output = line.path("output").asText();
                String name = line.path("variant").asText() + " " + output;
                script = Script.tokens(Stage.encode(output + "<|im_end|>"));
                JsonNode choice = Stage.json(ask(request)).path("choices").path(0);
                String calls = calls(choice.path("message"), all, name);
                if (demanded(recorded)) {
                    all.assertThat(choice.path("message").path("tool_calls").isEmpty()).as(name).isFalse();
                    all.assertThat(choice.path("message").path("reasoning").asText("")).as(name).isEmpty();
                }
                if (recorded.path("request").path("tool_choice").isObject() || line.path("variant").asText().endsWith("single")) {
                    all.assertThat(choice.path("message").path("tool_calls").size()).as(name).isEqualTo(1);
                }
                request.put("stream", true);
                for (int size : new int[] {1, 3, 1000}) {
                    script = Script.tokens(Stage.encode(output + "<|im_end|>")).chunked(Chunking.of(size));
                    JsonNode assembled = assembled(Stage.events(ask(request)));
                    all.assertThat(calls(assembled, all, name)).as(name).isEqualTo(calls);
                    all.assertThat(assembled.path("content").asText())
                            .as(name)
                            .isEqualTo(choice.path("message").path("content").asText(""));
                    all.assertThat(assembled.path("finish_reason")).as(name).isEqualTo(choice.path("finish_reason"));
                }
            }
        }
        script = Script.NONE;
        all.assertAll();
    }

    private static String ask(ObjectNode request) throws Exception {
        return stage.post(stage.uri(), "/v1/chat/completions", request.toString()).body();
    }

    private static JsonNode other(JsonNode line, String variant, String toolParser) {
        return LINES.stream()
                .filter(each -> each.path("tool_parser").asText().equals(toolParser)
                        && each.path("variant").asText().equals(variant))
                .findFirst()
                .orElse(line);
    }

    /** The calls of a message; their arguments are JSON objects, where the grammar says so. */
    private static String calls(JsonNode message, SoftAssertions all, String name) {
        StringBuilder calls = new StringBuilder();
        for (JsonNode call : message.path("tool_calls")) {
            String function = call.path("function").path("name").asText();
            String arguments = call.path("function").path("arguments").asText();
            all.assertThat(function).as(name).isIn("find_ferry", "reserve_desk", "ping");
            all.assertThat(call.path("id").asText()).as(name).isNotEmpty();
            all.assertThatCode(() -> Stage.json(arguments)).as(name).doesNotThrowAnyException();
            calls.append(function).append(arguments).append(call.path("id").asText().contains(":") ? call.path("id") : "");
        }
        return calls.toString();
    }

    private static ObjectNode assembled(List<JsonNode> events) {
        ObjectNode message = Stage.JSON.createObjectNode();
        ArrayNode calls = message.putArray("tool_calls");
        StringBuilder content = new StringBuilder();
        for (JsonNode event : events) {
            JsonNode choice = event.path("choices").path(0);
            content.append(choice.path("delta").path("content").asText(""));
            if (choice.hasNonNull("finish_reason")) {
                message.set("finish_reason", choice.path("finish_reason"));
            }
            for (JsonNode delta : choice.path("delta").path("tool_calls")) {
                int index = delta.path("index").asInt();
                if (index == calls.size()) {
                    calls.addObject().put("id", delta.path("id").asText()).putObject("function").put("arguments", "");
                }
                ObjectNode function = (ObjectNode) calls.path(index).path("function");
                if (delta.path("function").has("name") && !delta.path("function").path("name").isNull()) {
                    function.set("name", delta.path("function").path("name"));
                }
                function.put(
                        "arguments",
                        function.path("arguments").asText() + delta.path("function").path("arguments").asText(""));
            }
        }
        return message.put("content", content.toString());
    }

    @Test
    void aParserOfTheConfigurationDemandsWhatItSays() throws Exception {
        RECEIVED.clear();
        ObjectNode request = request(other(LINES.get(1), "required", "hermes"));

        ask(request.put("model", "described"));

        JsonNode tag = constraint(Stage.json(RECEIVED.getFirst().body()).path("sampling_params").path("structured_outputs"));
        assertThat(tag.path("structural_tag").path("format").path("tags").path(1).path("begin").asText()).isEqualTo("<do>reserve_desk");
        assertThat(tag.path("structural_tag").path("format").path("tags")).hasSize(3);
    }
}
