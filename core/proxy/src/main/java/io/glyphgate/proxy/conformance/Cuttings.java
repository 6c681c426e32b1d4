package io.glyphgate.proxy.conformance;

import io.glyphgate.proxy.choice.Choice;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.choice.RecordedText;
import io.glyphgate.proxy.choice.StopStrings;
import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;
import io.glyphgate.spi.MessageDelta.ToolCallDelta;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.Tokenizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/** An output that is played through a {@link Choice} in many cuttings, which must all give the same. */
final class Cuttings {
    /** The cutting with which the others are compared: none. */
    static final String AT_ONCE = "all at once";

    private static final int[] SIZES = {1, 2, 3, 7};

    /**
     * What one way of cutting gave.
     *
     * @param argumentPieces how many steps brought arguments of calls
     */
    record Played(Answer answer, String text, int reasoningTokens, int argumentPieces, List<String> stepTexts) {}

    private final BiFunction<Tokenizer, StopStrings, OutputPlan> plans;
    private final String prompt;
    private final List<String> problems = new ArrayList<>();
    private final Map<String, Played> all = new LinkedHashMap<>();

    /**
     * Cuttings of an output.
     *
     * @param prompt the text of the prompt; possibly empty
     * @param plans how the output is made of the tokens of a tokenizer with some stop strings
     */
    Cuttings(String prompt, BiFunction<Tokenizer, StopStrings, OutputPlan> plans) {
        this.prompt = prompt;
        this.plans = plans;
    }

    /** What each cutting into tokens gave, {@link #AT_ONCE} first. */
    Map<String, Played> all() {
        return all;
    }

    /** In what the cuttings differ, and where a parser threw. */
    List<String> problems() {
        return problems;
    }

    /**
     * Plays the output: at once, in pieces of 1, 2, 3 and 7 tokens, in pieces of the given sizes, and cut at every
     * character. Called once.
     *
     * @param randomSizes the sizes of pieces in tokens, used in turn; possibly none
     * @return what came of it at once
     */
    Played play(Tokenizer tokenizer, int[] tokens, StopStrings stop, EngineFinish finish, int[] randomSizes) {
        Map<String, int[]> sizes = new LinkedHashMap<>();
        for (int size : SIZES) {
            sizes.put("chunks of " + size, new int[] {size});
        }
        if (randomSizes.length > 0) {
            sizes.put("chunks of random sizes", randomSizes);
        }
        Played whole = play(plans.apply(tokenizer, stop), tokens, finish, new int[] {Math.max(tokens.length, 1)});
        all.put(AT_ONCE, whole);
        sizes.forEach((cutting, sizesOfIt) -> {
            Played played = play(plans.apply(tokenizer, stop), tokens, finish, sizesOfIt);
            checkSame(cutting, whole, played);
            if (whole.reasoningTokens != played.reasoningTokens) {
                problems.add(cutting + ": " + played.reasoningTokens + " reasoning tokens, but " + whole.reasoningTokens
                        + " " + AT_ONCE);
            }
            all.put(cutting, played);
        });
        playCharacters(tokenizer, whole, finish);
        return whole;
    }

    /** The same text, cut at every character, must give the same message. */
    private void playCharacters(Tokenizer tokenizer, Played whole, EngineFinish finish) {
        String text = whole.text;
        List<String> pieces = new ArrayList<>();
        for (int i = 0; i < text.length(); i++) {
            pieces.add(text.substring(i, i + 1));
        }
        boolean stopped = !whole.answer.stopReason().isEmpty();
        EngineFinish end = stopped ? new EngineFinish("stop", whole.answer.stopReason()) : finish;
        if (!stopped && finish.byToken()) {
            pieces.add("");
        }
        int[] tokens = IntStream.range(0, pieces.size()).toArray();
        RecordedText characters = new RecordedText(pieces, prompt);
        OutputPlan plan = plans.apply(
                tokenizer instanceof RecordedText ? characters : new Respelled(tokenizer, characters), StopStrings.NONE);
        Played played = play(plan, tokens, end, new int[] {1});
        // Characters stood for tokens, so the number of tokens says nothing.
        Answer answer = played.answer.withKeptTokens(whole.answer.keptTokens());
        checkSame("cut at every character", whole, new Played(answer, played.text, 0, 0, List.of()));
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
        int argumentPieces = 0;
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
                argumentPieces += call.arguments().isEmpty() ? 0 : 1;
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
                plan.needs().contains(Need.MESSAGE) ? "" : text.toString(),
                reasoning.toString(),
                content.toString(),
                calls,
                finishReason,
                stopReason,
                choice.tokenCount());
        return new Played(answer, text.toString(), choice.reasoningTokenCount(), argumentPieces, stepTexts);
    }

    /** A tokenizer that parsers may ask, while the text of the output comes in other pieces. */
    private record Respelled(Tokenizer tokenizer, RecordedText output) implements Tokenizer {
        @Override
        public int vocabularySize() {
            return tokenizer.vocabularySize();
        }

        @Override
        public int[] encode(String text, boolean addSpecialTokens) {
            return tokenizer.encode(text, addSpecialTokens);
        }

        @Override
        public String decode(int[] tokenIds, boolean skipSpecialTokens) {
            return tokenizer.decode(tokenIds, skipSpecialTokens);
        }

        @Override
        public OptionalInt tokenId(String token) {
            return tokenizer.tokenId(token);
        }

        @Override
        public Optional<String> token(int tokenId) {
            return tokenizer.token(tokenId);
        }

        @Override
        public boolean isSpecial(int tokenId) {
            return tokenizer.isSpecial(tokenId);
        }

        @Override
        public Detokenizer detokenizer(DetokenizerOptions options) {
            return output.detokenizer(options);
        }

        /** Leaves open what it does not own. */
        @Override
        public void close() {}
    }

    private void checkSame(String cutting, Played expected, Played played) {
        for (String difference : expected.answer.differences(played.answer)) {
            problems.add(cutting + ", compared with " + AT_ONCE + ": " + difference);
        }
        if (!expected.text.equals(played.text)) {
            problems.add(cutting + ", compared with " + AT_ONCE + ": the text is another");
        }
    }
}
