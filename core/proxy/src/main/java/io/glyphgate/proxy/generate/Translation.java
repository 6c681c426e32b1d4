package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.choice.AnomalyListener;
import io.glyphgate.proxy.choice.Choice;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.Answer.AnswerChoice;
import io.glyphgate.proxy.wire.Answer.RawValue;
import io.glyphgate.proxy.wire.AnswerCollector;
import io.glyphgate.proxy.wire.ChatLogprobs;
import io.glyphgate.proxy.wire.ChoiceEdit;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.Usage;
import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.ChoiceWriter;
import io.glyphgate.spi.JsonWriter;
import io.glyphgate.spi.OutputMode;
import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.OutputModeProvider.Need;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The output of one request that the proxy makes of a server's tokens: {@link #accept} takes an answer or an event into the
 * choices, {@link #write} writes it again with what the output mode adds. A batch answer is the same, fed once.
 */
final class Translation {
    private final GenerateBody request;
    private final OutputModeProvider mode;
    private final OutputPlan plan;
    private final AnomalyListener anomalies;
    private final int candidates;
    private final int endOfSequence;
    private final boolean hidesTokens;
    private final List<@Nullable Output> outputs = new ArrayList<>();
    private boolean cut;

    /**
     * A translation.
     *
     * @param request the request
     * @param mode its output mode
     * @param plan how its output is made
     * @param anomalies who hears of what parsers find odd
     */
    Translation(
            GenerateBody request, OutputModeProvider mode, OutputPlan plan, AnomalyListener anomalies) {
        this.request = request;
        this.mode = mode;
        this.plan = plan;
        this.anomalies = anomalies;
        endOfSequence = plan.tokenizer() == null || plan.needs().isEmpty() || request.sampling("ignore_eos", false)
                ? -1
                : plan.tokenizer().endOfSequence().orElse(-1);
        // vLLM's chat shape has as many candidates as were asked for, its text shape the sampled token beside them
        candidates = plan.needs().contains(Need.MESSAGE) && request.logprobs() >= 0 ? request.logprobs() : ChatLogprobs.ALL;
        hidesTokens = plan.needs().contains(Need.MESSAGE)
                && !plan.parse().includeReasoning()
                && (plan.parsers().reasoning() != null || plan.parsers().combined() != null);
    }

    /** What one choice has. */
    private final class Output implements ChoiceWriter {
        final Choice choice = new Choice(plan, anomalies);
        final @Nullable OutputMode writer = mode.verbatim() ? null : mode.open(request);
        final JsonOut added = new JsonOut();
        final JsonOut logprobsOut = new JsonOut();
        @Nullable ChatLogprobs logprobs;
        @Nullable ChoiceEdit edit;
        int kept;

        @Override
        public JsonWriter field(String name) {
            return added.name(name);
        }

        @Override
        public void finishReason(String reason) {
            if (edit != null) {
                edit.finishReason(reason);
            }
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
            output.kept = output.choice.accept(from.tokenIds(), from.tokenCount(), finish(from));
            String stop = output.choice.stopString();
            if (stop != null) {
                cut = true;
                from.edit().finishReason("stop");
                from.edit().stopReason(stop);
                from.edit().keepTokens(output.kept);
            }
        }
    }

    /** How the server ended a choice; null while it goes on. */
    private @Nullable EngineFinish finish(AnswerChoice from) throws MalformedJsonException {
        String reason = from.finishReason();
        if (reason == null) {
            return null;
        }
        Object stopReason = from.stopReason();
        if (endOfSequence >= 0 && stopReason instanceof Integer token && token == endOfSequence) {
            // a server without a tokenizer takes this token for one of the stop tokens, and vLLM's text has no reason for it
            from.edit().noStopReason();
            return new EngineFinish(reason, null);
        }
        return new EngineFinish(reason, stopReason);
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
    boolean cut() {
        return cut;
    }

    /** How many tokens the request took, by what the client gets. */
    Usage usage() {
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

    /**
     * Writes an answer or an event whose tokens were accepted.
     *
     * @return whether there is anything to write
     */
    boolean write(Answer answer, JsonOut out) throws MalformedJsonException {
        int written = 0;
        for (int i = 0; i < answer.choiceCount(); i++) {
            AnswerChoice from = answer.choice(i);
            if (!from.edit().dropped()) {
                edit(from, output(from.index()));
                written++;
            }
        }
        if (written == 0 && !answer.hasUsage() && answer.choiceCount() > 0) {
            return false;
        }
        answer.write(out, mode.name(), cut ? usage() : null);
        return true;
    }

    private void edit(AnswerChoice from, Output output) throws MalformedJsonException {
        ChoiceEdit edit = from.edit();
        String stop = output.choice.stopString();
        if (stop != null) {
            edit.finishReason("stop");
            edit.stopReason(stop);
        }
        if (output.writer != null) {
            ChoiceStep step = output.choice.step();
            output.added.clear();
            output.edit = edit;
            output.writer.write(step, output);
            output.edit = null;
            edit.add(output.added);
        }
        if (hidesTokens) {
            edit.hideTokens();
            return;
        }
        RawValue raw = from.logprobs();
        if (raw != null && plan.tokenizer() != null && !plan.needs().isEmpty()) {
            if (output.logprobs == null) {
                output.logprobs = new ChatLogprobs(plan.tokenizer(), candidates);
            }
            output.logprobsOut.clear();
            output.logprobs.write(raw.bytes(), raw.from(), raw.to(), edit.kept(from.tokenCount()), output.logprobsOut);
            edit.logprobs(output.logprobsOut);
        }
    }

    private Output output(int index) {
        while (outputs.size() <= index) {
            outputs.add(null);
        }
        Output output = outputs.get(index);
        if (output == null) {
            output = new Output();
            outputs.set(index, output);
        }
        return output;
    }
}
