package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.choice.Choice;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.choice.StopStrings;
import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.Answer.AnswerChoice;
import io.glyphgate.proxy.wire.AnswerCollector;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.proxy.wire.Usage;
import io.glyphgate.spi.OutputModeProvider.Need;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The output of one request that the proxy makes of a server's tokens: {@link #accept} takes an answer or an event into the
 * choices, and an {@link AnswerForm} writes what the client gets of them. A batch answer is the same, fed once.
 */
public final class Translation {
    private final GenerateBody request;
    private final OutputPlan plan;
    private final int recordedTokens;
    private final int endOfSequence;
    private final boolean hidesTokens;
    private final List<@Nullable Output> outputs = new ArrayList<>();
    private final List<@Nullable Recording> recordings = new ArrayList<>();
    private final @Nullable Told told;
    private boolean cut;

    Translation(GenerateBody request, OutputPlan plan, int recordedTokens, @Nullable Told told) {
        this.request = request;
        this.plan = plan;
        this.recordedTokens = recordedTokens;
        this.told = told;
        endOfSequence = plan.tokenizer() == null || plan.needs().isEmpty() || request.sampling("ignore_eos", false)
                ? -1
                : plan.tokenizer().endOfSequence().orElse(-1);
        hidesTokens = plan.needs().contains(Need.MESSAGE)
                && !plan.parse().includeReasoning()
                && (plan.parsers().reasoning() != null || plan.parsers().combined() != null);
    }

    /**
     * The output of a request that a server is asked for.
     *
     * @param request the request
     * @param model its model
     * @param needs what the client gets of the output
     * @param recordedTokens how many tokens of a choice are kept for a report
     */
    static Translation asked(GenerateBody request, ServedModel model, Set<Need> needs, int recordedTokens) {
        return new Translation(request, plan(request, model, needs), recordedTokens, null);
    }

    /**
     * An output that a client has got of a server by itself.
     *
     * @param request the request, as far as it says how the output is read
     * @param model its model
     * @param needs what the client gets of the output
     * @param recordedTokens how many tokens of a choice are kept for a report
     * @param told what the client says of it
     */
    public static Translation told(
            GenerateBody request, ServedModel model, Set<Need> needs, int recordedTokens, Told told) {
        return new Translation(request, plan(request, model, needs), recordedTokens, told);
    }

    private static OutputPlan plan(GenerateBody body, ServedModel model, Set<Need> needs) {
        boolean message = needs.contains(Need.MESSAGE);
        boolean includeStop = body.sampling("include_stop_str_in_output", false);
        return new OutputPlan(
                model.name(),
                needs,
                model.tokenizer(),
                message ? model.parsers() : OutputPlan.Parsers.NONE,
                body.promptTokenIds(),
                body.sampling("skip_special_tokens", true),
                body.sampling("spaces_between_special_tokens", true),
                new StopStrings(body.stop(), includeStop, body.minTokens()),
                includeStop,
                message ? body.parseRequest() : ParseRequest.DEFAULT);
    }

    /**
     * What a client says of an output that it has got by itself. Servers before vLLM 0.33 do not say which token ended it.
     *
     * @param promptTokens how many tokens its prompt has
     * @param shownPrompt the prompt as the server showed it; null if it did not
     * @param whole whether it is all of the output, so that it has ended even if it does not say so
     * @param stopTokens the stop tokens of the request
     */
    public record Told(int promptTokens, int @Nullable [] shownPrompt, boolean whole, Set<Integer> stopTokens) {}

    /** What one choice has. */
    public final class Output {
        private final Recording recording;
        private final Choice choice;
        private int kept;
        private boolean endedItself;
        private @Nullable Integer stopToken;

        private Output(Recording recording) {
            this.recording = recording;
            choice = new Choice(plan, recording.anomalies());
        }

        /** The choice itself. */
        public Choice choice() {
            return choice;
        }

        /** The stop token that ended the choice although the server does not say so; null if there is none. */
        public @Nullable Integer stopToken() {
            return stopToken;
        }

        /** Whether the end-of-sequence token ended the choice, so that there is no stop reason. */
        public boolean endedItself() {
            return endedItself;
        }
    }

    /**
     * Takes the tokens of an answer or an event.
     *
     * @throws PluginFailedException if a parser threw
     */
    public void accept(Answer answer) throws MalformedJsonException {
        for (int i = 0; i < answer.choiceCount(); i++) {
            AnswerChoice from = answer.choice(i);
            Output output = output(from.index());
            if (output.choice.ended()) {
                from.edit().drop(); // what a server still sends behind a stop string
                continue;
            }
            EngineFinish finish = finish(from, output);
            output.recording.add(from.tokenIds(), from.tokenCount(), finish);
            output.kept = output.choice.accept(from.tokenIds(), from.tokenCount(), finish);
            if (output.choice.stopString() != null) {
                cut = true;
                from.edit().keepTokens(output.kept);
            }
        }
    }

