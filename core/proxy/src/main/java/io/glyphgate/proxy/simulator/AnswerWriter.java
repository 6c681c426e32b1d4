package io.glyphgate.proxy.simulator;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.glyphgate.proxy.choice.EngineFinish;
import io.glyphgate.proxy.simulator.Script.Candidate;
import io.glyphgate.proxy.wire.ChatLogprobs;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.spi.Tokenizer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes the answers to one request as JSON, field by field in the order of the server that is played. */
final class AnswerWriter {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int ALL_LOGPROBS = 20;

    private final GenerateCall call;
    private final SimulatorOptions options;
    private final String requestId;
    private final Map<Integer, ChatLogprobs> chatLogprobs = new HashMap<>();

    /**
     * Part of a choice, or all of it.
     *
     * @param choice the choice
     * @param from the first token of the part
     * @param to the end of its tokens
     * @param finish how the choice ended; null if the part is not the last
     * @param text the text of the part
     * @param message the message, where the output mode asks for one
     */
    record Part(
            Completion choice,
            int from,
            int to,
            @Nullable EngineFinish finish,
            String text,
            @Nullable Message message) {}

    /**
     * A message that the parsers made.
     *
     * @param json the message
     * @param finishReason what the finish reason becomes by it
     */
    record Message(byte[] json, String finishReason) {}

    /**
     * What a request used.
     *
     * @param completionTokens the tokens of the output
     */
    private record Usage(int promptTokens, int completionTokens) {}

    /** Writes JSON. */
    private interface Content {
        void write(JsonGenerator out) throws IOException;
    }

    AnswerWriter(GenerateCall call, SimulatorOptions options, String requestId) {
        this.call = call;
        this.options = options;
        this.requestId = requestId;
    }

    /**
     * A whole answer.
     *
     * @param parts the choices
     * @param prompt what {@code prompt_logprobs} shows; null if it was not asked for
     * @param transfer {@code kv_transfer_params}; null if there are none
     */
    String batch(List<Part> parts, @Nullable List<List<Candidate>> prompt, @Nullable ObjectNode transfer)
            throws IOException {
        return json(out -> {
            switch (options.kind()) {
                case VLLM -> {
                    out.writeStringField("model", options.model());
                    out.writeNumberField("created", System.currentTimeMillis() / 1000);
                    usage(usage(parts.stream().mapToInt(Part::to).sum()), true, out);
                    promptLogprobs(prompt, out);
                    out.writeNullField("prompt_token_id_logprobs");
                    if (call.returnTokenIds()) {
                        promptTokenIds(out);
                    } else {
                        out.writeNullField("prompt_token_ids");
                    }
                    out.writeNullField("mm_placeholders");
                    out.writeNullField("metrics");
                    out.writeObjectField("kv_transfer_params", transfer);
                    out.writeNullField("ec_transfer_params");
                    out.writeStringField("output_mode", call.outputMode());
                    choices(parts, out);
                }
                case OLD_VLLM -> {
                    choices(parts, out);
                    promptLogprobs(prompt, out);
                    out.writeObjectField("kv_transfer_params", transfer);
                }
                case RUST_FRONTEND -> choices(parts, out);
            }
        });
    }

    /**
     * One event of a stream.
     *
     * @param part what it adds to a choice
     * @param first whether it is the first event of the stream
     */
    String event(Part part, boolean first) throws IOException {
        return json(out -> {
            if (options.kind() == SimulatorOptions.Kind.VLLM) {
                if (call.continuousUsage()) {
                    usage(usage(part.to()), true, out);
                } else {
                    out.writeNullField("usage");
                }
                if (first && call.returnTokenIds()) {
                    promptTokenIds(out);
                }
                out.writeStringField("output_mode", call.outputMode());
            }
            choices(List.of(part), out);
        });
    }

    /** The event that tells the usage of a stream at its end. */
    String usageEvent(int completionTokens) throws IOException {
        return json(out -> {
            usage(usage(completionTokens), false, out);
            if (options.kind() == SimulatorOptions.Kind.VLLM) {
                out.writeStringField("output_mode", call.outputMode());
            }
            choices(List.of(), out);
        });
    }

