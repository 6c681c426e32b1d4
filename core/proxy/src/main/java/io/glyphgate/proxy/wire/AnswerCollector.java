package io.glyphgate.proxy.wire;

import io.glyphgate.proxy.wire.Answer.AnswerChoice;
import io.glyphgate.proxy.wire.Answer.RawValue;
import io.glyphgate.proxy.wire.Members.Field;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes one whole answer of the events of a stream, for a batch request whose server was asked to stream so that it can be
 * stopped early. It has the fields of vLLM 0.33's whole answers, in their order.
 */
public final class AnswerCollector {
    private final SortedMap<Integer, Collected> choices = new TreeMap<>();
    private byte @Nullable [] requestId;
    private byte @Nullable [] promptTokenIds;
    private byte @Nullable [] placeholders;

    /** What one choice has so far. */
    private static final class Collected {
        int[] tokenIds = new int[64];
        int tokenCount;
        final JsonOut logprobs = new JsonOut();
        final JsonOut samplingMask = new JsonOut();
        byte @Nullable [] finishReason;
        byte @Nullable [] stopReason;
        byte @Nullable [] weightVersions;
        byte @Nullable [] routedExperts;
    }

    /**
     * Takes one choice of one event.
     *
     * @param answer the event
     * @param choice its choice
     * @param kept how many of its tokens belong to the output
     */
    public void add(Answer answer, AnswerChoice choice, int kept) throws MalformedJsonException {
        requestId = first(requestId, answer.value(Field.REQUEST_ID));
        promptTokenIds = first(promptTokenIds, answer.value(Field.PROMPT_TOKEN_IDS));
        placeholders = first(placeholders, answer.value(Field.MM_PLACEHOLDERS));
        Collected to = choices.computeIfAbsent(choice.index(), i -> new Collected());
        if (to.tokenCount + kept > to.tokenIds.length) {
            to.tokenIds = Arrays.copyOf(to.tokenIds, Math.max(2 * to.tokenCount, to.tokenCount + kept));
        }
        System.arraycopy(choice.tokenIds(), 0, to.tokenIds, to.tokenCount, kept);
        to.tokenCount += kept;
        append(choice.samplingMaskItems(kept), to.samplingMask);
        append(choice.logprobItems(kept), to.logprobs);
        to.finishReason = last(to.finishReason, choice.value(Field.FINISH_REASON));
        to.stopReason = last(to.stopReason, choice.value(Field.STOP_REASON));
        to.weightVersions = last(to.weightVersions, choice.value(Field.WEIGHT_VERSIONS));
        to.routedExperts = last(to.routedExperts, choice.value(Field.ROUTED_EXPERTS));
    }

    /**
     * The whole answer.
     *
     * @param model the model's name for the client
     * @param created the time, seconds since 1970
     * @param usage how many tokens the request took
     */
    public byte[] toJson(String model, long created, Usage usage) {
        JsonOut out = new JsonOut(4096);
        out.beginObject();
        out.name("request_id");
        put(requestId, out);
        out.name("model").string(model);
        out.name("created").number(created);
        usage.write(out.name("usage"));
        out.name("prompt_logprobs").nullValue();
        out.name("prompt_token_id_logprobs").nullValue();
        put(promptTokenIds, out.name("prompt_token_ids"));
        put(placeholders, out.name("mm_placeholders"));
        out.name("metrics").nullValue();
        out.name("kv_transfer_params").nullValue();
        out.name("ec_transfer_params").nullValue();
        out.name("output_mode").string("tokens");
        out.name("choices").beginArray();
        choices.forEach((index, choice) -> write(index, choice, out));
        return out.endArray().endObject().toByteArray();
    }

    private static void write(int index, Collected choice, JsonOut out) {
        out.beginObject();
        out.name("index").number(index);
        put(choice.finishReason, out.name("finish_reason"));
        put(choice.stopReason, out.name("stop_reason"));
        out.name("token_ids").beginArray();
        for (int i = 0; i < choice.tokenCount; i++) {
            out.number(choice.tokenIds[i]);
        }
        out.endArray();
        put(choice.routedExperts, out.name("routed_experts"));
        out.name("sampling_mask");
        if (choice.samplingMask.length() == 0) {
            out.nullValue();
        } else {
            out.beginArray();
            out.rawValue(choice.samplingMask.buffer(), 0, choice.samplingMask.length());
            out.endArray();
        }
        put(choice.weightVersions, out.name("weight_versions"));
        out.name("logprobs");
        if (choice.logprobs.length() == 0) {
            out.nullValue();
        } else {
            out.beginObject().name("content").beginArray();
            out.rawValue(choice.logprobs.buffer(), 0, choice.logprobs.length());
            out.endArray().endObject();
        }
        out.endObject();
    }

    private static void append(@Nullable RawValue items, JsonOut to) {
        if (items != null) {
            to.rawValue(items.bytes(), items.from(), items.to());
        }
    }

    private static byte @Nullable [] first(byte @Nullable [] known, @Nullable RawValue value) {
        return known != null || value == null ? known : copy(value);
    }

    private static byte @Nullable [] last(byte @Nullable [] known, @Nullable RawValue value) {
        return value == null ? known : copy(value);
    }

    private static byte[] copy(RawValue value) {
        return Arrays.copyOfRange(value.bytes(), value.from(), value.to());
    }

    private static void put(byte @Nullable [] value, JsonOut out) {
        if (value == null) {
            out.nullValue();
        } else {
            out.rawValue(value, 0, value.length);
        }
    }
}
