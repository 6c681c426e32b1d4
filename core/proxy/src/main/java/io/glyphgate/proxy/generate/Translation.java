package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.choice.Choice;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.Answer.AnswerChoice;
import io.glyphgate.proxy.wire.AnswerCollector;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.Usage;
import io.glyphgate.spi.OutputModeProvider.Need;
import java.util.ArrayList;
import java.util.List;
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
    private boolean cut;

    /**
     * A translation.
     *
     * @param request the request
     * @param plan how its output is made
     * @param recordedTokens how many tokens of a choice are kept for a report
     */
    Translation(GenerateBody request, OutputPlan plan, int recordedTokens) {
        this.request = request;
        this.plan = plan;
        this.recordedTokens = recordedTokens;
        endOfSequence = plan.tokenizer() == null || plan.needs().isEmpty() || request.sampling("ignore_eos", false)
                ? -1
                : plan.tokenizer().endOfSequence().orElse(-1);
        hidesTokens = plan.needs().contains(Need.MESSAGE)
                && !plan.parse().includeReasoning()
                && (plan.parsers().reasoning() != null || plan.parsers().combined() != null);
    }

    /** What one choice has. */
    public final class Output {
        private final Recording recording;
        private final Choice choice;
        private int kept;
        private boolean endedItself;

        private Output(Recording recording) {
            this.recording = recording;
            choice = new Choice(plan, recording.anomalies());
        }

        /** The choice itself. */
        public Choice choice() {
            return choice;
        }

        /** Whether the end-of-sequence token ended the choice, so that there is no stop reason. */
        public boolean endedItself() {
            return endedItself;
        }
    }

    /** Takes the tokens of an answer or an event. */
    void accept(Answer answer) throws MalformedJsonException {
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
        return new Usage(request.promptTokenIds().length, tokens);
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
