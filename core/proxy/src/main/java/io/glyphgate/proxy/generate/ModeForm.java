package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.proxy.plugin.PluginKind;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.Answer.AnswerChoice;
import io.glyphgate.proxy.wire.Answer.RawValue;
import io.glyphgate.proxy.wire.ChatLogprobs;
import io.glyphgate.proxy.wire.ChoiceEdit;
import io.glyphgate.proxy.wire.Failure;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.MemberCheck;
import io.glyphgate.proxy.wire.Sse;
import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.ChoiceWriter;
import io.glyphgate.spi.JsonWriter;
import io.glyphgate.spi.OutputMode;
import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.OutputModeProvider.Need;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The form of the generate door: the server's answer with what the output mode adds to each choice. */
record ModeForm(OutputModeProvider mode, GenerateBody request) implements AnswerForm {
    @Override
    public String name() {
        return mode.name();
    }

    @Override
    public Set<Need> needs() {
        return mode.needs();
    }

    @Override
    public int choices() {
        return request.choices();
    }

    /** A server older than output_mode answers 200 and pays no attention to it. */
    @Override
    public void checkForwarded(Answer answer) throws MalformedJsonException {
        if (!mode.verbatim() && !answer.echoes(mode.name()) && !answer.choice(0).hasText()) {
            throw new FailedException(
                    Failure.of(
                            502,
                            "upstream-ignored-output-mode",
                            "output_mode",
                            "The server ignored output_mode '" + mode.name() + "' and sent tokens only: it is older than vLLM"
                                    + " 0.33. Give its pool the setting tokenizer: proxy."),
                    null);
        }
    }

    @Override
    public Writer open(Translation translation) {
        return new ModeWriter(mode, translation);
    }

    /** Writes the server's answer again, with the fields of the mode. */
    private static final class ModeWriter implements Writer {
        private final OutputModeProvider mode;
        private final Translation translation;
        private final int candidates;
        private final List<@Nullable Added> choices = new ArrayList<>();

        ModeWriter(OutputModeProvider mode, Translation translation) {
            this.mode = mode;
            this.translation = translation;
            // vLLM's chat shape has as many candidates as were asked for, its text shape the sampled token beside them
            int asked = translation.request().logprobs();
            candidates = translation.plan().needs().contains(Need.MESSAGE) && asked >= 0 ? asked : ChatLogprobs.ALL;
        }

        /** What the mode adds to one choice. */
        private final class Added implements ChoiceWriter {
            final @Nullable OutputMode writer =
                    mode.verbatim() ? null : guard(() -> Registry.withLoaderOf(mode, () -> mode.open(translation.request())));
            final JsonOut fields = new JsonOut();
            private final MemberCheck members = new MemberCheck(ChoiceEdit.FIELDS);
            /** Made once: one for each step would be garbage. */
            private final Supplier<JsonOut> call = this::call;
            final JsonOut logprobsOut = new JsonOut();
            @Nullable ChatLogprobs logprobs;
            @Nullable ChoiceEdit edit;

            private @Nullable ChoiceStep step;

            /** Lets the output mode write what it adds for a step. */
            void write(ChoiceStep of) {
                fields.clear();
                step = of;
                guard(call);
                step = null;
            }

            private JsonOut call() {
                if (writer != null && step != null) {
                    writer.write(step, this);
                    members.check(fields);
                }
                return fields;
            }

            @Override
            public JsonWriter field(String name) {
                return fields.name(name);
            }

