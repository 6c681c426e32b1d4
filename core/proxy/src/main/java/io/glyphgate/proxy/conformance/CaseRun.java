package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.choice.Choice;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.choice.RecordedText;
import io.glyphgate.proxy.choice.StopStrings;
import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.MessageDelta.ToolCallDelta;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.Tokenizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One case, played through a {@link Choice} in many cuttings, which must all give the same. */
final class CaseRun {
    /** What one way of cutting gave. */
    private record Played(Answer answer, String text, int reasoningTokens, List<String> stepTexts) {}

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
        Map<String, int[]> cuttings = new LinkedHashMap<>();
        cuttings.put("all at once", new int[] {Math.max(tokens.length, 1)});
        for (int size : new int[] {1, 2, 3, 7}) {
            cuttings.put("chunks of " + size, new int[] {size});
        }
        if (golden.randomSizes().length > 0) {
            cuttings.put("chunks of random sizes", golden.randomSizes());
        }
        Played first = null;
        for (Map.Entry<String, int[]> cutting : cuttings.entrySet()) {
            Played played = play(plan(tokenizer, stop), tokens, finish, cutting.getValue());
            checkStepTexts(cutting.getKey(), played, stop);
            if (first == null) {
                first = played;
            } else {
                checkSame(cutting.getKey(), first, played);
                if (first.reasoningTokens != played.reasoningTokens) {
                    problems.add(cutting.getKey() + ": " + played.reasoningTokens + " reasoning tokens, but "
                            + first.reasoningTokens + " all at once");
                }
            }
        }
        if (first == null) {
            throw new IllegalStateException("no cutting");
        }
        playCharacters(first, finish);
        return first.answer;
    }

    /** The same text, cut at every character, must give the same message. */
    private void playCharacters(Played whole, EngineFinish finish) {
        String text = whole.text;
        List<String> pieces = new ArrayList<>();
        for (int i = 0; i < text.length(); i++) {
            pieces.add(text.substring(i, i + 1));
        }
        boolean stopped = !whole.answer.stopReason().isEmpty();
        EngineFinish end = stopped ? new EngineFinish("stop", whole.answer.stopReason()) : finish;
        if (!stopped && golden.endedByToken()) {
            pieces.add("");
        }
        int[] tokens = IntStream.range(0, pieces.size()).toArray();
        OutputPlan plan = plan(new RecordedText(pieces, golden.prompt()), StopStrings.NONE);
        Played played = play(plan, tokens, end, new int[] {1});
        // Characters stood for tokens, so the number of tokens says nothing.
        Answer answer = played.answer.withKeptTokens(whole.answer.keptTokens());
        checkSame("cut at every character", whole, new Played(answer, played.text, 0, List.of()));
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

    private Played play(OutputPlan plan, int[] tokens, EngineFinish finish, int[] sizes) {
        Choice choice = new Choice(plan);
        StringBuilder text = new StringBuilder();
        StringBuilder reasoning = new StringBuilder();
        StringBuilder content = new StringBuilder();
        List<String> names = new ArrayList<>();
        List<String> ids = new ArrayList<>();
        List<StringBuilder> arguments = new ArrayList<>();
        List<String> stepTexts = new ArrayList<>();
        String finishReason = "";
        int at = 0;
        for (int chunk = 0; !choice.ended(); chunk++) {
            int count = Math.min(sizes[chunk % sizes.length], tokens.length - at);
            int[] piece = Arrays.copyOfRange(tokens, at, at + count);
            at += count;
            try {
                choice.accept(piece, count, at == tokens.length ? finish : null);
            } catch (PluginFailedException e) {
                problems.add(e.getMessage());
            }
            ChoiceStep step = choice.step();
            stepTexts.add(step.tokens().text().toString());
            text.append(step.tokens().text());
            reasoning.append(step.message().reasoning());
            content.append(step.message().content());
            for (ToolCallDelta call : step.message().toolCalls()) {
                if (call.opens()) {
                    names.add(call.name());
                    ids.add(call.id());
                    arguments.add(new StringBuilder());
                }
                arguments.get(arguments.size() - 1).append(call.arguments());
            }
            if (step.last()) {
                finishReason = step.finishReason();
                if (finishReason.equals("stop") && step.message().waitsForToolResults()) {
                    finishReason = "tool_calls";
                }
            }
        }
        List<Answer.Call> calls = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            // An ID that the model did not write is a random one.
            String id = text.indexOf(ids.get(i)) < 0 ? "" : ids.get(i);
            calls.add(new Answer.Call(id, names.get(i), arguments.get(i).toString()));
        }
        String stopString = choice.stopString();
        String stopReason = stopString != null ? stopString : finish.stopReason() instanceof String s ? s : "";
        Answer answer = new Answer(
                golden.detokenizerOnly() ? text.toString() : "",
                reasoning.toString(),
                content.toString(),
                calls,
                finishReason,
                stopReason,
                choice.tokenCount());
        return new Played(answer, text.toString(), choice.reasoningTokenCount(), stepTexts);
    }

    private void checkSame(String cutting, Played expected, Played played) {
        for (String difference : expected.answer.differences(played.answer)) {
            problems.add(cutting + ", compared with all at once: " + difference);
        }
        if (!expected.text.equals(played.text)) {
            problems.add(cutting + ", compared with all at once: the text is another");
        }
    }

    /** Where nothing is held back the text of each step is vLLM's. */
    private void checkStepTexts(String cutting, Played played, StopStrings stop) {
        if (!golden.detokenizerOnly() || !(stop.isEmpty() ? golden.stop().isEmpty() : stop.include())) {
            return;
        }
        String chunking = switch (cutting) {
            case "all at once" -> "all";
            case "chunks of 1" -> "fixed1";
            case "chunks of 3" -> "fixed3";
            default -> "";
        };
        for (JsonNode run : golden.json().path("runs")) {
            List<String> recorded = strings(run.path("deltas"));
            if (run.path("chunking").asText().equals(chunking) && !recorded.equals(played.stepTexts)) {
                problems.add(cutting + ": text of the steps: expected " + recorded + ", got " + played.stepTexts);
            }
        }
    }

    private static List<String> strings(JsonNode list) {
        List<String> strings = new ArrayList<>();
        list.forEach(string -> strings.add(string.asText()));
        return strings;
    }
}
