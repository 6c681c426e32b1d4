package io.glyphgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.ChoiceWriter;
import io.glyphgate.spi.JsonWriter;
import io.glyphgate.spi.OutputMode;
import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.testkit.ScriptedChoice.Arguments;
import io.glyphgate.testkit.ScriptedChoice.Call;
import io.glyphgate.testkit.ScriptedChoice.Content;
import io.glyphgate.testkit.ScriptedChoice.Piece;
import io.glyphgate.testkit.ScriptedChoice.Reasoning;
import io.glyphgate.testkit.ScriptedChoice.Token;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What every output mode must keep to. Extend it in a test of the mode.
 *
 * <p>Its main law: a stream, joined as a client joins it, is the batch answer, however the output was cut into events.
 *
 * @since 1.0
 */
public abstract class OutputModeContract {
    /** What the server or the host writes; a mode must not. */
    private static final Set<String> TAKEN = Set.of(
            "index",
            "finish_reason",
            "stop_reason",
            "token_ids",
            "routed_experts",
            "sampling_mask",
            "weight_versions",
            "logprobs");

    /** For extending. */
    protected OutputModeContract() {}

    /**
     * The provider to test.
     *
     * @return a provider made as {@link ServiceLoader} makes it
     */
    protected abstract OutputModeProvider provider();

    /**
     * Joins the fields that the mode adds to the events of a stream, as a client does.
     *
     * @param events the fields of each event of one choice, in order, with values as {@link RecordingJsonWriter#value}
     *     gives them
     * @return the fields as the batch answer has them
     */
    protected abstract Map<String, Object> assemble(List<Map<String, Object>> events);

    /** One choice, as the mode wrote it: the fields of each step, and the finish reason if the mode gave one. */
    private record Written(List<Map<String, Object>> events, String finishReason) {}

    private static final class Recorder implements ChoiceWriter {
        private final Map<String, RecordingJsonWriter> fields = new LinkedHashMap<>();
        private final boolean last;
        private String finishReason = "";

        private Recorder(boolean last) {
            this.last = last;
        }

        @Override
        public JsonWriter field(String name) {
            if (TAKEN.contains(name)) {
                throw new AssertionError("the field \"" + name + "\" is the host's to write");
            }
            RecordingJsonWriter value = new RecordingJsonWriter();
            if (fields.put(name, value) != null) {
                throw new AssertionError("the field \"" + name + "\" was written twice in one step");
            }
            return value;
        }

        @Override
        public void finishReason(String reason) {
            if (!last) {
                throw new AssertionError("finishReason(\"" + reason + "\") before the last step");
            }
            finishReason = reason;
        }

        private Map<String, Object> values() {
            Map<String, Object> values = new LinkedHashMap<>();
            fields.forEach((name, value) -> values.put(name, value.value()));
            return values;
        }
    }

    private TestGenerateRequest request(boolean stream) {
        return new TestGenerateRequest(Map.of("output_mode", provider().name(), "stream", stream));
    }

    private static List<ScriptedChoice> choices() {
        List<Piece> everything = List.of(
                new Token(11, "<think>"),
                new Token(12, "why"),
                new Reasoning("wh"),
                new Reasoning("y \ud83d"),
                new Reasoning("\udea2"),
                new Token(13, ""),
                new Content("so"),
                new Token(14, "so \"it\"\n"),
                new Content(" \"it\"\n\u0000"),
                new Call("call-1", "weather"),
                new Arguments("{\"city\": \"Os"),
                new Token(15, "x"),
                new Arguments("lo\"}"),
                new Call("call-2", "ping"),
                new Content("after"),
                new Call("call-3", "weather"),
                new Arguments("{"));
        return List.of(
                new ScriptedChoice(List.of(), "length", false),
                new ScriptedChoice(List.of(new Token(2, "")), "stop", false),
                new ScriptedChoice(
                        List.of(new Token(1, "one"), new Content("one"), new Content(" two")), "stop", false),
                new ScriptedChoice(List.of(new Reasoning("only"), new Token(9, "only")), "abort", false),
                new ScriptedChoice(everything, "stop", true),
                new ScriptedChoice(everything, "stop", false),
                new ScriptedChoice(everything, "length", true));
    }

    private static Written write(OutputMode mode, List<ChoiceStep> steps) {
        List<Map<String, Object>> events = new ArrayList<>();
        String finishReason = "";
        for (ChoiceStep step : steps) {
            Recorder recorder = new Recorder(step.last());
            mode.write(step, recorder);
            events.add(recorder.values());
            finishReason = recorder.finishReason;
        }
        return new Written(events, finishReason);
    }

    private Written batch(ScriptedChoice choice) {
        return write(provider().open(request(false)), choice.steps(Integer.MAX_VALUE));
    }

    /** A stream, joined, is the batch answer, however the output is cut. */
    @Test
    protected void aStreamJoinedIsTheBatchAnswer() {
        for (ScriptedChoice choice : choices()) {
            Written batch = batch(choice);
            for (int size = 1; size <= choice.pieces().size() + 1; size++) {
                Written stream = write(provider().open(request(true)), choice.steps(size));
                assertThat(assemble(stream.events()))
                        .as("%s in steps of %d pieces, joined", choice.pieces(), size)
                        .isEqualTo(batch.events().get(0));
                assertThat(stream.finishReason())
                        .as("finish reason of %s in steps of %d pieces", choice.pieces(), size)
                        .isEqualTo(batch.finishReason());
            }
        }
    }

    /** A field of the batch answer is there whatever the output is. */
    @Test
    protected void theBatchAnswerAlwaysHasTheSameFields() {
        Set<Set<String>> fields = new HashSet<>();
        choices().forEach(choice -> fields.add(batch(choice).events().get(0).keySet()));
        assertThat(fields).hasSize(1);
    }

    /** Two choices of one request share nothing. */
    @Test
    protected void choicesShareNothing() {
        for (ScriptedChoice choice : choices()) {
            OutputModeProvider provider = provider();
            TestGenerateRequest request = request(true);
            OutputMode one = provider.open(request);
            OutputMode two = provider.open(request);
            List<ChoiceStep> steps = choice.steps(1);
            Written alone = write(provider().open(request), steps);
            for (int i = 0; i < steps.size(); i++) {
                Map<String, Object> expected = alone.events().get(i);
                for (OutputMode mode : List.of(one, two)) {
                    assertThat(write(mode, List.of(steps.get(i))).events().get(0))
                            .as("step %d of two choices that are written in turn", i)
                            .isEqualTo(expected);
                }
            }
        }
    }

    /** A plain request is accepted. */
    @Test
    protected void acceptsAPlainRequest() {
        provider().validate(request(false));
        provider().validate(request(true));
    }

    /** The name is one that a request can hold, and the service loader finds the provider. */
    @Test
    protected void isFoundByItsName() {
        assertThat(provider().name()).matches("[a-z0-9_-]+");
        assertThat(ServiceLoader.load(OutputModeProvider.class, provider().getClass().getClassLoader()))
                .as("META-INF/services/%s names the provider", OutputModeProvider.class.getName())
                .anyMatch(found -> found.getClass() == provider().getClass());
    }
}
