package io.glyphgate.proxy.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.choice.Choice;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.choice.RecordedText;
import io.glyphgate.proxy.choice.StopStrings;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.MessageDelta.ToolCallDelta;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a tokenizer's own response template describes, against what transformers make of the same outputs. */
class ResponseTemplateTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNode RECORDED = recorded();

    @TempDir
    private Path folder;

    private static JsonNode recorded() {
        try (InputStream in = ResponseTemplateTest.class.getResourceAsStream("/response-templates/cases.json")) {
            return JSON.readTree(in);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    static Stream<JsonNode> cases() {
        List<JsonNode> cases = new ArrayList<>();
        RECORDED.path("cases").forEach(cases::add);
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theMessageIsThatOfTransformers(JsonNode recorded) throws IOException {
        List<ParserProvider> parsers = parsers(RECORDED.path("templates").path(recorded.path("template").asText()));
        String output = recorded.path("output").asText();

        ObjectNode expected = ((ObjectNode) recorded.path("message")).deepCopy();
        expected.remove("role");
        assertThat(message(parsers, recorded.path("prompt").asText(), List.of(output))).isEqualTo(expected);
        assertThat(message(parsers, recorded.path("prompt").asText(), List.of(output.split("")))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '@',
            quoteCharacter = '`',
            value = {
                "/version @ 2 @ version: is 2, and only 1 is known",
                "/fields/thinking/clos @ `\"x\"` @ fields.thinking.clos: is not known",
                "/fields/notes @ {} @ fields.notes: is not known",
                "/fields/thinking/transform @ {} @ fields.thinking: may hold text as it stands only",
                "/fields/thinking/open_pattern @ `\".*<think>\"` @ fields.thinking.open_pattern: '.*<think>' is more than literals",
                "/fields/thinking/close @ null @ fields.thinking.close: is missing",
                "/start_anchor_pattern @ `\"a|b\"` @ start_anchor_pattern: 'a|b' is more than literals",
                "/fields/tool_calls/content @ `\"kv-lines\"` @ fields.tool_calls.content: must be json without content_args",
                "/fields/tool_calls/transform @ `{\"function\": {\"name\": \"f\"}}` @ fields.tool_calls.transform: must take the",
                "/fields/tool_calls/open_pattern @ `\"<call>(?P<name>\\\\w+).*?<args>\"` @ fields.tool_calls.open_pattern: '<call>"
            })
    void whatCannotBeExpressedIsRefusedWithItsKey(String pointer, String value, String refusal) throws IOException {
        ObjectNode template = ((ObjectNode) RECORDED.path("templates").path("json-between-tags")).deepCopy();
        int slash = pointer.lastIndexOf('/');
        ObjectNode block = (ObjectNode) template.at(pointer.substring(0, slash));
        block.set(pointer.substring(slash + 1), JSON.readTree(value));

        assertThatThrownBy(() -> parsers(template))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("tokenizer_config.json: response_template." + refusal)
                .hasMessageEndingWith("; name a parser that knows the format, or describe it under parsers");
    }

    @Test
    void aFormatOfChannelsIsRefused() throws IOException {
        JsonNode harmony = JSON.readTree("""
                {"start_anchor": "<|start|>assistant", "fields": {
                  "thinking": {"open": "<|channel|>analysis<|message|>", "close": "<|end|>"},
                  "tool_calls": {"open_pattern": "<\\\\|channel\\\\|>commentary to=functions\\\\.(?P<name>\\\\w+).*?<\\\\|message\\\\|>",
                    "close": "<|call|>", "content": "json",
                    "transform": {"function": {"name": "{name}", "arguments": "{content}"}}}}}
                """);
        assertThatThrownBy(() -> parsers(harmony)).hasMessageContaining("fields.tool_calls.open_pattern");
    }

    @Test
    void aMissingTemplateIsTold() throws IOException {
        assertThatThrownBy(() -> ResponseTemplate.parsers(folder, false, false)).hasMessageContaining("there is no ");
        Path config = folder.resolve("tokenizer_config.json");
        Files.writeString(config, "{}");
        assertThatThrownBy(() -> ResponseTemplate.parsers(folder, false, false))
                .hasMessage(config + " has no response_template; describe the format under parsers");
        Files.writeString(config, "{\"response_schema\": {}}");
        assertThatThrownBy(() -> ResponseTemplate.parsers(folder.resolve("tokenizer.json"), false, false))
                .hasMessageContaining("its response_schema is of an older form");
        Files.writeString(config, "{");
        assertThatThrownBy(() -> ResponseTemplate.parsers(folder, false, false)).hasMessageContaining("is not JSON");
    }

    @Test
    void theHalfThatIsAskedForMustBeThere() throws IOException {
        write(RECORDED.path("templates").path("nested-keys"));
        assertThat(ResponseTemplate.parsers(folder, false, true)).hasSize(1);
        assertThatThrownBy(() -> ResponseTemplate.parsers(folder, true, true))
                .hasMessageContaining("response_template.fields: has no thinking, so there is nothing to parse");
    }

    private void write(JsonNode template) throws IOException {
        Files.writeString(
                folder.resolve("tokenizer_config.json"),
                JSON.createObjectNode().set("response_template", template).toString());
    }

    private List<ParserProvider> parsers(JsonNode template) throws IOException {
        write(template);
        return ResponseTemplate.parsers(folder, false, false);
    }

    /** The message as transformers would write it, without white space around its texts. */
    private static ObjectNode message(List<ParserProvider> parsers, String prompt, List<String> pieces) {
        try (Registry registry = Registry.of(ResponseTemplateTest.class.getClassLoader()).with(parsers)) {
            Choice choice = new Choice(new OutputPlan(
                    "m",
                    Set.of(Need.MESSAGE),
                    new RecordedText(pieces, prompt),
                    OutputPlan.Parsers.of(registry, Optional.of("hf"), Optional.empty(), Optional.empty()),
                    new int[] {0},
                    true,
                    true,
                    StopStrings.NONE,
                    false,
                    new ParseRequest(tools(), ToolChoice.AUTO, true, true, Map.of(), 0)));
            StringBuilder reasoning = new StringBuilder();
            StringBuilder content = new StringBuilder();
            List<String> names = new ArrayList<>();
            List<StringBuilder> arguments = new ArrayList<>();
            for (int i = 0; i < pieces.size(); i++) {
                choice.accept(new int[] {i}, 1, i == pieces.size() - 1 ? new EngineFinish("stop", "") : null);
                ChoiceStep step = choice.step();
                reasoning.append(step.message().reasoning());
                content.append(step.message().content());
                for (ToolCallDelta call : step.message().toolCalls()) {
                    if (call.opens()) {
                        names.add(call.name());
                        arguments.add(new StringBuilder());
                    }
                    arguments.getLast().append(call.arguments());
                }
            }
            return written(reasoning.toString().strip(), content.toString().strip(), names, arguments);
        }
    }

    private static ObjectNode written(String reasoning, String content, List<String> names, List<StringBuilder> arguments) {
        ObjectNode message = JSON.createObjectNode();
        if (!reasoning.isEmpty()) {
            message.put("thinking", reasoning);
        }
        if (!content.isEmpty()) {
            message.put("content", content);
        }
        for (int i = 0; i < names.size(); i++) {
            try {
                message.withArray("tool_calls")
                        .addObject()
                        .put("type", "function")
                        .putObject("function")
                        .put("name", names.get(i))
                        .set("arguments", JSON.readTree(arguments.get(i).toString()));
            } catch (JsonProcessingException e) {
                throw new AssertionError(arguments.get(i).toString(), e);
            }
        }
        return message;
    }

    private static List<Tool> tools() {
        List<Tool> tools = new ArrayList<>();
        for (JsonNode tool : RECORDED.path("tools")) {
            JsonNode function = tool.path("function");
            tools.add(Tool.of(function.path("name").asText(), schema(function.path("parameters"))));
        }
        return Collections.unmodifiableList(tools);
    }

    @SuppressWarnings("unchecked") // a JSON object becomes a map with its names as keys
    private static Map<String, Object> schema(JsonNode object) {
        return JSON.convertValue(object, Map.class);
    }
}
