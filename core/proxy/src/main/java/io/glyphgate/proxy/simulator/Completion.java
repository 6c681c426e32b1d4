package io.glyphgate.proxy.simulator;

import io.glyphgate.proxy.choice.Choice;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.choice.StopStrings;
import io.glyphgate.proxy.simulator.Script.Candidate;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.spi.Detokenizer;
import io.glyphgate.spi.DetokenizerOptions;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.Tokenizer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The output of one choice, worked out whole before the first of it is sent: the simulated model knows what it will
 * say, and only its pace is played.
 */
final class Completion {
    private final GenerateCall call;
    private final int index;
    private final TokenSource source;
    private int[] tokenIds = new int[64];
    private int count;
    private EngineFinish finish = new EngineFinish("length", null);
    private String raw = "";
    private String text = "";
    private int[] textEnds = new int[0];
    private int heldBack;

    /**
     * Works out a choice.
     *
     * @param call the request
     * @param index the number of the choice
     * @param source what the model says
     * @param options the server
     */
    Completion(GenerateCall call, int index, TokenSource source, SimulatorOptions options) {
        this.call = call;
        this.index = index;
        this.source = source;
        Tokenizer tokenizer = options.detokenizing();
        List<String> stop = call.stop();
        Choice stopMatcher = tokenizer == null || stop.isEmpty() ? null : stopMatcher(stop, tokenizer, options);
        StringBuilder cut = new StringBuilder();
        boolean ended = false;
        while (!ended) {
            add(source.tokenId(count));
            EngineFinish end = end(options);
            if (stopMatcher != null) {
                stopMatcher.accept(new int[] {tokenIds[count - 1]}, 1, end);
                cut.append(stopMatcher.step().tokens().text());
                String matched = stopMatcher.stopString();
                end = matched == null ? end : new EngineFinish("stop", matched);
            }
            if (end != null) {
                finish = end;
                ended = true;
            }
        }
        if (tokenizer != null && !call.outputMode().equals("tokens")) {
            detokenize(tokenizer);
            text = stopMatcher == null ? raw : cut.toString();
            heldBack = stopMatcher == null || call.includeStop() ? 0 : longest(stop) - 1;
        }
    }

    private Choice stopMatcher(List<String> stop, Tokenizer tokenizer, SimulatorOptions options) {
        return new Choice(new OutputPlan(
                options.model(),
                Set.of(Need.TEXT),
                tokenizer,
                OutputPlan.Parsers.NONE,
                call.promptTokenIds(),
                call.skipSpecialTokens(),
                call.spacesBetweenSpecialTokens(),
                new StopStrings(stop, call.includeStop(), call.minTokens()),
                call.includeStop(),
                ParseRequest.DEFAULT));
    }

    private void add(int tokenId) {
        if (count == tokenIds.length) {
            tokenIds = Arrays.copyOf(tokenIds, 2 * count);
        }
        tokenIds[count++] = tokenId;
    }

    /** How the engine ends the choice after the last token; null if it goes on. */
    private @Nullable EngineFinish end(SimulatorOptions options) {
        int last = tokenIds[count - 1];
        // Before min_tokens a real model cannot say these tokens; a script that does is let go on.
        if (count > call.minTokens()) {
            if (last == options.endOfSequence() && !call.ignoreEndOfSequence()) {
                // without a tokenizer vLLM knows the token only as a stop token of the generation configuration
                return new EngineFinish("stop", options.tokensOnly() ? last : null);
            }
            if (call.stopsAt(last)) {
                return new EngineFinish("stop", last);
            }
        }
        return count >= call.maxTokens() ? new EngineFinish("length", null) : null;
    }

    /** Makes the text, before any stop string is cut from it. */
    private void detokenize(Tokenizer tokenizer) {
        Detokenizer detokenizer = tokenizer.detokenizer(DetokenizerOptions.of(
                call.promptTokenIds(), call.skipSpecialTokens(), call.spacesBetweenSpecialTokens(), Set.of()));
        StringBuilder all = new StringBuilder();
        textEnds = new int[count];
        for (int i = 0; i < count; i++) {
            if (i < count - 1 || !endsWithStopToken() || call.includeStop()) {
                detokenizer.next(tokenIds[i], all);
            }
            textEnds[i] = all.length();
        }
        raw = all.toString();
    }

    private boolean endsWithStopToken() {
        return finish.reason().equals("stop") && !(finish.stopReason() instanceof String);
    }

    private static int longest(List<String> strings) {
        return strings.stream().mapToInt(string -> string.codePointCount(0, string.length())).max().orElse(0);
    }

    int index() {
        return index;
    }

    int count() {
        return count;
    }

    int tokenId(int position) {
        return tokenIds[position];
    }

    /** All tokens. */
    int[] tokenIds() {
        return Arrays.copyOf(tokenIds, count);
    }

    EngineFinish finish() {
        return finish;
    }

    /** The candidates at one of the tokens. */
    List<Candidate> candidates(int position, int wanted) {
        return source.candidates(position, tokenIds[position], wanted);
    }

    /** The whole text: without a stop string, unless the client wants to see it. */
    String text() {
        return text;
    }

    /**
     * How much of the text a stream shows once so many tokens have come. vLLM holds back a fixed number of characters
     * while it looks for stop strings.
     *
     * @param tokens how many tokens have come
     * @param last whether nothing comes after them
     * @return an offset in the text
     */
    int textEnd(int tokens, boolean last) {
        if (last && tokens == count) {
            return text.length();
        }
        int end = tokens == 0 || textEnds.length == 0 ? 0 : textEnds[tokens - 1];
        for (int held = last ? 0 : heldBack; held > 0 && end > 0; held--) {
            end -= Character.charCount(raw.codePointBefore(end));
        }
        return Math.min(end, text.length());
    }
}
