package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.generate.AnswerForm;
import io.glyphgate.proxy.generate.Translation;
import io.glyphgate.proxy.generate.Translation.Output;
import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.Answer.AnswerChoice;
import io.glyphgate.proxy.wire.Answer.RawValue;
import io.glyphgate.proxy.wire.CompletionLogprobs;
import io.glyphgate.proxy.wire.CompletionRequest;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.OutputWishes;
import io.glyphgate.proxy.wire.PromptLogprobs;
import io.glyphgate.proxy.wire.Usage;
import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.Tokenizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The form of completions, {@code text_completion}; fields, their order and their nulls are vLLM's. A request with several prompts
 * has a form for each: a whole answer is then only the choices, and a stream tells no usage.
 *
 * @param head what stands in each answer and event
 * @param request the request
 * @param echoed the text of the prompt where it comes before the output; empty elsewhere
 * @param part which of several prompts it is; empty for the only one
 * @param joined what joins the answers to several prompts; null if there is one
 */
record CompletionForm(
        Head head, CompletionRequest request, String echoed, OptionalInt part, @Nullable JoinedCompletion joined)
        implements AnswerForm {
    static final String PATH = "/v1/completions";
    static final String NAME = "completions";
    static final String OBJECT = "text_completion";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<Need> needs() {
        return Set.of(Need.TEXT);
    }

    @Override
    public int choices() {
        int each = request.wishes().choices();
        return part.isPresent() ? each : each * request.prompts().size();
    }

    @Override
    public Optional<OwnRequest> own() {
        return part.isPresent() ? Optional.empty() : Optional.of(new OwnRequest(PATH, request.own()));
    }

    @Override
    public Writer open(Translation translation) {
        return new CompletionWriter(translation, request.wishes());
    }

    /** Writes a usage as vLLM's events have it: without details that there are not. */
    static void usageEvent(Head head, Usage usage, Map<?, ?> promptDetails, JsonOut out) {
        head.beginEvent(OBJECT, out);
        out.name("choices").beginArray().endArray();
        usage.writeShort(promptDetails, OptionalInt.empty(), out.name("usage"));
        out.name("system_fingerprint").string(head.fingerprint());
        Head.endEvent(out);
    }

    /** Writes what follows the choices of a whole answer. */
    static void tail(
            Head head,
            Usage usage,
            Map<?, ?> promptDetails,
            @Nullable RawValue kvTransfer,
            @Nullable RawValue encoderTransfer,
            JsonOut out) {
        out.name("service_tier").nullValue();
        out.name("system_fingerprint").string(head.fingerprint());
        usage.writeWhole(promptDetails, OptionalInt.empty(), out.name("usage"));
        out.name("kv_transfer_params");
        ChoiceFields.raw(kvTransfer, out);
        out.name("ec_transfer_params");
        ChoiceFields.raw(encoderTransfer, out);
        out.name("metrics").nullValue();
        out.endObject();
    }

    private final class CompletionWriter implements Writer {
        private final Translation translation;
        private final OutputWishes wishes;
        private final int first;
        private final List<@Nullable CompletionLogprobs> shapes = new ArrayList<>();
        private Map<?, ?> promptDetails = Map.of();

        CompletionWriter(Translation translation, OutputWishes wishes) {
            this.translation = translation;
            this.wishes = wishes;
            first = part.orElse(0) * wishes.choices();
        }

        @Override
        public void event(Answer answer, JsonOut out) throws MalformedJsonException {
            if (answer.choiceCount() == 0) {
                promptDetails = answer.promptTokensDetails();
                return;
            }
            for (int i = 0; i < answer.choiceCount(); i++) {
                AnswerChoice from = answer.choice(i);
                if (!from.edit().dropped()) {
                    Output output = translation.output(from.index());
                    ChoiceStep step = output.choice().step();
                    if (speaks(step)) {
                        chunk(answer, from, from.index(), output, step, out);
                    }
                }
            }
        }

        private boolean speaks(ChoiceStep step) {
            return step.last() || wishes.tokenIds() || wishes.logprobs() || !step.tokens().text().isEmpty();
        }

        private void chunk(
                @Nullable Answer answer, @Nullable AnswerChoice from, int index, Output output, ChoiceStep step, JsonOut out)
                throws MalformedJsonException {
            boolean opens = isNew(index);
            head.beginEvent(OBJECT, out);
            out.name("choices").beginArray().beginObject().name("index").number(first + index);
            out.name("text").string(text(step, opens));
            out.name("logprobs");
            logprobs(null, from, index, out);
            out.name("finish_reason");
            if (step.last()) {
                out.string(step.finishReason());
            } else {
                out.nullValue();
            }
            out.name("stop_reason");
            if (step.last()) {
                ChoiceFields.stopReason(from, output, out);
            } else {
                out.nullValue();
            }
            out.name("prompt_token_ids");
            prompt(opens && (wishes.tokenIds() || wishes.echo()), out);
            out.name("token_ids");
            tokens(from, out);
            out.name("weight_versions");
            ChoiceFields.raw(wishes.weightVersions() && step.last() && from != null ? from.weightVersions() : null, out);
            out.endObject().endArray();
            if (wishes.continuousUsage()) {
                new Usage(translation.request().promptTokenIds().length, output.choice().tokenCount())
                        .writeShort(Map.of(), OptionalInt.empty(), out.name("usage"));
            }
            if (step.last() && !wishes.includeUsage()) {
                out.name("system_fingerprint").string(head.fingerprint());
            }
            out.name("kv_transfer_params");
            ChoiceFields.raw(step.last() && answer != null ? answer.shownTransferParams() : null, out);
            Head.endEvent(out);
        }

        /** Whether nothing was written of a choice yet. */
        private boolean isNew(int index) {
            boolean isNew = shapes.size() <= index || shapes.get(index) == null;
            while (shapes.size() <= index) {
                shapes.add(null);
            }
            if (isNew) {
                shapes.set(index, new CompletionLogprobs(wishes.tokensAsIds() ? null : translation.plan().tokenizer()));
            }
            return isNew;
        }

        private String text(ChoiceStep step, boolean opens) {
            String output = request.onlyEchoes() ? "" : step.tokens().text().toString();
            return opens ? echoed + output : output;
        }

        private void prompt(boolean wanted, JsonOut out) {
            if (wanted) {
                int[] prompt = translation.request().promptTokenIds();
                ChoiceFields.tokens(prompt, prompt.length, out);
            } else {
                out.nullValue();
            }
        }

        private void tokens(@Nullable AnswerChoice from, JsonOut out) {
            if (wishes.tokenIds() && from != null) {
                ChoiceFields.tokens(from.tokenIds(), ChoiceFields.kept(from), out);
            } else {
                out.nullValue();
            }
        }

        private void logprobs(
                @Nullable Answer whole, @Nullable AnswerChoice from, int index, JsonOut out)
                throws MalformedJsonException {
            CompletionLogprobs shape = shapes.get(index);
            if (!wishes.logprobs() || from == null || shape == null) {
                out.nullValue();
                return;
            }
            boolean withPrompt = whole != null && wishes.echo();
            shape.write(
                    withPrompt ? translation.request().promptTokenIds() : new int[0],
                    whole == null ? null : whole.promptLogprobs(),
                    request.onlyEchoes() ? null : from.logprobs(),
                    ChoiceFields.kept(from),
                    out);
        }

        @Override
        public void end(Answer last, JsonOut out) {
            if (joined != null) {
                joined.count(translation.usage());
            } else if (wishes.includeUsage()) {
                usageEvent(head, translation.usage(), promptDetails, out);
            }
        }

        @Override
        public void ended(int index, Output output, String requestId, JsonOut out) throws MalformedJsonException {
            chunk(null, null, index, output, output.choice().step(), out);
        }

        @Override
        public void whole(Answer answer, JsonOut out) throws MalformedJsonException {
            if (joined != null) {
                choices(answer, out);
                joined.count(translation.usage());
                return;
            }
            head.begin(OBJECT, out);
            out.name("choices").beginArray();
            choices(answer, out);
            out.endArray();
            tail(
                    head,
                    translation.usage(),
                    answer.promptTokensDetails(),
                    answer.shownTransferParams(),
                    answer.encoderTransferParams(),
                    out);
        }

        private void choices(Answer answer, JsonOut out) throws MalformedJsonException {
            for (int i = 0; i < answer.choiceCount(); i++) {
                AnswerChoice from = answer.choice(i);
                if (!from.edit().dropped()) {
                    choice(answer, from, translation.output(from.index()), out);
                }
            }
        }

        private void choice(Answer answer, AnswerChoice from, Output output, JsonOut out) throws MalformedJsonException {
            ChoiceStep step = output.choice().step();
            boolean opens = isNew(from.index());
            out.beginObject().name("index").number(first + from.index());
            out.name("text").string(text(step, opens));
            out.name("logprobs");
            logprobs(answer, from, from.index(), out);
            out.name("finish_reason").string(step.finishReason());
            out.name("stop_reason");
            ChoiceFields.stopReason(from, output, out);
            out.name("token_ids");
            tokens(from, out);
            out.name("prompt_logprobs");
            RawValue promptLogprobs = answer.promptLogprobs();
            Tokenizer tokenizer = translation.plan().tokenizer();
            if (promptLogprobs == null || tokenizer == null) {
                out.nullValue();
            } else {
                PromptLogprobs.write(promptLogprobs, tokenizer, out);
            }
            out.name("prompt_token_ids");
            prompt(wishes.tokenIds(), out);
            out.name("routed_experts");
            ChoiceFields.raw(from.routedExperts(), out);
            out.name("weight_versions");
            ChoiceFields.raw(wishes.weightVersions() ? from.weightVersions() : null, out);
            out.endObject();
        }
    }
}
