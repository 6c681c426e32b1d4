package io.glyphgate.proxy.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Faults of other servers that were reported in public, each as an output and what must come of it, however it is
 * cut.
 */
class PublicReportsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int[] PIECES = {1, 2, 3, 5, 17, 4096};

    private record Message(
            String reasoning,
            String content,
            List<String> names,
            List<String> arguments,
            int argumentPieces,
            String finish) {}

    @TestFactory
    Stream<DynamicTest> aReportedFaultIsNone() throws IOException {
        List<JsonNode> reports = new ArrayList<>();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(PublicReportsTest.class.getResourceAsStream("/goldens/public-reports.jsonl.gz")),
                StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                reports.add(JSON.readTree(line));
            }
        }
        assertThat(reports).hasSizeGreaterThan(20);
        return reports.stream()
                .map(report -> DynamicTest.dynamicTest(
                        report.path("id").asText() + " " + report.path("kind").asText(), () -> check(report)));
    }

    private static void check(JsonNode report) throws IOException {
        JsonNode expected = report.path("expected");
        for (int size : PIECES) {
            Message message = play(
                    report.path("input"), size, expected.path("finish_reason").asText("stop"));
            // The reports leave white space around a field open.
            if (expected.has("reasoning")) {
                assertThat(message.reasoning.strip())
                        .isEqualTo(expected.path("reasoning").asText("").strip());
            }
            assertThat(message.content.strip())
                    .isEqualTo(expected.path("content").asText("").strip());
            assertThat(message.names).hasSize(expected.path("tools").size());
            for (int i = 0; i < message.names.size(); i++) {
                JsonNode call = expected.path("tools").path(i);
                assertThat(message.names.get(i)).isEqualTo(call.path(0).asText());
                if (call.path(1).isTextual()) {
                    assertThat(message.arguments.get(i)).isEqualTo(call.path(1).asText());
                } else {
                    assertThat(JSON.readTree(message.arguments.get(i))).isEqualTo(call.path(1));
                }
            }
            int pieces = report.path("input").path("model_output").asText().length() / size;
            int argumentPieces = expected.path("also").path("check_arg_deltas").asInt();
            assertThat(message.argumentPieces).isGreaterThanOrEqualTo(Math.min(argumentPieces, pieces / 4));
            if (expected.has("finish_reason")) {
                assertThat(message.finish)
                        .isEqualTo(expected.path("finish_reason").asText());
            }
        }
    }

    private static Message play(JsonNode input, int size, String finish) {
        String output = input.path("model_output").asText();
        List<String> pieces = new ArrayList<>();
        for (int at = 0; at < output.length(); at += size) {
            pieces.add(output.substring(at, Math.min(output.length(), at + size)));
        }
        StringBuilder reasoning = new StringBuilder();
        StringBuilder content = new StringBuilder();
        List<String> names = new ArrayList<>();
        List<StringBuilder> arguments = new ArrayList<>();
        String reason = "";
        int argumentPieces = 0;
        try (Registry registry = Registry.of(PublicReportsTest.class.getClassLoader())) {
            Choice choice = new Choice(plan(input, pieces, registry));
            int[] tokens = IntStream.range(0, pieces.size()).toArray();
            for (int i = 0; i < tokens.length; i++) {
                boolean last = i + 1 == tokens.length;
                choice.accept(new int[] {tokens[i]}, 1, last ? new EngineFinish(finish, "") : null);
                ChoiceStep step = choice.step();
                reasoning.append(step.message().reasoning());
                content.append(step.message().content());
                for (ToolCallDelta call : step.message().toolCalls()) {
                    if (call.opens()) {
                        names.add(call.name());
                        arguments.add(new StringBuilder());
                        assertThat(call.index()).isEqualTo(names.size() - 1);
                    }
                    arguments.get(call.index()).append(call.arguments());
                    argumentPieces += call.arguments().isEmpty() ? 0 : 1;
                }
                reason = step.finishReason();
            }
        }
        return new Message(
                reasoning.toString(),
                content.toString(),
                names,
                arguments.stream().map(StringBuilder::toString).toList(),
                argumentPieces,
                reason);
    }

    private static OutputPlan plan(JsonNode input, List<String> pieces, Registry registry) {
        List<Tool> tools = new ArrayList<>();
        for (JsonNode entry : input.path("tools")) {
            JsonNode function = entry.path("function");
            tools.add(Tool.of(function.path("name").asText(), map(function.path("parameters"))));
        }
        boolean calls = !tools.isEmpty() && !input.path("tool_choice").asText().equals("none");
        ParseRequest parse = new ParseRequest(
                tools,
                calls ? ToolChoice.AUTO : ToolChoice.NONE,
                true,
                true,
                map(input.path("chat_template_kwargs")),
                0);
        OutputPlan.Parsers parsers = new OutputPlan.Parsers(
                null,
                input.has("reasoning_parser")
                        ? registry.find(
                                        ReasoningParserProvider.class,
                                        input.path("reasoning_parser").asText())
                                .orElseThrow()
                        : null,
                input.has("tool_parser")
                        ? registry.find(
                                        ToolParserProvider.class,
                                        input.path("tool_parser").asText())
                                .orElseThrow()
                        : null);
        String prompt = input.path("prompt_tail").asText("");
        return new OutputPlan(
                "reported",
                Set.of(Need.TEXT, Need.MESSAGE),
                new RecordedText(pieces, prompt),
                parsers,
                new int[] {0},
                true,
                true,
                StopStrings.NONE,
                false,
                parse);
    }

    @SuppressWarnings("unchecked") // a JSON object becomes a map with its names as keys
    private static Map<String, Object> map(JsonNode object) {
        return object.isObject() ? JSON.convertValue(object, Map.class) : Map.of();
    }
}
