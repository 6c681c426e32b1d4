package io.glyphgate.proxy.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.choice.RecordedText;
import io.glyphgate.proxy.choice.StopStrings;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stop strings in the messages of gpt-oss, of which the markers are tokens (rule D84). */
class HarmonyStopTest {
    private static final List<String> OUTPUT = List.of(
            "<|channel|>", "analysis", "<|message|>", "Hm", ".", "<|end|>", "<|start|>", "assistant", "<|channel|>", "comment", "ary",
            " to", "=functions.", "f", " ", "<|constrain|>", "json", "<|message|>", "{\"a\": ", "1}", "<|call|>", "<|start|>",
            "assistant", "<|channel|>", "final", "<|message|>", "two", " ST", "OP.", "<|return|>");

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "STOP         ; Hm. ; `two `                                                                         ; {\"a\": 1}",
                "final        ; Hm. ; <|start|>assistant<|channel|>                                                 ; {\"a\": 1}",
                "mentary      ; Hm. ; <|start|>assistant<|channel|>com                                              ; none",
                "json         ; Hm. ; `<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>`        ; none",
                "=func        ; Hm. ; <|start|>assistant<|channel|>commentary to                                    ; none",
                "sis          ; ``  ; <|channel|>analy                                                              ; none",
            })
    void oneInAHeaderLeavesTheHeaderAsContent(String stop, String reasoning, String content, String arguments) {
        Answer answer = play(stop);

        assertThat(answer.reasoning()).isEqualTo(reasoning);
        assertThat(answer.content()).isEqualTo(content);
        assertThat(answer.calls().stream().map(Answer.Call::arguments).toList())
                .isEqualTo(arguments.equals("none") ? List.of() : List.of(arguments));
        assertThat(answer.stopReason()).isEqualTo(stop);
    }

    @ParameterizedTest
    @CsvSource({"<|", "end", "start|>", "Hm.assistant", "assistantfinal"})
    void noneIsFoundInAMarkerOrAcrossOne(String stop) {
        Answer answer = play(stop);

        assertThat(answer.stopReason()).isEmpty();
        assertThat(answer.reasoning() + answer.content()).isEqualTo("Hm.two STOP.");
        assertThat(answer.finishReason()).isEqualTo("tool_calls");
    }

    /** The answer, which must be the same for all cuttings. */
    private static Answer play(String stop) {
        try (Registry registry = Registry.of(HarmonyStopTest.class.getClassLoader())) {
            OutputPlan.Parsers parsers = new OutputPlan.Parsers(
                    registry.find(CombinedParserProvider.class, "openai").orElseThrow(), null, null);
            ParseRequest request =
                    new ParseRequest(List.of(Tool.of("f", Map.of())), ToolChoice.AUTO, true, true, Map.of(), 0);
            Cuttings cuttings = new Cuttings(
                    "",
                    (tokenizer, stops) -> new OutputPlan(
                            "m", Set.of(Need.MESSAGE, Need.TEXT), tokenizer, parsers, new int[0], true, true, stops, false, request));
            int[] tokens = IntStream.range(0, OUTPUT.size()).toArray();
            Answer answer = cuttings.play(
                            new RecordedText(OUTPUT, ""),
                            tokens,
                            new StopStrings(List.of(stop), false, 0),
                            new EngineFinish("stop", ""),
                            new int[] {1, 4, 2})
                    .answer();
            assertThat(cuttings.problems()).isEmpty();
            return answer;
        }
    }
}
