package io.glyphgate.proxy.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.glyphgate.proxy.Recorded;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.choice.StopStrings;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.TokenizerProvider;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Faults of other servers that were reported in public, each as an output and what must come of it, however it is
 * cut.
 */
class PublicReportsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path TOKENIZER = Path.of("../../distribution/src/main/tokenizers/qwen3");

    private static Registry registry;
    private static Tokenizer tokenizer;

    @BeforeAll
    static void open() throws IOException {
        registry = Registry.of(PublicReportsTest.class.getClassLoader());
        tokenizer = registry.find(TokenizerProvider.class, "huggingface")
                .orElseThrow()
                .load(TOKENIZER.toUri(), Map.of());
    }

    @AfterAll
    static void close() {
        tokenizer.close();
        registry.close();
    }

    @TestFactory
    Stream<DynamicTest> aReportedFaultIsNone() throws IOException {
        List<JsonNode> reports = Recorded.lines("/goldens/public-reports.jsonl.gz");
        assertThat(reports).hasSizeGreaterThan(20);
        return reports.stream()
                .map(report -> DynamicTest.dynamicTest(
                        report.path("id").asText() + " " + report.path("kind").asText(), () -> check(report)));
    }

    private static void check(JsonNode report) throws IOException {
        JsonNode input = report.path("input");
        JsonNode expected = report.path("expected");
        String output = input.path("model_output").asText();
        int[] tokens = tokenizer.encode(output, false);
        assertThat(tokenizer.decode(tokens, false)).isEqualTo(output);
        Cuttings cuttings = new Cuttings(
                input.path("prompt_tail").asText(""), (used, stop) -> plan(input, used, stop));
        EngineFinish finish = new EngineFinish(expected.path("finish_reason").asText("stop"), "");
        int[] sizes = new Random(output.length()).ints(20, 0, 9).toArray();
        List<String> stops = new ArrayList<>();
        input.path("stop").forEach(stop -> stops.add(stop.asText()));
        Answer answer = cuttings.play(tokenizer, tokens, new StopStrings(stops, false, 0), finish, sizes)
                .answer();
        assertThat(cuttings.problems()).isEmpty();
        // The reports leave white space around a field open.
        if (expected.has("reasoning")) {
            assertThat(answer.reasoning().strip())
                    .isEqualTo(expected.path("reasoning").asText("").strip());
        }
        assertThat(answer.content().strip())
                .isEqualTo(expected.path("content").asText("").strip());
        assertThat(answer.calls()).hasSize(expected.path("tools").size());
        for (int i = 0; i < answer.calls().size(); i++) {
            JsonNode call = expected.path("tools").path(i);
            assertThat(answer.calls().get(i).name()).isEqualTo(call.path(0).asText());
            String arguments = answer.calls().get(i).arguments();
            if (call.path(1).isTextual()) {
                assertThat(arguments).isEqualTo(call.path(1).asText());
            } else {
                assertThat(JSON.readTree(arguments)).isEqualTo(call.path(1));
            }
        }
        JsonNode also = expected.path("also");
        assertThat(Objects.requireNonNull(cuttings.all().get("chunks of 1")).argumentPieces())
                .isGreaterThanOrEqualTo(Math.min(also.path("check_arg_deltas").asInt(), tokens.length / 4));
        for (int i = 0; i < also.path("check_ids").size(); i++) {
            assertThat(answer.calls().get(i).id())
                    .isEqualTo(also.path("check_ids").path(i).asText());
        }
        if (also.path("check_no_uescape").asBoolean()) {
            assertThat(answer.calls()).noneMatch(call -> call.arguments().contains("\\u"));
        }
        if (expected.has("finish_reason")) {
            assertThat(answer.finishReason())
                    .isEqualTo(expected.path("finish_reason").asText());
        }
    }

    private static OutputPlan plan(JsonNode input, Tokenizer used, StopStrings stop) {
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
                parser(CombinedParserProvider.class, input.path("parser")),
                parser(ReasoningParserProvider.class, input.path("reasoning_parser")),
                parser(ToolParserProvider.class, input.path("tool_parser")));
        String prompt = input.path("prompt_tail").asText("");
        return new OutputPlan(
                "reported",
                Set.of(Need.TEXT, Need.MESSAGE),
                used,
                parsers,
                tokenizer.encode(prompt, false),
                input.path("skip_special_tokens").asBoolean(true),
                true,
                stop,
                false,
                parse);
    }

    private static <P extends ParserProvider> @Nullable P parser(Class<P> kind, JsonNode name) {
        return name.isTextual() ? registry.find(kind, name.asText()).orElseThrow() : null;
    }

    @SuppressWarnings("unchecked") // a JSON object becomes a map with its names as keys
    private static Map<String, Object> map(JsonNode object) {
        return object.isObject() ? JSON.convertValue(object, Map.class) : Map.of();
    }
}
