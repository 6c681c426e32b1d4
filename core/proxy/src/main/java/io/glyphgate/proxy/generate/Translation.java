package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.choice.Choice;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.proxy.plugin.PluginKind;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.Answer.AnswerChoice;
import io.glyphgate.proxy.wire.Answer.RawValue;
import io.glyphgate.proxy.wire.AnswerCollector;
import io.glyphgate.proxy.wire.ChatLogprobs;
import io.glyphgate.proxy.wire.ChoiceEdit;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.Sse;
import io.glyphgate.proxy.wire.Usage;
import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.ChoiceWriter;
import io.glyphgate.spi.JsonWriter;
import io.glyphgate.spi.OutputMode;
import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.OutputModeProvider.Need;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The output of one request that the proxy makes of a server's tokens: {@link #accept} takes an answer or an event into the
 * choices, {@link #write} writes it again with what the output mode adds. A batch answer is the same, fed once.
 */
final class Translation {
    private final GenerateBody request;
    private final OutputModeProvider mode;
    private final OutputPlan plan;
    private final int recordedTokens;
    private final int candidates;
    private final int endOfSequence;
    private final boolean hidesTokens;
    private final List<@Nullable Output> outputs = new ArrayList<>();
    private final List<@Nullable Recording> recordings = new ArrayList<>();
    private boolean cut;

    /**
     * A translation.
     *
     * @param request the request
     * @param mode its output mode
     * @param plan how its output is made
     * @param recordedTokens how many tokens of a choice are kept for a report
     */
    Translation(GenerateBody request, OutputModeProvider mode, OutputPlan plan, int recordedTokens) {
        this.request = request;
        this.mode = mode;
        this.plan = plan;
        this.recordedTokens = recordedTokens;
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
        final Recording recording;
        final Choice choice;
        final @Nullable OutputMode writer =
                mode.verbatim() ? null : guard(() -> Registry.withLoaderOf(mode, () -> mode.open(request)));
        final JsonOut added = new JsonOut();
        final JsonOut logprobsOut = new JsonOut();
        @Nullable ChatLogprobs logprobs;
        @Nullable ChoiceEdit edit;
        int kept;
        /** Whether the end-of-sequence token ended the choice. */
        boolean endedItself;

        private boolean last;

        Output(Recording recording) {
            this.recording = recording;
            choice = new Choice(plan, recording.anomalies());
        }

        /** Lets the output mode write what it adds for a step. */
        void write(ChoiceStep step) {
            added.clear();
            if (writer != null) {
                last = step.last();
                guard(() -> {
                    writer.write(step, this);
                    added.checkMembers(ChoiceEdit.FIELDS);
                    return added;
                });
            }
        }

        @Override
        public JsonWriter field(String name) {
            return added.name(name);
        }

        @Override
        public void finishReason(String reason) {
            if (!last) {
                throw new IllegalStateException("a finish reason was given before the last step");
            }
            if (edit != null) {
                edit.finishReason(reason);
            }
        }
    }

    private <T> T guard(Supplier<T> call) {
        return PluginFailedException.guard(PluginKind.OUTPUT_MODE, mode.name(), call);
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

    /** How the output is made. */
    OutputPlan plan() {
        return plan;
    }

    /** What is kept of each choice; null for one of which nothing came. */
    List<@Nullable Recording> recordings() {
        return recordings;
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

    /** Whether the client is to hear of an event whose tokens were accepted. */
    boolean speaks(Answer answer) {
        for (int i = 0; i < answer.choiceCount(); i++) {
            if (!answer.choice(i).edit().dropped()) {
                return true;
            }
        }
        return answer.choiceCount() == 0; // the usage at the end
    }

    /** Writes an answer or an event whose tokens were accepted. */
    void write(Answer answer, JsonOut out) throws MalformedJsonException {
        for (int i = 0; i < answer.choiceCount(); i++) {
            AnswerChoice from = answer.choice(i);
            if (!from.edit().dropped()) {
                edit(from, output(from.index()));
            }
        }
        answer.write(out, mode.name(), cut ? usage() : null);
    }

    /**
     * Writes events with what is held back of the choices that have not ended, because no more will come: a choice ends with
     * the finish reason {@code error}.
     *
     * @param requestId the server's ID of the request
     */
    void flush(String requestId, JsonOut out) {
        for (int i = 0; i < outputs.size(); i++) {
            Output output = outputs.get(i);
            if (output == null || output.writer == null || output.choice.ended()) {
                continue;
            }
            int start = out.length();
            try {
                output.choice.abort("error");
                writeLead(requestId, i, output, out);
                writeStep(requestId, i, output.choice.step(), output, out);
            } catch (PluginFailedException e) {
                out.truncate(start); // the client is told of one failure already
            }
        }
    }

    /** Writes the events that must come before that of an event whose tokens were accepted. */
    void writeLeads(Answer answer, JsonOut out) throws MalformedJsonException {
        for (int i = 0; i < answer.choiceCount(); i++) {
            AnswerChoice from = answer.choice(i);
            if (!from.edit().dropped()) {
                writeLead(String.valueOf(answer.requestId()), from.index(), output(from.index()), out);
            }
        }
    }

    private void writeLead(String requestId, int index, Output output, JsonOut out) {
        ChoiceStep lead = output.writer == null ? null : output.choice.reasoningStep();
        if (lead != null) {
            writeStep(requestId, index, lead, output, out);
        }
    }

    /** Writes an event for a step that no event of the server stands for. */
    private void writeStep(String requestId, int index, ChoiceStep step, Output output, JsonOut out) {
        output.write(step);
        out.bytes(Sse.DATA).beginObject();
        out.name("request_id").string(requestId);
        out.name("usage").nullValue();
        out.name("output_mode").string(mode.name());
        out.name("choices").beginArray().beginObject();
        out.name("index").number(index);
        out.name("finish_reason");
        if (step.last()) {
            out.string(step.finishReason());
        } else {
            out.nullValue();
        }
        out.name("stop_reason").nullValue();
        out.name("token_ids").beginArray().endArray();
        if (output.added.length() > 0) {
            out.rawValue(output.added.buffer(), 0, output.added.length());
        }
        out.name("logprobs").nullValue();
        out.endObject().endArray().endObject();
        out.endValue().bytes(Sse.END);
    }

    private void edit(AnswerChoice from, Output output) throws MalformedJsonException {
        ChoiceEdit edit = from.edit();
        String stop = output.choice.stopString();
        if (stop != null) {
            edit.finishReason("stop");
            edit.stopReason(stop);
        } else if (output.endedItself) {
            edit.noStopReason();
        }
        if (output.writer != null) {
            output.edit = edit;
            output.write(output.choice.step());
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
                output.logprobs = new ChatLogprobs(request.returnsTokensAsIds() ? null : plan.tokenizer(), candidates);
            }
            output.logprobsOut.clear();
            output.logprobs.write(raw.bytes(), raw.from(), raw.to(), edit.kept(from.tokenCount()), output.logprobsOut);
            edit.logprobs(output.logprobsOut);
        }
    }

    private Output output(int index) throws MalformedJsonException {
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
