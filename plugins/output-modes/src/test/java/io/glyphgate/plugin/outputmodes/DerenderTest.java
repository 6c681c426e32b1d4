package io.glyphgate.plugin.outputmodes;

import static io.glyphgate.testkit.RecordingJsonWriter.NULL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.ChoiceWriter;
import io.glyphgate.spi.InvalidRequestException;
import io.glyphgate.spi.JsonWriter;
import io.glyphgate.spi.OutputMode;
import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.testkit.OutputModeContract;
import io.glyphgate.testkit.RecordingJsonWriter;
import io.glyphgate.testkit.ScriptedChoice;
import io.glyphgate.testkit.ScriptedChoice.Arguments;
import io.glyphgate.testkit.ScriptedChoice.Call;
import io.glyphgate.testkit.ScriptedChoice.Content;
import io.glyphgate.testkit.ScriptedChoice.Reasoning;
import io.glyphgate.testkit.ScriptedChoice.Token;
import io.glyphgate.testkit.TestGenerateRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DerenderTest extends OutputModeContract {
    private static final ScriptedChoice CALL = new ScriptedChoice(
            List.of(
                    new Reasoning("why"),
                    new Content("so"),
                    new Token(4, "x"),
                    new Call("c1", "weather"),
                    new Arguments("{\"city\""),
                    new Arguments(": 1}")),
            "stop",
            true);

    @Override
    protected OutputModeProvider provider() {
        return new Derender();
    }

    @Override
    protected Map<String, Object> assemble(List<Map<String, Object>> events) {
        StringBuilder content = new StringBuilder();
        StringBuilder reasoning = new StringBuilder();
        List<Map<String, Object>> calls = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            Map<String, Object> delta = object(events.get(i), "delta");
            assertThat(delta.containsKey("role")).as("role in event %d", i).isEqualTo(i == 0);
            content.append(delta.getOrDefault("content", ""));
            reasoning.append(delta.getOrDefault("reasoning", ""));
            for (Object entry : (List<?>) delta.getOrDefault("tool_calls", List.of())) {
                Map<String, Object> call = new LinkedHashMap<>(object(entry));
                int index = ((Long) call.remove("index")).intValue();
                Map<String, Object> function = new LinkedHashMap<>(object(call, "function"));
                call.put("function", function);
                assertThat(call.containsKey("id")).isEqualTo(index == calls.size());
                if (index == calls.size()) {
                    calls.add(call);
                } else {
                    object(calls.get(index), "function")
                            .merge("arguments", function.get("arguments"), (some, more) -> some + "" + more);
                }
            }
        }
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("role", "assistant");
        message.put("content", content.isEmpty() ? NULL : content.toString());
        message.put("refusal", NULL);
        message.put("annotations", NULL);
        message.put("audio", NULL);
        message.put("function_call", NULL);
        if (!calls.isEmpty()) {
            message.put("tool_calls", calls);
        }
        message.put("reasoning", reasoning.isEmpty() ? NULL : reasoning.toString());
        return Map.of("message", message);
    }

    private static Map<String, Object> object(Map<String, Object> holder, String name) {
        return object(holder.getOrDefault(name, NULL));
    }

    @SuppressWarnings("unchecked") // objects are recorded so
    private static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    private static final class Recorder implements ChoiceWriter {
        private final Map<String, RecordingJsonWriter> fields = new LinkedHashMap<>();
        private String finishReason = "";

        @Override
        public JsonWriter field(String name) {
            RecordingJsonWriter value = new RecordingJsonWriter();
            fields.put(name, value);
            return value;
        }

        private String json(String name) {
            assertThat(fields).containsOnlyKeys(name);
            return fields.values().iterator().next().value().toString();
        }

        @Override
        public void finishReason(String reason) {
            finishReason = reason;
        }
    }

    private static List<Recorder> write(TestGenerateRequest request, ScriptedChoice choice, int size) {
        OutputMode mode = new Derender().open(request);
        List<Recorder> written = new ArrayList<>();
        for (ChoiceStep step : choice.steps(size)) {
            Recorder recorder = new Recorder();
            mode.write(step, recorder);
            written.add(recorder);
        }
        return written;
    }

    private static TestGenerateRequest request(boolean stream) {
        return new TestGenerateRequest(Map.of("stream", stream));
    }

    @Test
    void theMessageHasTheFieldsOfVllmInItsOrder() {
        Recorder written = write(request(false), CALL, 100).get(0);
        assertThat(written.json("message"))
                .isEqualTo("{role=assistant, content=so, refusal=null,"
                        + " annotations=null, audio=null, function_call=null,"
                        + " tool_calls=[{id=c1, type=function,"
                        + " function={name=weather, arguments={\"city\": 1}}}],"
                        + " reasoning=why}");
        assertThat(written.finishReason).isEqualTo("tool_calls");
    }

    @Test
    void deltasHoldWhatIsNew() {
        List<Recorder> written = write(request(true), CALL, 1);
        assertThat(written.stream()
                        .map(step -> step.json("delta")))
                .containsExactly(
                        "{role=assistant, reasoning=why}",
                        "{content=so}",
                        "{}",
                        "{tool_calls=[{index=0, id=c1, type=function,"
                                + " function={name=weather, arguments=}}]}",
                        "{tool_calls=[{index=0,"
                                + " function={arguments={\"city\"}}]}",
                        "{tool_calls=[{index=0,"
                                + " function={arguments=: 1}}}]}");
        assertThat(written.get(5).finishReason).isEqualTo("tool_calls");
        assertThat(written.subList(0, 5)).allMatch(step -> step.finishReason.isEmpty());
    }

    @Test
    void theEnginesReasonStandsWhereTheModelDoesNotWait() {
        ScriptedChoice cut = new ScriptedChoice(CALL.pieces(), "length", true);
        ScriptedChoice named = new ScriptedChoice(CALL.pieces(), "stop", false);
        for (ScriptedChoice choice : List.of(cut, named)) {
            assertThat(write(request(false), choice, 100).get(0).finishReason).isEmpty();
        }
    }

    @Test
    void missingContentIsEmptyTextWhereACallIsDemanded() {
        ScriptedChoice nothing = new ScriptedChoice(List.of(), "stop", false);
        for (Object choice : List.of("required", Map.of("type", "function"))) {
            for (String context : List.of("parse_context", "chat_request")) {
                TestGenerateRequest request = request(false).with(context, Map.of("tool_choice", choice));
                assertThat(write(request, nothing, 1).get(0).json("message"))
                        .contains("content=, ");
            }
        }
        TestGenerateRequest free = request(false).with("parse_context", Map.of("tool_choice", "auto"));
        assertThat(write(free, nothing, 1).get(0).json("message"))
                .contains("content=null");
    }

    @Test
    void needsTheMessageOnly() {
        assertThat(new Derender().needs()).containsExactly(Need.MESSAGE);
    }

    @Test
    void refusesARequestWithoutDetokenizing() {
        TestGenerateRequest request = request(false).with("sampling_params", Map.of("detokenize", false));
        assertThatThrownBy(() -> new Derender().validate(request))
                .isInstanceOfSatisfying(
                        InvalidRequestException.class,
                        e -> assertThat(e.param()).isEqualTo("sampling_params.detokenize"))
                .hasMessageContaining("'derender'");
    }
}