            @Override
            public void finishReason(String reason) {
                if (step == null || !step.last()) {
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

        private Added added(int index) {
            while (choices.size() <= index) {
                choices.add(null);
            }
            Added added = choices.get(index);
            if (added == null) {
                added = new Added();
                choices.set(index, added);
            }
            return added;
        }

        @Override
        public void event(Answer answer, JsonOut out) throws MalformedJsonException {
            if (speaks(answer)) {
                writeLeads(answer, out);
                out.bytes(Sse.DATA);
                whole(answer, out);
                out.endValue().bytes(Sse.END);
            }
        }

        /** Whether the client is to hear of an event. */
        private static boolean speaks(Answer answer) {
            for (int i = 0; i < answer.choiceCount(); i++) {
                if (!answer.choice(i).edit().dropped()) {
                    return true;
                }
            }
            return answer.choiceCount() == 0; // the usage at the end
        }

        @Override
        public void whole(Answer answer, JsonOut out) throws MalformedJsonException {
            for (int i = 0; i < answer.choiceCount(); i++) {
                AnswerChoice from = answer.choice(i);
                if (!from.edit().dropped()) {
                    edit(from, translation.output(from.index()), added(from.index()));
                }
            }
            answer.write(out, mode.name(), translation.cut() ? translation.usage() : null);
        }

        /** Where the proxy stopped the stream, the server's usage never came. */
        @Override
        public void end(Answer last, JsonOut out) throws MalformedJsonException {
            if (translation.cut() && translation.request().streamOption("include_usage")) {
                out.bytes(Sse.DATA).beginObject();
                out.name("request_id").string(String.valueOf(last.requestId()));
                translation.usage().writeTotals(out.name("usage"));
                out.name("output_mode").string(mode.name());
                out.name("choices").beginArray().endArray().endObject();
                out.endValue().bytes(Sse.END);
            }
        }

        @Override
        public void ended(int index, Translation.Output output, String requestId, JsonOut out) {
            if (!mode.verbatim()) {
                ChoiceStep lead = lead(output);
                if (lead != null) {
                    writeStep(requestId, index, lead, out);
                }
                writeStep(requestId, index, output.choice().step(), out);
            }
        }

        /** Writes the events that must come before that of an event whose tokens were accepted. */
        private void writeLeads(Answer answer, JsonOut out) throws MalformedJsonException {
            for (int i = 0; i < answer.choiceCount(); i++) {
                AnswerChoice from = answer.choice(i);
                ChoiceStep lead = from.edit().dropped() ? null : lead(translation.output(from.index()));
                if (lead != null) {
                    writeStep(String.valueOf(answer.requestId()), from.index(), lead, out);
                }
            }
        }

        private @Nullable ChoiceStep lead(Translation.Output output) {
            return mode.verbatim() ? null : output.choice().reasoningStep();
        }

        /** Writes an event for a step that no event of the server stands for. */
        private void writeStep(String requestId, int index, ChoiceStep step, JsonOut out) {
            Added added = added(index);
            added.write(step);
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
            if (added.fields.length() > 0) {
                out.rawValue(added.fields.buffer(), 0, added.fields.length());
            }
            out.name("logprobs").nullValue();
            out.endObject().endArray().endObject();
            out.endValue().bytes(Sse.END);
        }

        private void edit(AnswerChoice from, Translation.Output output, Added added) throws MalformedJsonException {
            ChoiceEdit edit = from.edit();
            String stop = output.choice().stopString();
            if (stop != null) {
                edit.finishReason("stop");
                edit.stopReason(stop);
            } else if (output.endedItself()) {
                edit.noStopReason();
            }
            if (added.writer != null) {
                added.edit = edit;
                added.write(output.choice().step());
                added.edit = null;
                edit.add(added.fields);
            }
            if (translation.hidesTokens()) {
                edit.hideTokens();
                return;
            }
            RawValue raw = from.logprobs();
            OutputPlan plan = translation.plan();
            if (raw != null && plan.tokenizer() != null && !plan.needs().isEmpty()) {
                if (added.logprobs == null) {
                    added.logprobs =
                            new ChatLogprobs(translation.request().returnsTokensAsIds() ? null : plan.tokenizer(), candidates);
                }
                added.logprobsOut.clear();
                added.logprobs.write(raw.bytes(), raw.from(), raw.to(), edit.kept(from.tokenCount()), added.logprobsOut);
                edit.logprobs(added.logprobsOut);
            }
        }
    }
}
