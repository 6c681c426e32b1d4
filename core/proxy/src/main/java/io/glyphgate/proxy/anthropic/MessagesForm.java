package io.glyphgate.proxy.anthropic;

import io.glyphgate.proxy.choice.ArgumentsCheck;
import io.glyphgate.proxy.generate.AnswerForm;
import io.glyphgate.proxy.generate.Plan;
import io.glyphgate.proxy.generate.Translation;
import io.glyphgate.proxy.generate.Translation.Output;
import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.Answer.AnswerChoice;
import io.glyphgate.proxy.wire.Answer.RawValue;
import io.glyphgate.proxy.wire.CallInput;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.Sse;
import io.glyphgate.proxy.wire.Usage;
import io.glyphgate.spi.ChoiceStep;
import io.glyphgate.spi.MessageDelta;
import io.glyphgate.spi.MessageDelta.ToolCallDelta;
import io.glyphgate.spi.OutputModeProvider.Need;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The form of Anthropic's API: a {@code message} of blocks, and in a stream events that open a block, add to it and close it.
 *
 * @param id the ID of the answer
 * @param model the model's name
 */
record MessagesForm(String id, String model) implements AnswerForm {
    static final String NAME = "messages";

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
        return 1;
    }

    @Override
    public Writer open(Translation translation) {
        return new MessagesWriter(translation);
    }

    /** A kind of event. */
    private static final class Event {
        static final Event MESSAGE_START = new Event("message_start");
        static final Event CONTENT_BLOCK_START = new Event("content_block_start");
        static final Event CONTENT_BLOCK_DELTA = new Event("content_block_delta");
        static final Event CONTENT_BLOCK_STOP = new Event("content_block_stop");
        static final Event MESSAGE_DELTA = new Event("message_delta");
        static final Event MESSAGE_STOP = new Event("message_stop");

        private final String type;
        private final byte[] head;

        private Event(String type) {
            this.type = type;
            head = ("event: " + type + "\ndata: ").getBytes(StandardCharsets.US_ASCII);
        }

        void begin(JsonOut out) {
            out.bytes(head).beginObject().name("type").string(type);
        }
    }

    private static void endEvent(JsonOut out) {
        out.endObject().endValue().bytes(Sse.END);
    }

    /** A kind of block. */
    private enum Block {
        NONE,
        THINKING,
        TEXT,
        TOOL_USE
    }

    private final class MessagesWriter implements Writer {
        private final Translation translation;
        /** Reads the arguments of the last call, to know when it has all. */
        private final ArgumentsCheck arguments = new ArgumentsCheck();
        private Map<?, ?> promptDetails = Map.of();
        private boolean started;
        private Block block = Block.NONE;
        private int blockIndex = -1;
        private boolean called;
        private @Nullable StopReason stop;

        MessagesWriter(Translation translation) {
            this.translation = translation;
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
                    step(translation.output(from.index()), from, out);
                }
            }
        }

        private void start(JsonOut out) {
            if (started) {
                return;
            }
            started = true;
            Event.MESSAGE_START.begin(out);
            out.name("message").beginObject().name("id").string(id).name("type").string("message");
            out.name("role").string("assistant").name("content").beginArray().endArray().name("model").string(model);
            out.name("stop_reason").nullValue().name("stop_sequence").nullValue();
            usage(new Usage(translation.request().promptTokenIds().length, 0), out.name("usage"));
            out.endObject();
            endEvent(out);
        }

        private void step(Output output, @Nullable AnswerChoice from, JsonOut out) throws MalformedJsonException {
            ChoiceStep step = output.choice().step();
            message(step.message(), out);
            if (step.last()) {
                stop = stop(step, output, from, called && callIsWhole());
            }
        }

        /** What goes on comes before what is new: the rest of a call stands first, and content before the calls that it comes with. */
        private void message(MessageDelta message, JsonOut out) {
            for (ToolCallDelta call : message.toolCalls()) {
                if (!call.opens()) {
                    arguments(call, out);
                }
            }
            if (!message.reasoning().isEmpty()) {
                open(Block.THINKING, null, out);
                delta("thinking_delta", "thinking", message.reasoning(), out);
            }
            if (!message.content().isEmpty()) {
                open(Block.TEXT, null, out);
                delta("text_delta", "text", message.content(), out);
            }
            for (ToolCallDelta call : message.toolCalls()) {
                if (call.opens()) {
                    open(Block.TOOL_USE, call, out);
                    arguments(call, out);
                }
            }
        }

        /** Whether the last call has all its arguments. */
        private boolean callIsWhole() {
            return arguments.complete() && !arguments.malformed();
        }

        /** Parsers add to a call only until they show something else, so its block is still open. */
        private void arguments(ToolCallDelta call, JsonOut out) {
            if (!call.arguments().isEmpty() && block == Block.TOOL_USE) {
                arguments.take(call.arguments());
                delta("input_json_delta", "partial_json", call.arguments(), out);
            }
        }

        private void delta(String type, String field, CharSequence value, JsonOut out) {
            Event.CONTENT_BLOCK_DELTA.begin(out);
            out.name("index").number(blockIndex);
            out.name("delta").beginObject().name("type").string(type).name(field).string(value).endObject();
            endEvent(out);
        }

        /** Opens a block unless it is open; a call has one of its own. */
        private void open(Block wanted, @Nullable ToolCallDelta call, JsonOut out) {
            if (block == wanted && call == null) {
                return;
            }
            close(out);
            block = wanted;
            blockIndex++;
            Event.CONTENT_BLOCK_START.begin(out);
            out.name("index").number(blockIndex).name("content_block").beginObject();
            if (call != null) {
                called = true;
                arguments.begin();
                out.name("type").string("tool_use").name("id").string(call.id()).name("name").string(call.name());
                out.name("input").beginObject().endObject();
            } else if (wanted == Block.THINKING) {
                out.name("type").string("thinking").name("thinking").string("").name("signature").string("");
            } else {
                out.name("type").string("text").name("text").string("");
            }
            out.endObject();
            endEvent(out);
        }

        private void close(JsonOut out) {
            if (block == Block.NONE) {
                return;
            }
            if (block == Block.THINKING) {
                delta("signature_delta", "signature", Plan.newId(), out); // clients that keep to the API want one
            }
            block = Block.NONE;
            Event.CONTENT_BLOCK_STOP.begin(out);
            out.name("index").number(blockIndex);
            endEvent(out);
        }

        @Override
        public void end(Answer last, JsonOut out) {
            close(out);
            Event.MESSAGE_DELTA.begin(out);
            out.name("delta").beginObject();
            (stop == null ? StopReason.UNKNOWN : stop).write(out);
            out.endObject();
            usage(translation.usage(), out.name("usage"));
            endEvent(out);
            Event.MESSAGE_STOP.begin(out);
            endEvent(out);
        }

        @Override
        public void ended(int index, Output output, String requestId, JsonOut out) throws MalformedJsonException {
            start(out);
            step(output, null, out);
            close(out);
        }

        @Override
        public void whole(Answer answer, JsonOut out) throws MalformedJsonException {
            promptDetails = answer.promptTokensDetails();
            AnswerChoice from = answer.choice(0);
            Output output = translation.output(from.index());
            ChoiceStep step = output.choice().step();
            out.beginObject().name("id").string(id).name("type").string("message").name("role").string("assistant");
            content(step.message(), out.name("content"));
            out.name("model").string(model);
            stop(step, output, from, callsAreWhole(step.message())).write(out);
            usage(translation.usage(), out.name("usage"));
            raw("kv_transfer_params", answer.shownTransferParams(), out);
            raw("ec_transfer_params", answer.encoderTransferParams(), out);
            out.endObject();
        }

        private static void raw(String name, @Nullable RawValue value, JsonOut out) {
            if (value != null) {
                out.name(name).rawValue(value.bytes(), value.from(), value.to());
            }
        }

        private boolean callsAreWhole(MessageDelta message) {
            called = !message.toolCalls().isEmpty();
            if (called) {
                arguments.begin();
                arguments.take(message.toolCalls().getLast().arguments());
            }
            return called && callIsWhole();
        }

        private static void content(MessageDelta message, JsonOut out) {
            out.beginArray();
            if (!message.reasoning().isEmpty()) {
                out.beginObject().name("type").string("thinking").name("thinking").string(message.reasoning());
                out.name("signature").string(Plan.newId()).endObject();
            }
            // whoever asks for an answer expects a block
            if (!message.content().isEmpty() || (message.reasoning().isEmpty() && message.toolCalls().isEmpty())) {
                out.beginObject().name("type").string("text").name("text").string(message.content()).endObject();
            }
            for (ToolCallDelta call : message.toolCalls()) {
                out.beginObject().name("type").string("tool_use").name("id").string(call.id()).name("name").string(call.name());
                CallInput.write(call.arguments().toString(), out.name("input"));
                out.endObject();
            }
            out.endArray();
        }

        /** What was read of a cache is no input here, other than in vLLM's own usage. */
        private void usage(Usage usage, JsonOut out) {
            int read = detail("cached_tokens");
            int created = detail("created_cache_tokens");
            out.beginObject().name("input_tokens").number(Math.max(0, usage.promptTokens() - Math.max(0, read) - Math.max(0, created)));
            out.name("output_tokens").number(usage.completionTokens());
            if (created >= 0) {
                out.name("cache_creation_input_tokens").number(created);
            }
            if (read >= 0) {
                out.name("cache_read_input_tokens").number(read);
            }
            out.endObject();
        }

        /** A count of the prompt's tokens; -1 if the server does not tell it. */
        private int detail(String name) {
            return promptDetails.get(name) instanceof Number count ? count.intValue() : -1;
        }

        private StopReason stop(ChoiceStep step, Output output, @Nullable AnswerChoice from, boolean callsAreWhole)
                throws MalformedJsonException {
            String string = output.choice().stopString();
            if (string == null && from != null && from.stopReason() instanceof String ofServer) {
                string = ofServer;
            }
            return StopReason.of(step.finishReason(), string, called, callsAreWhole);
        }
    }

    /**
     * Why an answer ended.
     *
     * @param reason {@code end_turn}, {@code max_tokens}, {@code stop_sequence} or {@code tool_use}; null for what this API does not
     *     know
     * @param sequence the stop string
     */
    private record StopReason(@Nullable String reason, @Nullable String sequence) {
        static final StopReason UNKNOWN = new StopReason(null, null);

        /** A call that a stop string cut off must not run, so the string is the reason then. */
        static StopReason of(String finish, @Nullable String stopString, boolean called, boolean callsAreWhole) {
            return switch (finish) {
                case "length" -> new StopReason("max_tokens", null);
                case "stop", "tool_calls" -> {
                    if (stopString != null && !callsAreWhole) {
                        yield new StopReason("stop_sequence", stopString);
                    }
                    yield new StopReason(called ? "tool_use" : "end_turn", null);
                }
                default -> UNKNOWN;
            };
        }

        void write(JsonOut out) {
            string("stop_reason", reason, out);
            string("stop_sequence", sequence, out);
        }

        private static void string(String name, @Nullable String value, JsonOut out) {
            if (value == null) {
                out.name(name).nullValue();
            } else {
                out.name(name).string(value);
            }
        }
    }
}
