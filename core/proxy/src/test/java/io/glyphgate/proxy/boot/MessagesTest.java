package io.glyphgate.proxy.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.simulator.Chunking;
import io.glyphgate.proxy.simulator.Fault;
import io.glyphgate.proxy.simulator.ReceivedRequest;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.proxy.simulator.SimulatorOptions;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The doors of Anthropic's API. */
class MessagesTest {
    private static final String PATH = "/v1/messages";
    private static final String COUNT = "/v1/messages/count_tokens";
    private static final String CHAT = "/v1/chat/completions";
    private static final String HI = "\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]";
    private static final String TOOLS = "\"tools\":[{\"name\":\"get_weather\",\"description\":\"Knows it.\",\"input_schema\":{\"type\":\"object\","
            + "\"properties\":{\"city\":{\"type\":\"string\"}}}}]";
    private static final String CHAT_TOOLS = "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"get_weather\","
            + "\"description\":\"Knows it.\",\"parameters\":{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}}}}}]";
    private static final String CALL = "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"%s\"}}\n</tool_call>";
    private static final String END = "<|im_end|>";

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
        proxy("");
    }

    /** Starts the proxy with more keys of the configuration. */
    private void proxy(String more) throws IOException {
        stage.proxyOf(OpenAiCaptures.configuration(folder, server.uri()) + more);
    }

    private void say(String output) {
        script = Script.tokens(Stage.encode(output));
    }

    private HttpResponse<String> post(String path, String body, String... headers) throws Exception {
        return stage.post(stage.uri(), path, body, headers);
    }

    private static String request(String... fields) {
        List<String> all = new ArrayList<>(List.of("\"model\":\"tiny\"", "\"max_tokens\":500"));
        all.addAll(List.of(fields));
        return "{" + String.join(",", all) + "}";
    }

    private JsonNode ask(String... fields) throws Exception {
        HttpResponse<String> answer = post(PATH, request(fields));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return Stage.json(answer.body());
    }

    private JsonNode askForStream(String... fields) throws Exception {
        List<String> all = new ArrayList<>(List.of(fields));
        all.add("\"stream\":true");
        HttpResponse<String> answer = post(PATH, request(all.toArray(String[]::new)));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/event-stream");
        return assembled(events(answer.body()), true);
    }

    /** The events of a stream; each must say its type twice. */
    private static List<JsonNode> events(String stream) {
        List<JsonNode> events = new ArrayList<>();
        assertThat(stream).endsWith("\n\n");
        for (String event : stream.substring(0, stream.length() - 2).split("\n\n", -1)) {
            String[] lines = event.split("\n", -1);
            assertThat(lines).as(event).hasSize(2);
            JsonNode data = Stage.json(lines[1].substring("data: ".length()));
            assertThat(lines[0]).isEqualTo("event: " + data.path("type").asText());
            if (!data.path("type").asText().equals("ping")) {
                events.add(data);
            }
        }
        return events;
    }

    /** The message that events make, each of which must come at its place. */
    private static ObjectNode assembled(List<JsonNode> events, boolean whole) {
        assertThat(events.getFirst().path("type").asText()).isEqualTo("message_start");
        ObjectNode message = events.getFirst().path("message").deepCopy();
        ArrayNode content = message.putArray("content");
        ObjectNode open = null;
        String last = "";
        for (JsonNode event : events.subList(1, events.size())) {
            last = event.path("type").asText();
            switch (last) {
                case "content_block_start" -> {
                    assertThat(open).as("the block before").isNull();
                    assertThat(event.path("index").asInt()).isEqualTo(content.size());
                    open = event.path("content_block").deepCopy();
                    content.add(open);
                }
                case "content_block_delta" -> add(event, content, open);
                case "content_block_stop" -> {
                    assertThat(event.path("index").asInt()).isEqualTo(content.size() - 1);
                    Objects.requireNonNull(open, "no block is open");
                    if (open.has("json")) {
                        open.set("input", input(open.remove("json").asText()));
                    }
                    open = null;
                }
                case "message_delta" -> {
                    assertThat(open).as("the last block").isNull();
                    message.setAll((ObjectNode) event.path("delta"));
                    message.set("usage", event.path("usage"));
                }
                default -> assertThat(last).isIn("message_stop", "error");
            }
        }
        assertThat(last).isEqualTo(whole ? "message_stop" : "error");
        return message;
    }

    /** What a client makes of pieces of JSON; a call that was cut off stays text. */
    private static JsonNode input(String json) {
        try {
            return Stage.JSON.readTree(json);
        } catch (JsonProcessingException e) {
            return Stage.JSON.getNodeFactory().textNode(json);
        }
    }

    private static void add(JsonNode event, ArrayNode content, @Nullable ObjectNode open) {
        assertThat(event.path("index").asInt()).isEqualTo(content.size() - 1);
        JsonNode delta = event.path("delta");
        String field = switch (delta.path("type").asText()) {
            case "text_delta" -> "text";
            case "thinking_delta" -> "thinking";
            case "signature_delta" -> "signature";
            case "input_json_delta" -> "partial_json";
            default -> throw new AssertionError("a delta of another type: " + event);
        };
        String piece = delta.path(field).asText();
        assertThat(piece).isNotEmpty();
        String kept = field.equals("partial_json") ? "json" : field;
        Objects.requireNonNull(open, "no block is open").put(kept, open.path(kept).asText("") + piece);
    }

    /** The text of all blocks of a type; of calls their names and inputs. */
    private static String all(JsonNode message, String type) {
        StringBuilder all = new StringBuilder();
        for (JsonNode block : message.path("content")) {
            if (block.path("type").asText().equals(type)) {
                all.append(type.equals("tool_use")
                        ? block.path("name").asText() + block.path("input").path("city").asText()
                        : block.path(type).asText());
            }
        }
        return all.toString();
    }

    private static List<String> types(JsonNode message) {
        List<String> types = new ArrayList<>();
        message.path("content").forEach(block -> types.add(block.path("type").asText()));
        return types;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 1000})
    void aMessageHoldsWhatAChatHolds(int size) throws Exception {
        proxy();
        script = Script.tokens(Stage.encode(
                        "<think>\nIt asks for é and 🛶.\n</think>\n\nLet me look.\n" + CALL.formatted("Tromsø 🛶") + "\n"
                                + CALL.formatted("Oslo") + END))
                .chunked(Chunking.of(size));

        JsonNode batch = ask(HI, TOOLS);
        JsonNode stream = askForStream(HI, TOOLS);
        JsonNode chat = Stage.json(post(CHAT, "{\"model\":\"tiny\"," + HI + "," + CHAT_TOOLS + "}").body());

        JsonNode message = chat.at("/choices/0/message");
        for (JsonNode each : List.of(batch, stream)) {
            assertThat(types(each)).containsExactly("thinking", "text", "tool_use", "tool_use");
            assertThat(all(each, "thinking")).isEqualTo(message.path("reasoning").asText());
            assertThat(all(each, "text")).isEqualTo(message.path("content").asText());
            assertThat(all(each, "tool_use")).isEqualTo("get_weatherTromsø 🛶get_weatherOslo");
            assertThat(each.path("stop_reason").asText()).isEqualTo("tool_use");
            assertThat(each.path("stop_sequence").isNull()).isTrue();
            assertThat(each.at("/usage/input_tokens")).isEqualTo(chat.at("/usage/prompt_tokens"));
            assertThat(each.at("/usage/output_tokens")).isEqualTo(chat.at("/usage/completion_tokens"));
            assertThat(each.at("/content/0/signature").asText()).isNotEmpty();
            assertThat(each.at("/content/2/id").asText()).isNotEmpty().isNotEqualTo(each.at("/content/3/id").asText());
            assertThat(each.path("type").asText() + each.path("role").asText() + each.path("model").asText())
                    .isEqualTo("messageassistanttiny");
        }
    }

    @Test
    void whatIsSaidBetweenCallsIsABlockBetweenThem() throws Exception {
        proxy();
        say("<think>\nHm.\n</think>\n\nOne. " + CALL.formatted("Oslo") + "\nTwo.\n" + CALL.formatted("Bergen") + "\nThree." + END);

        JsonNode stream = askForStream(HI, TOOLS);

        assertThat(types(stream)).containsExactly("thinking", "text", "tool_use", "text", "tool_use", "text");
        assertThat(all(stream, "text")).isEqualTo(all(ask(HI, TOOLS), "text"));
    }

    /** The rest of the arguments and what the model thinks next may come with one event of the server. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 30, 1000})
    void aCallIsWholeBeforeTheThoughtThatFollowsIt(int size) throws Exception {
        stage.proxyOf(OpenAiCaptures.configuration(folder, server.uri())
                .replace("reasoning-parser: qwen3", "parser: openai")
                .replace("    tool-parser: hermes\n", ""));
        script = Script.tokens(Stage.encode("<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>"
                        + "{\"city\": \"Tromsø\"}<|call|><|start|>assistant<|channel|>analysis<|message|>Is it cold there?<|end|>"
                        + "<|start|>assistant<|channel|>final<|message|>Let me see." + END))
                .chunked(Chunking.of(size));

        JsonNode stream = askForStream(HI, TOOLS);

        for (String type : List.of("thinking", "text", "tool_use")) {
            assertThat(all(stream, type)).isEqualTo(all(ask(HI, TOOLS), type));
        }
        assertThat(all(stream, "tool_use")).isEqualTo("get_weatherTromsø");
        assertThat(all(stream, "thinking")).isEqualTo("Is it cold there?");
    }

    /** It would close the block of the call, and the rest of the arguments would have none. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 1000})
    void aMarkerOfReasoningInACallIsText(int size) throws Exception {
        stage.proxyOf(OpenAiCaptures.configuration(folder, server.uri())
                .replace("reasoning-parser: qwen3", "reasoning-parser: gemma4")
                .replace("tool-parser: hermes", "tool-parser: gemma4"));
        script = Script.tokens(Stage.encode("<|channel>thought\nHm.<channel|><|tool_call>call:get_weather{city:<|\"|>"
                        + "Bodø <|channel>thought\nx<|\"|>}<tool_call|><|channel>thought\nSo.<channel|>Wait." + END))
                .chunked(Chunking.of(size));

        for (JsonNode message : List.of(askForStream(HI, TOOLS), ask(HI, TOOLS))) {
            assertThat(all(message, "tool_use")).isEqualTo("get_weatherBodø <|channel>thought\nx");
            assertThat(all(message, "thinking")).isEqualTo("Hm.So.");
            assertThat(all(message, "text")).isEqualTo("Wait.");
        }
    }

    /** More of the arguments could come behind it. */
    @Test
    void textBehindACallThatIsNotWholeComesBehindTheCall() throws Exception {
        proxy();
        say("<think></think><tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": Oslo}}\n</tool_call>\nThat was it." + END);

        JsonNode stream = askForStream(HI, TOOLS);

        assertThat(types(stream)).containsExactly("tool_use", "text");
        assertThat(all(stream, "text")).isEqualTo(all(ask(HI, TOOLS), "text")).endsWith("That was it.");
        assertThat(stream.path("stop_reason").asText()).isEqualTo("tool_use");
        assertThat(ask(HI, TOOLS).at("/content/1/input")).isEqualTo(Stage.json("{}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            textBlock = """
            Yes. | "metadata":{"user_id":"u"} | end_turn | null
            Yes, that is so. | "max_tokens":3 | max_tokens | null
            Yes, that is so. | "stop_sequences":["at is"] | stop_sequence | at is
            <tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call> | "top_k":1 | tool_use | null
            <tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>STOP | "stop_sequences":["STOP"] | tool_use | null
            <tool_call>{"name": "get_weather", "arguments": {"city": "OSTOP | "stop_sequences":["STOP"] | stop_sequence | STOP
            <tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call> | "max_tokens":14 | max_tokens | null
            """)
    void anAnswerSaysWhyItEnded(String output, String field, String reason, String sequence) throws Exception {
        proxy();
        say("<think></think>" + output + END);

        for (JsonNode message : List.of(ask(HI, TOOLS, field), askForStream(HI, TOOLS, field))) {
            assertThat(message.path("stop_reason").asText()).isEqualTo(reason);
            assertThat(message.path("stop_sequence").asText()).isEqualTo(sequence);
            assertThat(message.has("stop_sequence")).isTrue();
        }
    }

    @Test
    void ofACallThatIsCutOffTheWholeArgumentsCount() throws Exception {
        proxy();
        say("<think></think><tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\", \"day\": \"Mon");

        JsonNode message = ask(HI, TOOLS, "\"max_tokens\":22");

        assertThat(message.path("stop_reason").asText()).isEqualTo("max_tokens");
        assertThat(message.at("/content/0/input")).isEqualTo(Stage.json("{\"city\":\"Oslo\"}"));
    }

    @Test
    void anAnswerOfNothingIsAnEmptyText() throws Exception {
        proxy();
        say("<think></think>" + END);

        assertThat(ask(HI).path("content")).isEqualTo(Stage.json("[{\"type\":\"text\",\"text\":\"\"}]"));
        assertThat(types(askForStream(HI))).isEmpty();
    }

    @Test
    void aServerIsAskedForTokensWithTheIdOfTheMessage() throws Exception {
        proxy();
        say("<think></think>Yes." + END);

        HttpResponse<String> answer = post(PATH, request(HI), "X-Request-Id", "mine", "anthropic-version", "2023-06-01");

        assertThat(Stage.json(answer.body()).path("id").asText()).isEqualTo("msg_mine");
        assertThat(answer.headers().firstValue("request-id")).contains("mine");
        assertThat(answer.headers().firstValue("X-Request-Id")).contains("mine");
        assertThat(answer.headers().firstValue("X-Glyphgate-Pool")).contains("p");
        assertThat(received.getFirst().headers()).containsEntry("x-request-id", "msg_mine");
        assertThat(received.getFirst().path()).isEqualTo(Stage.GENERATE);
    }

    /** Messages and the chat that they stand for have the same prompt. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            textBlock = """
            "system":"Be kind.","messages":[{"role":"user","content":"Hi"}] | \
            "messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"Hi"}]
            "system":[{"type":"text","text":"x-anthropic-billing-header: a"},{"type":"text","text":"Be "},{"type":"text","text":"kind.","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}] | \
            "messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"Hi"}]
            "messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":""},{"type":"text","text":"b"}]}] | \
            "messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]
            "messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"s"},{"type":"redacted_thinking","data":"zz"},{"type":"text","text":"I look."},{"type":"tool_use","id":"t","name":"get_weather","input":{"city":"Oslo"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"rain"},{"type":"text","text":"all day"}]},{"type":"text","text":"And?"}]}] | \
            "messages":[{"role":"user","content":"a"},{"role":"assistant","reasoning":"Hm.","content":"I look.","tool_calls":[{"id":"t","type":"function","function":{"name":"get_weather","arguments":"{\\"city\\":\\"Oslo\\"}"}}]},{"role":"tool","tool_call_id":"t","content":"rain\\nall day"},{"role":"user","content":"And?"}]
            "messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"get_weather","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"rain","is_error":true}]}] | \
            "messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"t","type":"function","function":{"name":"get_weather","arguments":"{}"}}]},{"role":"tool","tool_call_id":"t","content":"rain"}]
            "thinking":{"type":"disabled"},"messages":[{"role":"user","content":"Hi"}] | \
            "reasoning_effort":"none","messages":[{"role":"user","content":"Hi"}]
            "messages":[{"role":"user","content":"Hi"},{"role":"system","content":"Be kind."},{"role":"user","content":"Hi"}] | \
            "messages":[{"role":"user","content":"Hi"},{"role":"system","content":"Be kind."},{"role":"user","content":"Hi"}]
            "chat_template_kwargs":{"enable_thinking":false},"messages":[{"role":"user","content":"Hi"}] | \
            "chat_template_kwargs":{"enable_thinking":false},"messages":[{"role":"user","content":"Hi"}]
            """)
    void messagesStandForAChat(String messages, String chat) throws Exception {
        proxy();
        say("<think></think>Yes." + END);

        int count = ask(messages, TOOLS).at("/usage/input_tokens").asInt();
        HttpResponse<String> answer = post(CHAT, "{\"model\":\"tiny\"," + chat + "," + CHAT_TOOLS + "}");
        HttpResponse<String> counted = post(COUNT, "{\"model\":\"tiny\"," + messages + "," + TOOLS + "}");

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(Stage.json(received.get(0).body()).path("token_ids"))
                .isEqualTo(Stage.json(received.get(1).body()).path("token_ids"));
        assertThat(Stage.json(counted.body()))
                .isEqualTo(Stage.json("{\"input_tokens\":%1$d,\"context_management\":{\"original_input_tokens\":%1$d}}"
                        .formatted(count)));
        assertThat(counted.headers().firstValue("request-id")).isPresent();
    }

    /** The counts are those of vLLM 0.33, with the same tokenizer and template. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            textBlock = """
            9 | "messages":[{"role":"user","content":"Hi"}]
            13 | "messages":[{"role":"user","content":"Hi"}],"thinking":{"type":"disabled"}
            22 | "messages":[{"role":"user","content":"Hi"},{"role":"system","content":"Now."},{"role":"user","content":"Hi"}]
            192 | "system":[{"type":"text","text":"Be"},{"type":"text","text":" kind."}],"messages":[{"role":"user","content":[{"type":"text","text":"Hi"},{"type":"text","text":"there"}]},{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"s"},{"type":"text","text":"Look."},{"type":"tool_use","id":"t1","name":"get_weather","input":{"city":"Oslo"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"rain"}]},{"type":"text","text":"And?"}]}],"tools":[{"name":"get_weather","description":"w","input_schema":{"properties":{"city":{"enum":["Oslo"]}},"required":["city"]}}]
            """)
    void tokensAreCountedAsByVllm(int count, String fields) throws Exception {
        proxy();

        JsonNode answer = Stage.json(post(COUNT, "{\"model\":\"tiny\"," + fields + "}").body());

        assertThat(answer.path("input_tokens").asInt()).as(answer.toString()).isEqualTo(count);
        assertThat(received).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            textBlock = """
            "temperature":0.5,"top_p":0.9,"top_k":7 | {"temperature":0.5,"top_p":0.9,"top_k":7}
            "thinking":{"type":"enabled","budget_tokens":1024},"max_tokens":1500 | {"thinking_token_budget":1024,"max_tokens":1500}
            "thinking":{"type":"adaptive"} | {"max_tokens":500}
            "vllm_xargs":{"a":1} | {"extra_args":{"a":1}}
            "output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}} | {"structured_outputs":{"json":{"type":"object"}}}
            "tool_choice":{"type":"auto"},"stop_sequences":null | {"max_tokens":500}
            """)
    void parametersReachTheServer(String fields, String sampling) throws Exception {
        proxy();
        say("<think></think>Yes." + END);

        ask(HI, fields.contains("tool_choice") ? TOOLS + "," + fields : fields);

        JsonNode sent = Stage.json(received.getFirst().body()).path("sampling_params");
        Stage.json(sampling).properties().forEach(each -> assertThat(sent.path(each.getKey())).isEqualTo(each.getValue()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"type\":\"any\"}", "{\"type\":\"tool\",\"name\":\"get_weather\"}", "{\"type\":\"auto\",\"disable_parallel_tool_use\":true}"})
    void demandedCallsAreDemandedOfTheServer(String choice) throws Exception {
        proxy();
        say("<think></think>" + CALL.formatted("Oslo") + END);

        JsonNode message = ask(HI, TOOLS, "\"tool_choice\":" + choice);

        assertThat(message.path("stop_reason").asText()).isEqualTo("tool_use");
        assertThat(received.getFirst().body()).contains("structural_tag");
    }

    @Test
    void withoutWantedCallsTheirMarkupIsText() throws Exception {
        proxy();
        say("<think></think>" + CALL.formatted("Oslo") + END);

        assertThat(types(ask(HI, TOOLS, "\"tool_choice\":{\"type\":\"none\"}"))).containsExactly("text");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            textBlock = """
            "model":"nobody","max_tokens":1,"messages":[{"role":"user","content":"Hi"}] | 404 | not_found_error | `nobody` does not exist
            "model":"tiny","messages":[{"role":"user","content":"Hi"}] | 400 | invalid_request_error | body.max_tokens: Field required
            "model":"tiny","max_tokens":0,"messages":[] | 400 | invalid_request_error | max_tokens must be positive
            "model":"tiny","max_tokens":1 | 400 | invalid_request_error | body.messages: Field required
            "model":"tiny","max_tokens":1,"messages":[] | 400 | invalid_request_error | empty
            "model":"tiny","max_tokens":5000,"messages":[{"role":"user","content":"Hi"}] | 400 | invalid_request_error | max_model_len
            "model":"tiny","max_tokens":1,"zzz":1,"messages":[] | 400 | invalid_request_error | 'zzz' is not known
            "model":"tiny","max_tokens":1,"mcp_servers":[{}],"messages":[] | 400 | invalid_request_error | 'mcp_servers' is not known
            "model":"tiny","max_tokens":1,"temperature":-1,"messages":[{"role":"user","content":"Hi"}] | 400 | invalid_request_error | temperature must be
            "model":"tiny","max_tokens":1,"stop_sequences":[""],"messages":[] | 400 | invalid_request_error | empty string
            "model":"tiny","max_tokens":1,"messages":[{"role":"robot","content":"Hi"}] | 400 | invalid_request_error | messages.0.role: role must be
            "model":"tiny","max_tokens":1,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64"}}]}] | 400 | invalid_request_error | messages.0.content.0.type: a block of type image cannot be used here
            "model":"tiny","max_tokens":1,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"image"}]}]}] | 400 | invalid_request_error | messages.0.content.0.content.0.type: a block of type image
            "model":"tiny","max_tokens":1,"messages":[{"role":"user","content":[{"type":"tool_use","id":"a","name":"b","input":{}}]}] | 400 | invalid_request_error | no place in a message of this role
            "model":"tiny","max_tokens":1,"messages":[{"role":"user","content":7}] | 400 | invalid_request_error | messages.0.content: it must be a text
            "model":"tiny","max_tokens":1,"messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"web_search_20250305","name":"web_search"}] | 400 | invalid_request_error | tools.0.type: a tool of type web_search_20250305 runs at Anthropic only
            "model":"tiny","max_tokens":1,"messages":[{"role":"user","content":"Hi"}],"tools":[{"name":"f"}] | 400 | invalid_request_error | tools.0.input_schema
            "model":"tiny","max_tokens":1,"messages":[{"role":"user","content":"Hi"}],"tool_choice":{"type":"any"} | 400 | invalid_request_error | tools
            "model":"tiny","max_tokens":1,"messages":[{"role":"user","content":"Hi"}],"tools":[{"name":"f","input_schema":{}}],"tool_choice":{"type":"tool","name":"g"} | 400 | invalid_request_error | does not match any
            "model":"tiny","max_tokens":1000,"messages":[{"role":"user","content":"Hi"}],"thinking":{"type":"enabled","budget_tokens":1024} | 400 | invalid_request_error | less than max_tokens
            "model":"tiny","max_tokens":1000,"messages":[{"role":"user","content":"Hi"}],"thinking":{"type":"enabled","budget_tokens":10} | 400 | invalid_request_error | at least 1024
            "model":"tiny","max_tokens":1000,"messages":[{"role":"user","content":"Hi"}],"thinking":{"type":"loud"} | 400 | invalid_request_error | thinking.type
            "model":"tiny","max_tokens":1000,"messages":[{"role":"user","content":"Hi"}],"output_config":{"effort":"huge"} | 400 | invalid_request_error | output_config.effort
            """)
    void refusalsHaveTheShapeOfTheApi(String body, int status, String type, String words) throws Exception {
        proxy();

        HttpResponse<String> answer = post(PATH, "{" + body + "}", "X-Request-Id", "mine");

        JsonNode error = Stage.json(answer.body());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(error.path("type").asText()).isEqualTo("error");
        assertThat(error.at("/error/type").asText()).isEqualTo(type);
        assertThat(error.at("/error/message").asText()).contains(words);
        assertThat(error.path("request_id").asText()).isEqualTo("mine");
        assertThat(answer.headers().firstValue("request-id")).contains("mine");
        assertThat(answer.headers().firstValue("X-Glyphgate-Error")).isPresent();
        assertThat(received).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "[]", "\"\""})
    void whatIsNoObjectIsRefusedInTheSameShape(String body) throws Exception {
        proxy();

        for (String path : List.of(PATH, COUNT)) {
            HttpResponse<String> answer = post(path, body);
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(Stage.json(answer.body()).at("/error/type").asText()).isEqualTo("invalid_request_error");
        }
    }

    @Test
    void unknownFieldsAreIgnoredWhereTheOperatorSaysSo() throws Exception {
        proxy("doors: { unknown-fields: ignore }\n");
        say("<think></think>Yes." + END);

        assertThat(all(ask(HI, "\"zzz\":1"), "text")).isEqualTo("Yes.");
    }

    @Test
    void theDoorsMayBeClosed() throws Exception {
        proxy("doors: { anthropic: false }\n");

        assertThat(post(PATH, request(HI)).statusCode()).isEqualTo(404);
        assertThat(post(COUNT, request(HI)).statusCode()).isEqualTo(404);
        assertThat(stage.get("/openapi.json").body()).doesNotContain("\"/v1/messages\"");
    }

    @Test
    void aPoolWhoseServersTakeTextsIsNotAskedForMessages() throws Exception {
        String yaml = OpenAiCaptures.configuration(folder, server.uri());
        stage.proxyOf(yaml.substring(0, yaml.indexOf("pools:")) + "pools:\n  full: { model: tiny, tokenizer: upstream, chat: native,"
                + " endpoints: [ " + server.uri() + " ] }\n");

        HttpResponse<String> answer = post(PATH, request(HI));

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("'full' leaves texts to its servers (tokenizer: upstream), which are not asked for this");
    }

    @ParameterizedTest
    @CsvSource({"400, invalid_request_error", "429, rate_limit_error", "500, api_error", "503, overloaded_error"})
    void theRefusalOfAServerIsPassedOnInTheShapeOfTheApi(int status, String type) throws Exception {
        proxy();
        script = Script.faults(Fault.of(Fault.Kind.STATUS).with(status));

        for (String more : List.of("\"stream\":false", "\"stream\":true")) {
            HttpResponse<String> answer = post(PATH, request(HI, more));
            assertThat(answer.statusCode()).isEqualTo(status);
            assertThat(Stage.json(answer.body()).at("/error/type").asText()).isEqualTo(type);
            assertThat(Stage.json(answer.body()).at("/error/message").asText()).isEqualTo("A fault was asked for");
            assertThat(answer.headers().firstValue("X-Glyphgate-Error")).contains("upstream-refused");
            assertThat(answer.headers().firstValue("Retry-After").isPresent()).isEqualTo(status == 429 || status == 503);
        }
    }

    @Test
    void aStreamThatBreaksEndsWithWhatWasHeldBackAndAnError() throws Exception {
        proxy();
        script = Script.tokens(Stage.encode("<think></think>Let me look.\n" + CALL.formatted("Oslo")))
                .failing(List.of(Fault.of(Fault.Kind.CUT).after(8)));

        List<JsonNode> events = events(post(PATH, request(HI, TOOLS, "\"stream\":true")).body());

        assertThat(all(assembled(events, false), "text")).startsWith("Let me look.");
        assertThat(events.getLast().at("/error/type").asText()).isEqualTo("api_error");
        assertThat(events.get(events.size() - 2).path("type").asText()).isEqualTo("content_block_stop");
    }

    @Test
    void aSilentStreamIsKeptAliveByPings() throws Exception {
        proxy("clients: { keep-alive: 100ms }\n");
        script = Script.tokens(Stage.encode("<think></think>Yes." + END))
                .failing(List.of(Fault.of(Fault.Kind.STALL).after(3).with(1500)));

        String stream = post(PATH, request(HI, "\"stream\":true")).body();

        assertThat(stream).contains("event: ping\ndata: {\"type\":\"ping\"}\n\n").doesNotContain(": keep-alive");
        assertThat(all(assembled(events(stream), true), "text")).isEqualTo("Yes.");
    }

    @Test
    void aPromptIsComputedByAPrefillPool() throws Exception {
        SimulatedServer prefill = stage.server(Stage.tokensOnly().model("tiny").connector(SimulatorOptions.Connector.NIXL));
        SimulatedServer decode = stage.server(Stage.tokensOnly().model("tiny").connector(SimulatorOptions.Connector.NIXL));
        decode.direct(request -> Script.tokens(Stage.encode("<think></think>Yes." + END)));
        String yaml = OpenAiCaptures.configuration(folder, server.uri()).replace("    kv-params: pass\n", "");
        stage.proxyOf(yaml.substring(0, yaml.indexOf("pools:")) + "pools:\n"
                + "  a: { model: tiny, tokenizer: none, role: prefill, endpoints: [ " + prefill.uri() + " ] }\n"
                + "  b: { model: tiny, tokenizer: proxy, role: decode, endpoints: [ " + decode.uri() + " ] }\n");

        assertThat(all(askForStream(HI), "text")).isEqualTo("Yes.");
        assertThat(prefill.requests()).anySatisfy(request -> assertThat(request.body()).contains("\"max_tokens\":1"));
    }

    @Test
    void aKeyMayComeAsAnthropicsClientsBringIt() throws Exception {
        Files.writeString(folder.resolve("keys"), "sk-alice\n");
        String yaml = OpenAiCaptures.configuration(folder, server.uri());
        stage.proxyOf(yaml.replace("drain: 5s", "drain: 5s, api-key-file: keys"));
        say("<think></think>Yes." + END);

        assertThat(post(PATH, request(HI), "x-api-key", "sk-alice").statusCode()).isEqualTo(200);
        assertThat(post(PATH, request(HI), "Authorization", "Bearer sk-alice").statusCode()).isEqualTo(200);
        assertThat(post(COUNT, request(HI), "x-api-key", "sk-alice").statusCode()).isEqualTo(200);
        assertThat(post(CHAT, "{" + HI + "}", "x-api-key", "sk-alice").statusCode()).isEqualTo(401);
        HttpResponse<String> refused = post(PATH, request(HI), "x-api-key", "sk-bob");
        assertThat(refused.statusCode()).isEqualTo(401);
        assertThat(Stage.json(refused.body()).at("/error/type").asText()).isEqualTo("authentication_error");
        assertThat(received).hasSize(2);
    }

    @Test
    void aClientThatLeavesAbortsTheRequest() throws Exception {
        proxy();
        script = Script.tokens(Stage.encode("<think></think>" + "la ".repeat(50)))
                .failing(List.of(Fault.of(Fault.Kind.STALL).after(10)));
        byte[] body = request(HI, "\"stream\":true").getBytes(StandardCharsets.UTF_8);

        try (RawConnection connection = new RawConnection(stage.uri().getPort())) {
            connection.send("POST " + PATH + " HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\nContent-Type: application/json\r\n"
                    + "Content-Length: " + body.length + "\r\n\r\n" + new String(body, StandardCharsets.UTF_8));
            connection.readUntil("text_delta");
        }

        server.await("the request is aborted", Stage.LIMIT, () -> server.activeRequests() == 0);
        assertThat(server.abortedRequestIds()).containsExactly("generate-tokens-msg_mine");
    }
}
