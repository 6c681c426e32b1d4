package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.choice.RecordedText;
import io.glyphgate.proxy.choice.StopStrings;
import io.glyphgate.proxy.conformance.Cuttings.Played;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.Tokenizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One case, played in {@link Cuttings}. */
final class CaseRun {
    private final GoldenCase golden;
    private final OutputPlan.Parsers parsers;
    private final List<String> problems = new ArrayList<>();

    CaseRun(GoldenCase golden, OutputPlan.Parsers parsers) {
        this.golden = golden;
        this.parsers = parsers;
    }

    /** What went wrong beside the answer being another than the expected one. */
    List<String> problems() {
        return problems;
    }

    /**
     * Plays the case.
     *
     * @param tokenizer the case's tokenizer; null to play the recorded text of each token
     * @return the answer that all cuttings give
     */
    Answer play(@Nullable Tokenizer tokenizer) {
        return tokenizer == null ? playText() : playTokens(tokenizer);
    }

    private Answer playTokens(Tokenizer tokenizer) {
        int[] tokens = golden.tokenIds();
        StopStrings stop = new StopStrings(golden.stop(), golden.includeStop(), golden.minTokens());
        // A finish without a stop token is told apart by the stop reason; the text of a stop string is never looked at.
        EngineFinish finish = new EngineFinish(golden.engineFinishReason(), golden.endedByToken() ? null : "");
        return playAll(tokenizer, tokens, stop, finish);
    }

    private Answer playText() {
        if (golden.detokenizerOnly()) {
            return playDetokenizerText();
        }
        JsonNode detok = golden.json().path("detok");
        List<String> pieces = new ArrayList<>(WrittenText.of(golden, strings(detok.path("deltas")), markers()));
        int[] tokens = Arrays.copyOf(golden.tokenIds(), Math.min(golden.tokenIds().length, pieces.size()));
        // The recorded text is cut at a stop string already.
        String stopReason = detok.path("stop_reason").asText("");
        boolean byToken = golden.endedByToken() && stopReason.isEmpty();
        int last = pieces.size() - 1;
        if (byToken && !golden.includeStop() && last > 0) {
            // What vLLM held back was recorded beside the stop token, which has no text.
            pieces.set(last - 1, pieces.get(last - 1) + pieces.get(last));
            pieces.set(last, "");
        }
        EngineFinish finish = new EngineFinish(detok.path("finish_reason").asText(), byToken ? null : stopReason);
        return playAll(new RecordedText(pieces, golden.prompt()), tokens, StopStrings.NONE, finish);
    }

    /** The markers that the proxy keeps visible: those of the parsers that run. */
    private Set<String> markers() {
        Set<String> markers = new HashSet<>();
        boolean wantsCalls = plan(new RecordedText(List.of(), golden.prompt()), StopStrings.NONE).wantsCalls();
        Stream.of(parsers.combined(), parsers.reasoning(), wantsCalls ? parsers.tools() : null)
                .filter(Objects::nonNull)
                .forEach(provider -> markers.addAll(provider.markers()));
        return markers;
    }

    /**
     * The text of each token alone serves where it is all there is to the text; otherwise that of the recorded stream.
     */
    private Answer playDetokenizerText() {
        JsonNode run = golden.json().path("runs").path(0);
        List<String> alone = strings(golden.json().path("id_texts"));
        EngineFinish byEngine =
                new EngineFinish(golden.engineFinishReason(), golden.endedByToken() ? null : "");
        if (!golden.stop().isEmpty() && String.join("", alone).equals(golden.json().path("batch_text").asText())) {
            StopStrings stop = new StopStrings(golden.stop(), golden.includeStop(), golden.minTokens());
            return playAll(new RecordedText(alone, golden.prompt()), golden.tokenIds(), stop, byEngine);
        }
        List<String> pieces = strings(run.path("deltas"));
        String stopReason = run.path("stop_reason").asText("");
        EngineFinish finish = stopReason.isEmpty() ? byEngine : new EngineFinish("stop", stopReason);
        int[] tokens = Arrays.copyOf(golden.tokenIds(), pieces.size());
        return playAll(new RecordedText(pieces, golden.prompt()), tokens, StopStrings.NONE, finish);
    }

    private Answer playAll(Tokenizer tokenizer, int[] tokens, StopStrings stop, EngineFinish finish) {
        Cuttings cuttings = new Cuttings(golden.prompt(), this::plan);
        Answer answer =
                cuttings.play(tokenizer, tokens, stop, finish, golden.randomSizes()).answer();
        cuttings.all().forEach((cutting, played) -> checkStepTexts(cutting, played, stop));
        problems.addAll(cuttings.problems());
        return answer;
    }

    private OutputPlan plan(Tokenizer tokenizer, StopStrings stop) {
        return new OutputPlan(
                "conformance",
                golden.detokenizerOnly() ? Set.of(Need.TEXT) : Set.of(Need.TEXT, Need.MESSAGE),
                tokenizer,
                parsers,
                golden.promptTokenIds(),
                golden.skipSpecialTokens(),
                golden.spacesBetweenSpecialTokens(),
                stop,
                golden.includeStop(),
                golden.parseRequest());
    }

    /** Where nothing is held back the text of each step is vLLM's. */
    private void checkStepTexts(String cutting, Played played, StopStrings stop) {
        if (!golden.detokenizerOnly() || !(stop.isEmpty() ? golden.stop().isEmpty() : stop.include())) {
            return;
        }
        String chunking = switch (cutting) {
            case Cuttings.AT_ONCE -> "all";
            case "chunks of 1" -> "fixed1";
            case "chunks of 3" -> "fixed3";
            default -> "";
        };
        for (JsonNode run : golden.json().path("runs")) {
            List<String> recorded = strings(run.path("deltas"));
            if (run.path("chunking").asText().equals(chunking) && !recorded.equals(played.stepTexts())) {
                problems.add(cutting + ": text of the steps: expected " + recorded + ", got " + played.stepTexts());
            }
        }
    }

    private static List<String> strings(JsonNode list) {
        List<String> strings = new ArrayList<>();
        list.forEach(string -> strings.add(string.asText()));
        return strings;
    }
}