    /** How the server ended a choice; null while it goes on. */
    private @Nullable EngineFinish finish(AnswerChoice from, Output output) throws MalformedJsonException {
        String reason = from.finishReason();
        if (told != null) {
            return finish(from, output, told);
        }
        if (reason == null) {
            return null;
        }
        Object stopReason = from.stopReason();
        if (endOfSequence >= 0 && stopReason instanceof Integer token && token == endOfSequence) {
            // a server without a tokenizer takes this token for one of the stop tokens, and vLLM's text has no reason for it
            output.endedItself = true;
            return new EngineFinish(reason, null);
        }
        return new EngineFinish(reason, stopReason);
    }

    private @Nullable EngineFinish finish(AnswerChoice from, Output output, Told told) throws MalformedJsonException {
        String reason = from.finishReason() == null && told.whole() ? "stop" : from.finishReason();
        if (reason == null) {
            return null;
        }
        int last = from.tokenCount() == 0 ? -1 : from.tokenIds()[from.tokenCount() - 1];
        if (!reason.equals("stop") || from.stopReason() instanceof String || last < 0) {
            return new EngineFinish(reason, from.stopReason());
        }
        if (last == endOfSequence && (from.stopReason() == null || from.stopReason().equals(last))) {
            output.endedItself = true;
            return new EngineFinish(reason, null);
        }
        if (from.stopReason() == null && told.stopTokens().contains(last)) {
            output.stopToken = last;
        }
        boolean byToken = output.stopToken != null || Integer.valueOf(last).equals(from.stopReason());
        return new EngineFinish(reason, byToken ? Integer.valueOf(last) : "");
    }

    /**
     * Takes tokens whose text the client has got before.
     *
     * @param index the number of their choice
     * @param tokens the tokens
     * @param lengths how many of them came each time
     * @throws PluginFailedException if a parser threw
     */
    public void replay(int index, int[] tokens, int[] lengths) throws MalformedJsonException {
        Output output = output(index);
        int from = 0;
        for (int length : lengths) {
            int[] next = Arrays.copyOfRange(tokens, from, from + length);
            output.recording.add(next, length, null);
            output.choice.accept(next, length, null);
            var unused = output.choice.step(); // so that the next one begins behind it
            from += length;
        }
    }

    /** The generate request. */
    public GenerateBody request() {
        return request;
    }

    /** How the output is made. */
    public OutputPlan plan() {
        return plan;
    }

    /** What is kept of each choice; null for one of which nothing came. */
    List<@Nullable Recording> recordings() {
        return recordings;
    }

    /** The choices by their numbers; null for one of which nothing came yet, and shorter where no later one began. */
    public List<@Nullable Output> outputs() {
        return outputs;
    }

    /** How much memory the tokens take that are kept for a report, in bytes. */
    public long recordedBytes() {
        long bytes = 0;
        for (Recording recording : recordings) {
            bytes += recording == null ? 0 : (long) Integer.BYTES * recording.recorded();
        }
        return bytes;
    }

    /** Whether all choices have ended. */
    boolean ended() {
        if (outputs.size() < request.choices()) {
            return false;
        }
        for (Output output : outputs) {
            if (output == null || !output.choice.ended()) {
                return false;
            }
        }
        return true;
    }

    /** Whether the proxy ended a choice itself, so that the server's count of tokens is too high. */
    public boolean cut() {
        return cut;
    }

    /** Whether the client must not see single tokens, because they would tell the reasoning that it is not to see. */
    public boolean hidesTokens() {
        return hidesTokens;
    }

    /** How many tokens the request took, by what the client gets. */
    public Usage usage() {
        int tokens = 0;
        for (Output output : outputs) {
            tokens += output == null ? 0 : output.choice.tokenCount();
        }
        return new Usage(promptTokens(), tokens);
    }

    /** How many tokens the prompt has. */
    public int promptTokens() {
        return told == null ? request.promptTokenIds().length : told.promptTokens();
    }

    /** The prompt, for a client that wants to see it; null if nobody knows all of it. */
    public int @Nullable [] shownPrompt() {
        return told == null ? request.promptTokenIds() : told.shownPrompt();
    }

    /** Adds what was {@linkplain #accept accepted} of an event to a whole answer. */
    void collect(Answer answer, AnswerCollector into) throws MalformedJsonException {
        for (int i = 0; i < answer.choiceCount(); i++) {
            AnswerChoice from = answer.choice(i);
            if (!from.edit().dropped()) {
                into.add(answer, from, output(from.index()).kept);
            }
        }
    }

    /** One choice, which begins if it has not. */
    public Output output(int index) throws MalformedJsonException {
        if (index >= request.choices()) {
            throw new MalformedJsonException("choice " + index + " was not asked for");
        }
        while (outputs.size() <= index) {
            outputs.add(null);
            recordings.add(null);
        }
        Output output = outputs.get(index);
        if (output == null) {
            Recording recording = new Recording(recordedTokens);
            recordings.set(index, recording); // before the parsers are made, which may fail
            output = new Output(recording);
            outputs.set(index, output);
        }
        return output;
    }
}
