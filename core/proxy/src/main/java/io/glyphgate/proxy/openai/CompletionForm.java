package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.generate.AnswerForm;
import io.glyphgate.proxy.generate.Translation;
import io.glyphgate.proxy.generate.Translation.Output;
import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.Answer.AnswerChoice;
import io.glyphgate.proxy.wire.Answer.RawValue;
import io.glyphgate.proxy.wire.CompletionRequest;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.OutputWishes;
import io.glyphgate.proxy.wire.PromptLogprobs;
import io.glyphgate.proxy.wire.Usage;
import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.Tokenizer;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The form of completions, {@code text_completion}; fields, their order and their nulls are vLLM's. A request with several prompts
 * has a form for each: a whole answer is then only the choices, and a stream tells no usage.
 *
 * @param head what stands in each answer and event
 * @param request the request
 * @param echoed the text of the prompt where it comes before the output; empty elsewhere
 * @param first the number of its first choice, where it is the answer to one of several prompts; empty for the only one
 * @param joined gets the usage where several answers become one; null elsewhere
 */
record CompletionForm(
        Head head, CompletionRequest request, String echoed, OptionalInt first, @Nullable Consumer<Usage> joined)
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
        return first.isPresent() ? each : each * request.prompts().size();
    }

    @Override
    public Optional<OwnRequest> own() {
        return first.isPresent() ? Optional.empty() : Optional.of(new OwnRequest(PATH, request.own()));
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
        head.fingerprint(out);
        Head.endEvent(out);
    }

    /** Writes what follows the choices of a whole answer. */
    static void tail(
            Head head,
            Usage usage,
            Map<?, ?> promptDetails,
            @Nullable RawValue kvTransfer,
            @Nullable RawValue encoderTransfer,
            @Nullable RawValue metrics,
            JsonOut out) {
        out.name("service_tier").nullValue();
        head.fingerprint(out);
        usage.writeWhole(promptDetails, OptionalInt.empty(), out.name("usage"));
        out.name("kv_transfer_params");
        ChoiceFields.raw(kvTransfer, out);
        out.name("ec_transfer_params");
        ChoiceFields.raw(encoderTransfer, out);
        out.name("metrics");
        ChoiceFields.raw(metrics, out);
        out.endObject();
    }

    private final class CompletionWriter implements Writer {
        private final Translation translation;
        private final OutputWishes wishes;
        private final int offset;
        private final CompletionPieces pieces;
        private Map<?, ?> promptDetails = Map.of();

        CompletionWriter(Translation translation, OutputWishes wishes) {
            this.translation = translation;
            this.wishes = wishes;
            pieces = new CompletionPieces(translation, wishes);
            offset = first.orElse(0);
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
            boolean opens = pieces.opens(index);
            head.beginEvent(OBJECT, out);
            out.name("choices").beginArray().beginObject().name("index").number(offset + index);
            out.name("text").string(text(step, opens));
            out.name("logprobs");
            pieces.logprobs(null, from, index, request.onlyEchoes(), out);
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
            pieces.tokens(from, out);
            out.name("weight_versions");
            ChoiceFields.raw(wishes.weightVersions() && step.last() && from != null ? from.weightVersions() : null, out);
            out.endObject().endArray();
            if (wishes.continuousUsage()) {
                new Usage(translation.promptTokens(), output.choice().tokenCount())
                        .writeShort(Map.of(), OptionalInt.empty(), out.name("usage"));
            }
            if (step.last() && !wishes.includeUsage()) {
                head.fingerprint(out);
            }
            out.name("kv_transfer_params");
            ChoiceFields.raw(step.last() && answer != null ? answer.shownTransferParams() : null, out);
            Head.endEvent(out);
        }

        private String text(ChoiceStep step, boolean opens) {
            String output = request.onlyEchoes() ? "" : step.tokens().text().toString();
            return opens ? echoed + output : output;
        }

        private void prompt(boolean wanted, JsonOut out) {
            ChoiceFields.prompt(wanted ? translation.shownPrompt() : null, out);
        }

        @Override
        public void end(Answer last, JsonOut out) {
            if (joined != null) {
                joined.accept(translation.usage());
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
                joined.accept(translation.usage());
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
                    answer.metrics(),
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
            boolean opens = pieces.opens(from.index());
            out.beginObject().name("index").number(offset + from.index());
            out.name("text").string(text(step, opens));
            out.name("logprobs");
            pieces.logprobs(answer, from, from.index(), request.onlyEchoes(), out);
            out.name("finish_reason").string(step.finishReason());
            out.name("stop_reason");
            ChoiceFields.stopReason(from, output, out);
            out.name("token_ids");
            pieces.tokens(from, out);
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
