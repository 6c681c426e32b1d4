package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.generate.AnswerForm;
import io.glyphgate.proxy.generate.Translation;
import io.glyphgate.proxy.generate.Translation.Output;
import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.Answer.AnswerChoice;
import io.glyphgate.proxy.wire.Answer.RawValue;
import io.glyphgate.proxy.wire.ChatRequest;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.OutputWishes;
import io.glyphgate.proxy.wire.PromptLogprobs;
import io.glyphgate.proxy.wire.Usage;
import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.MessageDelta;
import io.glyphgate.spi.MessageDelta.ToolCallDelta;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.Tokenizer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The form of chat completions: {@code chat.completion}, and {@code chat.completion.chunk} in a stream; fields, their order and
 * their nulls are vLLM's.
 *
 * @param head what stands in each answer and event
 * @param request the request
 * @param promptText the text of the prompt; null where nobody wants it, or only a server makes it
 * @param parsed whether the model has a parser of any kind
 * @param reasons whether the model has a parser that tells reasoning apart
 */
record ChatForm(Head head, ChatRequest request, @Nullable String promptText, boolean parsed, boolean reasons)
        implements AnswerForm {
    static final String PATH = "/v1/chat/completions";
    static final String NAME = "chat-completions";

    /** Fields of a message that vLLM writes and never fills. */
    private static final List<String> UNUSED = List.of("refusal", "annotations", "audio", "function_call");

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<Need> needs() {
        return Set.of(Need.MESSAGE);
    }

    @Override
    public int choices() {
        return request.wishes().choices();
    }

    @Override
    public Optional<OwnRequest> own() {
        return Optional.of(new OwnRequest(PATH, request.own()));
    }

    @Override
    public Writer open(Translation translation) {
        return new ChatWriter(translation, request.wishes());
    }

    private final class ChatWriter implements Writer {
        private static final String CHUNK = "chat.completion.chunk";

        private final Translation translation;
        private final OutputWishes wishes;
        private final ChatPieces pieces;
        private Map<?, ?> promptDetails = Map.of();
        private boolean started;

        ChatWriter(Translation translation, OutputWishes wishes) {
            this.translation = translation;
            this.wishes = wishes;
            pieces = new ChatPieces(translation, wishes);
        }

        @Override
        public void event(Answer answer, JsonOut out) throws MalformedJsonException {
            if (answer.choiceCount() == 0) {
                promptDetails = answer.promptTokensDetails();
                return;
            }
            start(out);
            for (int i = 0; i < answer.choiceCount(); i++) {
                AnswerChoice from = answer.choice(i);
                if (!from.edit().dropped()) {
                    Output output = translation.output(from.index());
                    lead(from.index(), output, out);
                    ChoiceStep step = output.choice().step();
                    if (speaks(step)) {
                        chunk(answer, from, from.index(), output, step, out);
                    }
                }
            }
        }

        private void start(JsonOut out) {
            if (started) {
                return;
            }
            started = true;
            for (int i = 0; i < wishes.choices(); i++) {
                head.beginEvent(CHUNK, out);
                out.name("choices").beginArray().beginObject().name("index").number(i);
                out.name("delta").beginObject().name("role").string(request.answerRole()).name("content").string("");
                out.endObject().name("logprobs").nullValue().name("finish_reason").nullValue().endObject().endArray();
                usageSoFar(0, 0, out);
                out.name("prompt_token_ids");
                promptTokens(out);
                out.name("prompt_text");
                if (promptText == null) {
                    out.nullValue();
                } else {
                    out.string(promptText);
                }
                Head.endEvent(out);
            }
            String echo = wishes.echo() ? request.echoedText() : "";
            for (int i = 0; i < wishes.choices() && !echo.isEmpty(); i++) {
                head.beginEvent(CHUNK, out);
                out.name("choices").beginArray().beginObject().name("index").number(i);
                out.name("delta").beginObject().name("content").string(echo).endObject();
                out.name("logprobs").nullValue().name("finish_reason").nullValue().endObject().endArray();
                usageSoFar(0, 0, out);
                Head.endEvent(out);
            }
        }

        private void promptTokens(JsonOut out) {
            ChoiceFields.prompt(wishes.tokenIds() ? translation.shownPrompt() : null, out);
        }

        /** Whether a step has something for the client. */
        private boolean speaks(ChoiceStep step) {
            MessageDelta message = step.message();
            return step.last()
                    || pieces.tellsOfTokens()
                    || !message.content().isEmpty()
                    || !message.reasoning().isEmpty()
                    || !message.toolCalls().isEmpty();
        }

        /** Reasoning never shares an event with what follows it. */
        private void lead(int index, Output output, JsonOut out) throws MalformedJsonException {
            ChoiceStep lead = output.choice().reasoningStep();
            if (lead != null) {
                chunk(null, null, index, output, lead, out);
            }
        }

        /** Writes one event; without a choice of the server's answer it tells of no tokens. */
        private void chunk(
                @Nullable Answer answer, @Nullable AnswerChoice from, int index, Output output, ChoiceStep step, JsonOut out)
                throws MalformedJsonException {
            head.beginEvent(CHUNK, out);
            out.name("choices").beginArray().beginObject().name("index").number(index);
            delta(step, out.name("delta"));
            out.name("logprobs");
            pieces.logprobs(from, index, out);
            out.name("finish_reason");
            if (step.last()) {
                out.string(ChatPieces.finishReason(step));
                out.name("stop_reason");
                ChoiceFields.stopReason(from, output, out);
            } else {
                out.nullValue();
            }
            out.name("token_ids");
            pieces.tokens(from, out);
            if (step.last()) {
                out.name("weight_versions");
                ChoiceFields.raw(wishes.weightVersions() && from != null ? from.weightVersions() : null, out);
            }
            out.endObject().endArray();
            usageSoFar(output.choice().tokenCount(), output.choice().reasoningTokenCount(), out);
            if (step.last() && !wishes.includeUsage()) {
                head.fingerprint(out);
            }
            out.name("kv_transfer_params");
            ChoiceFields.raw(step.last() && answer != null ? answer.shownTransferParams() : null, out);
            Head.endEvent(out);
        }

        private void usageSoFar(int completionTokens, int reasoningTokens, JsonOut out) {
            if (wishes.continuousUsage()) {
                new Usage(translation.promptTokens(), completionTokens)
                        .writeShort(Map.of(), reasoning(reasoningTokens), out.name("usage"));
            }
        }

        private OptionalInt reasoning(int count) {
            return reasons ? OptionalInt.of(count) : OptionalInt.empty();
        }

        private void delta(ChoiceStep step, JsonOut out) {
            MessageDelta message = step.message();
            out.beginObject();
            if (!message.content().isEmpty() || (!parsed && step.last())) {
                out.name("content").string(message.content());
            }
            if (!message.reasoning().isEmpty()) {
                out.name("reasoning").string(message.reasoning());
            }
            if (!message.toolCalls().isEmpty()) {
                if (message.content().isEmpty()) {
                    out.name("content").nullValue();
                }
                out.name("tool_calls").beginArray();
                List<ToolCallDelta> calls = message.toolCalls();
                for (int i = 0; i < calls.size(); i++) { // an iterator for each token would be garbage
                    ToolCallDelta call = calls.get(i);
                    out.beginObject();
                    if (call.opens()) {
                        out.name("id").string(call.id()).name("type").string("function");
                    }
                    out.name("index").number(call.index()).name("function").beginObject();
                    if (call.opens()) {
                        out.name("name").string(call.name());
                    }
                    if (!call.arguments().isEmpty()) {
                        out.name("arguments").string(call.arguments());
                    }
                    out.endObject().endObject();
                }
                out.endArray();
            }
            out.endObject();
        }

        @Override
        public void end(Answer last, JsonOut out) {
            if (wishes.includeUsage()) {
                head.beginEvent(CHUNK, out);
                out.name("choices").beginArray().endArray();
                translation.usage().writeShort(promptDetails, reasoning(reasoningTokens()), out.name("usage"));
                head.fingerprint(out);
                Head.endEvent(out);
            }
        }

        private int reasoningTokens() {
            int count = 0;
            for (Output output : translation.outputs()) {
                count += output == null ? 0 : output.choice().reasoningTokenCount();
            }
            return count;
        }

        @Override
        public void ended(int index, Output output, String requestId, JsonOut out) throws MalformedJsonException {
            lead(index, output, out);
            chunk(null, null, index, output, output.choice().step(), out);
        }

        @Override
        public void whole(Answer answer, JsonOut out) throws MalformedJsonException {
            head.begin("chat.completion", out);
            out.name("choices").beginArray();
            for (int i = 0; i < answer.choiceCount(); i++) {
                AnswerChoice from = answer.choice(i);
                if (!from.edit().dropped()) {
                    choice(from, translation.output(from.index()), out);
                }
            }
            out.endArray();
            out.name("service_tier").nullValue();
            head.fingerprint(out);
            translation.usage().writeWhole(
                    answer.promptTokensDetails(), reasoning(reasoningTokens()), out.name("usage"));
            out.name("prompt_logprobs");
            RawValue prompt = answer.promptLogprobs();
            Tokenizer tokenizer = translation.plan().tokenizer();
            if (prompt == null || tokenizer == null) {
                out.nullValue();
            } else {
                PromptLogprobs.write(prompt, tokenizer, out);
            }
            out.name("prompt_token_ids");
            promptTokens(out);
            out.name("prompt_text");
            if (promptText == null) {
                out.nullValue();
            } else {
                out.string(promptText);
            }
            out.name("kv_transfer_params");
            ChoiceFields.raw(answer.shownTransferParams(), out);
            out.name("ec_transfer_params");
            ChoiceFields.raw(answer.encoderTransferParams(), out);
            out.name("metrics");
            ChoiceFields.raw(answer.metrics(), out);
            out.endObject();
        }

        private void choice(AnswerChoice from, Output output, JsonOut out) throws MalformedJsonException {
            ChoiceStep step = output.choice().step();
            out.beginObject().name("index").number(from.index());
            message(step.message(), out.name("message"));
            out.name("logprobs");
            pieces.logprobs(from, from.index(), out);
            out.name("finish_reason").string(ChatPieces.finishReason(step));
            out.name("stop_reason");
            ChoiceFields.stopReason(from, output, out);
            out.name("token_ids");
            pieces.tokens(from, out);
            out.name("routed_experts");
            ChoiceFields.raw(from.routedExperts(), out);
            out.name("weight_versions");
            ChoiceFields.raw(wishes.weightVersions() ? from.weightVersions() : null, out);
            out.endObject();
        }

        private void message(MessageDelta message, JsonOut out) {
            String echo = wishes.echo() ? request.echoedText() : "";
            out.beginObject().name("role").string(request.answerRole());
            out.name("content");
            if (message.content().isEmpty() && !wishes.echo() && !request.demandsCalls() && parsed) {
                out.nullValue();
            } else {
                out.string(echo + message.content());
            }
            UNUSED.forEach(name -> out.name(name).nullValue());
            if (!message.toolCalls().isEmpty()) {
                out.name("tool_calls").beginArray();
                for (ToolCallDelta call : message.toolCalls()) {
                    out.beginObject().name("id").string(call.id()).name("type").string("function");
                    out.name("function").beginObject().name("name").string(call.name());
                    out.name("arguments").string(call.arguments()).endObject().endObject();
                }
                out.endArray();
            }
            out.name("reasoning");
            if (message.reasoning().isEmpty()) {
                out.nullValue();
            } else {
                out.string(message.reasoning());
            }
            out.endObject();
        }
    }
}
