package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.generate.Translation;
import io.glyphgate.proxy.generate.Translation.Output;
import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.Answer.AnswerChoice;
import io.glyphgate.proxy.wire.ChatRequest;
import io.glyphgate.proxy.wire.CompletionRequest;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.OutputWishes;
import io.glyphgate.proxy.wire.Usage;
import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.MessageDelta;
import io.glyphgate.spi.MessageDelta.ToolCallDelta;
import org.jspecify.annotations.Nullable;

/**
 * Writes the chunks of one derendered stream: each chunk of a server becomes one, whatever it holds. As in vLLM 0.33 all fields
 * stand in each, with null for what there is not.
 */
sealed interface ChunkWriter {
    /**
     * Writes one chunk.
     *
     * @param head what stands in it
     * @param chunk the server's chunk, whose tokens the choice has taken
     * @param usage its usage; null if it has none
     * @param out gains one object
     */
    void write(Head head, Answer chunk, @Nullable Usage usage, JsonOut out) throws MalformedJsonException;

    /**
     * Goes on with a stream whose beginning was written elsewhere.
     *
     * @param index the number of its choice
     * @param before the tokens so far, or the latest of them
     * @param logprobLength what {@link #logprobLength} was behind them
     */
    void goOn(int index, int[] before, int logprobLength);

    /** How long the tokens were that logprobs told of, in characters; 0 where nobody asks. */
    int logprobLength(int index);

    private static void usage(@Nullable Usage usage, JsonOut out) {
        out.name("usage");
        if (usage == null) {
            out.nullValue();
        } else {
            usage.write(out);
        }
    }

    private static void finish(
            AnswerChoice from, Output output, @Nullable String finishReason, JsonOut out) throws MalformedJsonException {
        out.name("finish_reason");
        if (finishReason == null) {
            out.nullValue().name("stop_reason").nullValue();
        } else {
            out.string(finishReason).name("stop_reason");
            ChoiceFields.stopReason(from, output, out);
        }
    }

    private static void weights(AnswerChoice from, OutputWishes wishes, JsonOut out) {
        out.name("weight_versions");
        ChoiceFields.raw(wishes.weightVersions() ? from.weightVersions() : null, out);
    }

    /** Chunks of a chat. */
    final class Chat implements ChunkWriter {
        private final Translation translation;
        private final OutputWishes wishes;
        private final ChatPieces pieces;
        private final String role;
        private boolean roleSaid;

        /**
         * A writer.
         *
         * @param roleSaid whether a chunk has told the role
         */
        Chat(Translation translation, ChatRequest request, boolean roleSaid) {
            this.translation = translation;
            this.roleSaid = roleSaid;
            wishes = request.wishes();
            role = request.answerRole();
            pieces = new ChatPieces(translation, wishes);
        }

        @Override
        public void goOn(int index, int[] before, int logprobLength) {
            pieces.goOn(index, before);
        }

        @Override
        public int logprobLength(int index) {
            return 0;
        }

        @Override
        public void write(Head head, Answer chunk, @Nullable Usage usage, JsonOut out) throws MalformedJsonException {
            head.begin("chat.completion.chunk", out);
            out.name("choices").beginArray();
            for (int i = 0; i < chunk.choiceCount(); i++) {
                AnswerChoice from = chunk.choice(i);
                if (!from.edit().dropped()) {
                    choice(from, translation.output(from.index()), out);
                }
            }
            out.endArray();
            ChunkWriter.usage(usage, out);
            head.fingerprint(out);
            out.name("prompt_token_ids");
            ChoiceFields.prompt(wishes.tokenIds() ? chunk.promptTokenIds() : null, out);
            out.name("prompt_text").nullValue().name("metrics");
            ChoiceFields.raw(chunk.metrics(), out);
            out.name("kv_transfer_params").nullValue().endObject();
        }

        private void choice(AnswerChoice from, Output output, JsonOut out) throws MalformedJsonException {
            ChoiceStep step = output.choice().step();
            out.beginObject().name("index").number(from.index());
            delta(step.message(), out.name("delta"));
            out.name("logprobs");
            pieces.logprobs(from, from.index(), out);
            ChunkWriter.finish(from, output, step.last() ? ChatPieces.finishReason(step) : null, out);
            out.name("token_ids");
            pieces.tokens(from, out);
            ChunkWriter.weights(from, wishes, out);
            out.endObject();
        }

        private void delta(MessageDelta message, JsonOut out) {
            out.beginObject().name("role");
            stringOrNull(roleSaid ? "" : role, out);
            roleSaid = true;
            stringOrNull(message.content(), out.name("content"));
            stringOrNull(message.reasoning(), out.name("reasoning"));
            if (!message.toolCalls().isEmpty()) {
                out.name("tool_calls").beginArray();
                for (ToolCallDelta call : message.toolCalls()) {
                    out.beginObject();
                    stringOrNull(call.opens() ? call.id() : "", out.name("id"));
                    stringOrNull(call.opens() ? "function" : "", out.name("type"));
                    out.name("index").number(call.index()).name("function").beginObject();
                    stringOrNull(call.opens() ? call.name() : "", out.name("name"));
                    stringOrNull(call.arguments(), out.name("arguments"));
                    out.endObject().endObject();
                }
                out.endArray();
            }
            out.endObject();
        }

        private static void stringOrNull(CharSequence text, JsonOut out) {
            if (text.isEmpty()) {
                out.nullValue();
            } else {
                out.string(text);
            }
        }
    }

    /** Chunks of a completion. */
    final class Completion implements ChunkWriter {
        private final Translation translation;
        private final OutputWishes wishes;
        private final CompletionPieces pieces;

        /** A writer. */
        Completion(Translation translation, CompletionRequest request) {
            this.translation = translation;
            wishes = request.wishes();
            pieces = new CompletionPieces(translation, wishes);
        }

        @Override
        public void goOn(int index, int[] before, int logprobLength) {
            pieces.shape(index).goOn(before, logprobLength);
        }

        @Override
        public int logprobLength(int index) {
            return pieces.shape(index).length();
        }

        @Override
        public void write(Head head, Answer chunk, @Nullable Usage usage, JsonOut out) throws MalformedJsonException {
            head.begin(CompletionForm.OBJECT, out);
            out.name("choices").beginArray();
            for (int i = 0; i < chunk.choiceCount(); i++) {
                AnswerChoice from = chunk.choice(i);
                if (!from.edit().dropped()) {
                    choice(chunk, from, translation.output(from.index()), out);
                }
            }
            out.endArray();
            ChunkWriter.usage(usage, out);
            head.fingerprint(out);
            out.name("metrics");
            ChoiceFields.raw(chunk.metrics(), out);
            out.name("kv_transfer_params").nullValue().endObject();
        }

        private void choice(Answer chunk, AnswerChoice from, Output output, JsonOut out) throws MalformedJsonException {
            ChoiceStep step = output.choice().step();
            out.beginObject().name("index").number(from.index());
            out.name("text").string(step.tokens().text()).name("logprobs");
            pieces.logprobs(null, from, from.index(), false, out);
            ChunkWriter.finish(from, output, step.last() ? step.finishReason() : null, out);
            out.name("prompt_token_ids");
            ChoiceFields.prompt(wishes.tokenIds() ? chunk.promptTokenIds() : null, out);
            out.name("token_ids");
            pieces.tokens(from, out);
            ChunkWriter.weights(from, wishes, out);
            out.endObject();
        }
    }
}
