package io.glyphgate.proxy.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.InvalidRequestException;
import io.glyphgate.spi.ToolChoice;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CapturedOutputTest {
    private static final CapturedOutput OUTPUT = new CapturedOutput(
            "r\n\"1\"",
            1,
            "2026-01-01T00:00:00Z",
            "chat",
            "m",
            new CapturedOutput.TokenizerName("huggingface", "file:///models/t.json", Map.of("o", "v")),
            new CapturedOutput.ParserNames(null, "qwen3", "hermes"),
            List.of(new CapturedOutput.Found("tool-parser", "hermes", "unclosed-call")),
            new int[] {1, 2},
            3,
            new int[] {4, 5, 6},
            0,
            "stop",
            151645,
            new CapturedOutput.Sampling(true, false, List.of("END"), true, 2),
            Map.of(
                    "tool_choice", "required",
                    "tools", List.of(Map.of("type", "function", "function", Map.of("name", "f", "parameters", Map.of())))));

    @Test
    void isReadAsItWasWritten() {
        CapturedOutput read = CapturedOutput.parse(OUTPUT.toJson());
        assertThat(read).usingRecursiveComparison().isEqualTo(OUTPUT);
        assertThat(read.parseRequest().toolChoice()).isEqualTo(ToolChoice.REQUIRED);
        assertThat(read.parseRequest().tools()).extracting(tool -> tool.name()).containsExactly("f");
    }

    @Test
    void isOneLine() {
        assertThat(new String(OUTPUT.toJson(), StandardCharsets.UTF_8))
                .doesNotContain("\n")
                .contains("\"request_id\":\"r\\n\\\"1\\\"\"", "\"reasoning_parser\":\"qwen3\"", "\"include_stop_str_in_output\":true");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", "[]", "{\"request_id\": \"r\"}", "{\"zz\": 1}", "no"})
    void whatIsNoneIsRefused(String json) {
        assertThatThrownBy(() -> CapturedOutput.parse(json.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageStartingWith("This is no captured output: ");
    }

    @Test
    void aFieldThatIsNotKnownIsRefused() {
        String more = new String(OUTPUT.toJson(), StandardCharsets.UTF_8).replace("\"choice\":1", "\"choice\":1,\"newer\":true");
        assertThatThrownBy(() -> CapturedOutput.parse(more.getBytes(StandardCharsets.UTF_8))).hasMessageContaining("newer");
    }
}