    private String json(Content content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        try (JsonGenerator out = JSON.createGenerator(bytes)) {
            out.writeStartObject();
            out.writeStringField("request_id", requestId);
            content.write(out);
            out.writeEndObject();
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private Usage usage(int completionTokens) {
        return new Usage(call.promptTokenIds().length, completionTokens);
    }

    private static void usage(Usage usage, boolean details, JsonGenerator out) throws IOException {
        out.writeObjectFieldStart("usage");
        out.writeNumberField("prompt_tokens", usage.promptTokens());
        out.writeNumberField("total_tokens", usage.promptTokens() + usage.completionTokens());
        out.writeNumberField("completion_tokens", usage.completionTokens());
        if (details) {
            out.writeNullField("prompt_tokens_details");
            out.writeNullField("completion_tokens_details");
        }
        out.writeEndObject();
    }

    private void promptTokenIds(JsonGenerator out) throws IOException {
        out.writeFieldName("prompt_token_ids");
        int[] prompt = call.promptTokenIds();
        out.writeArray(prompt, 0, prompt.length);
    }

    private void promptLogprobs(@Nullable List<List<Candidate>> prompt, JsonGenerator out) throws IOException {
        if (prompt == null) {
            out.writeNullField("prompt_logprobs");
            return;
        }
        out.writeArrayFieldStart("prompt_logprobs");
        // Nothing comes before the first token, so nothing can be said about it.
        out.writeNull();
        for (List<Candidate> candidates : prompt) {
            out.writeStartObject();
            for (Candidate candidate : candidates) {
                out.writeObjectFieldStart(Integer.toString(candidate.tokenId()));
                out.writeNumberField("logprob", clamped(candidate.logprob()));
                out.writeNumberField("rank", candidate.rank());
                Tokenizer tokenizer = options.detokenizing();
                out.writeStringField(
                        "decoded_token",
                        tokenizer == null ? null : tokenizer.decode(new int[] {candidate.tokenId()}, false));
                out.writeEndObject();
            }
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private void choices(List<Part> parts, JsonGenerator out) throws IOException {
        out.writeArrayFieldStart("choices");
        for (Part part : parts) {
            out.writeStartObject();
            out.writeNumberField("index", part.choice().index());
            switch (options.kind()) {
                case VLLM -> choice(part, out);
                case OLD_VLLM -> {
                    logprobs(part, out);
                    out.writeStringField(
                            "finish_reason", part.finish() == null ? null : part.finish().reason());
                    tokenIds(part, out);
                }
                case RUST_FRONTEND -> {
                    tokenIds(part, out);
                    if (part.finish() != null) {
                        out.writeStringField("finish_reason", part.finish().reason());
                    }
                }
            }
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private void choice(Part part, JsonGenerator out) throws IOException {
        EngineFinish finish = part.finish();
        Message message = part.message();
        out.writeStringField(
                "finish_reason", message != null ? message.finishReason() : finish == null ? null : finish.reason());
        out.writeObjectField("stop_reason", finish == null ? null : finish.stopReason());
        // Where the parsers hide the reasoning, its tokens must not show it.
        boolean hidden = message != null
                && !call.parseContext().path("include_reasoning").asBoolean(true)
                && options.hasParsers();
        if (hidden) {
            out.writeNullField("token_ids");
        } else {
            tokenIds(part, out);
        }
        out.writeNullField("routed_experts");
        out.writeNullField("sampling_mask");
        if (finish == null) {
            out.writeNullField("weight_versions");
        } else {
            out.writeArrayFieldStart("weight_versions");
            out.writeStartObject();
            out.writeStringField("version", "default");
            out.writeNumberField("start", 0);
            out.writeNumberField("end", part.to());
            out.writeEndObject();
            out.writeEndArray();
        }
        if (message != null) {
            out.writeFieldName("message");
            out.writeRawValue(new String(message.json(), StandardCharsets.UTF_8));
        } else if (call.outputMode().equals("text")) {
            out.writeStringField("text", part.text());
        }
        if (hidden) {
            out.writeNullField("logprobs");
        } else {
            logprobs(part, out);
        }
    }

    private static void tokenIds(Part part, JsonGenerator out) throws IOException {
        out.writeArrayFieldStart("token_ids");
        for (int i = part.from(); i < part.to(); i++) {
            out.writeNumber(part.choice().tokenId(i));
        }
        out.writeEndArray();
    }

    private void logprobs(Part part, JsonGenerator out) throws IOException {
        Integer wanted = call.logprobs();
        if (wanted == null || options.kind() == SimulatorOptions.Kind.RUST_FRONTEND) {
            out.writeNullField("logprobs");
            return;
        }
        boolean old = options.kind() == SimulatorOptions.Kind.OLD_VLLM;
        Tokenizer tokenizer = old || call.outputMode().equals("tokens") ? null : options.detokenizing();
        out.writeFieldName("logprobs");
        if (tokenizer == null && !old) {
            tokenLogprobs(part, wanted, out);
            return;
        }
        ByteArrayOutputStream byId = new ByteArrayOutputStream();
        try (JsonGenerator ids = JSON.createGenerator(byId)) {
            tokenLogprobs(part, wanted, ids);
        }
        // A message has as many candidates as were asked for; everywhere else the sampled token may come on top.
        int candidates = part.message() != null && wanted >= 0 ? wanted : ChatLogprobs.ALL;
        JsonOut chat = new JsonOut();
        chatLogprobs
                .computeIfAbsent(part.choice().index(), index -> new ChatLogprobs(tokenizer, candidates))
                .write(byId.toByteArray(), 0, byId.size(), part.to() - part.from(), chat);
        out.writeRawValue(new String(chat.toByteArray(), StandardCharsets.UTF_8));
    }

    private static void tokenLogprobs(Part part, int wanted, JsonGenerator out) throws IOException {
        out.writeStartObject();
        out.writeArrayFieldStart("content");
        for (int i = part.from(); i < part.to(); i++) {
            List<Candidate> candidates = part.choice().candidates(i, wanted < 0 ? ALL_LOGPROBS : wanted);
            out.writeStartObject();
            candidate(candidates.get(0), out);
            out.writeArrayFieldStart("top_logprobs");
            for (Candidate candidate : candidates) {
                out.writeStartObject();
                candidate(candidate, out);
                out.writeEndObject();
            }
            out.writeEndArray();
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeEndObject();
    }

    private static void candidate(Candidate candidate, JsonGenerator out) throws IOException {
        out.writeNumberField("token_id", candidate.tokenId());
        out.writeNumberField("logprob", clamped(candidate.logprob()));
        // The engine ranks a token whose log probability is no number as 0, which is no rank.
        if (candidate.rank() == 0) {
            out.writeNullField("rank");
        } else {
            out.writeNumberField("rank", candidate.rank());
        }
    }

    private static double clamped(double logprob) {
        return Double.isNaN(logprob) ? -9999 : Math.max(logprob, -9999);
    }
}
