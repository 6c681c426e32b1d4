package io.glyphgate.proxy.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolParserProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What parsers demand of the server is what vLLM 0.33's own parsers demand of it. */
class CallConstraintGoldenTest {
    private static final List<JsonNode> LINES = lines();
    private static final JsonNode TOOLS = LINES.getFirst().path("tools");

    private static List<JsonNode> lines() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(Objects.requireNonNull(
                        CallConstraintGoldenTest.class.getResourceAsStream("/goldens/constraints.jsonl.gz"))),
                StandardCharsets.UTF_8))) {
            return lines.lines().map(Stage::json).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Stream<JsonNode> recorded() {
        return LINES.stream().skip(1);
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void demandsWhatVllmDemands(JsonNode line) {
        ToolParserProvider parser = Stage.REGISTRY
                .find(ToolParserProvider.class, line.path("tool_parser").asText())
                .orElseThrow();
        JsonNode request = line.path("request");

        Optional<Map<String, Object>> constraint = parser.constraint(
                tools(line.path("strict_tool").asBoolean()),
                choice(request.path("tool_choice")),
                request.path("parallel_tool_calls").asBoolean(true));

        JsonNode wanted = line.path("structured_outputs");
        if (wanted.isNull()) {
            assertThat(constraint).isEmpty();
        } else {
            assertThat(withoutFiller(Stage.JSON.valueToTree(constraint.orElseThrow()))).isEqualTo(withoutFiller(wanted));
        }
    }

    private static List<Tool> tools(boolean firstIsStrict) {
        List<Tool> tools = new ArrayList<>();
        for (JsonNode each : TOOLS) {
            JsonNode function = each.path("function");
            Map<String, Object> parameters =
                    Stage.JSON.convertValue(function.path("parameters"), new TypeReference<Map<String, Object>>() {});
            tools.add(new Function(function.path("name").asText(), parameters, firstIsStrict && tools.isEmpty()));
        }
        return tools;
    }

    private static ToolChoice choice(JsonNode choice) {
        return switch (choice.asText()) {
            case "auto" -> ToolChoice.AUTO;
            case "required" -> ToolChoice.REQUIRED;
            default -> ToolChoice.named(choice.path("function").path("name").asText());
        };
    }

    /** Without members that say the default. */
    private static JsonNode withoutFiller(JsonNode tag) {
        if (tag instanceof ObjectNode object) {
            object.remove(List.of("any_order", "max_whitespace_cnt"));
            if (object.path("type").asText().equals("json_schema")) {
                object.remove("excludes");
            }
        }
        tag.forEach(CallConstraintGoldenTest::withoutFiller);
        return tag;
    }

    private record Function(String name, Map<String, Object> parameters, boolean strict) implements Tool {}
}
