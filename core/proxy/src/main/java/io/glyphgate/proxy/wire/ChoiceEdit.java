package io.glyphgate.proxy.wire;

import io.glyphgate.proxy.wire.Answer.AnswerChoice;
import io.glyphgate.proxy.wire.Answer.RawValue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What changes in one choice of an answer; all that is not named here stays as the server wrote it. Reused. */
public final class ChoiceEdit {
    /** The fields of a choice that servers and the proxy write, which no output mode may. */
    public static final Set<String> FIELDS = Set.of(
            "index", "finish_reason", "stop_reason", "token_ids", "routed_experts", "sampling_mask", "weight_versions", "logprobs");

    private static final int ALL = -1;

    private boolean dropped;
    private int keptTokens = ALL;
    private @Nullable String finishReason;
    private @Nullable String stopReason;
    private boolean noStopReason;
    private @Nullable JsonOut logprobs;
    private boolean hideTokens;
    private @Nullable JsonOut added;

    ChoiceEdit() {}

    void clear() {
        dropped = false;
        keptTokens = ALL;
        finishReason = null;
        stopReason = null;
        noStopReason = false;
        logprobs = null;
        hideTokens = false;
        added = null;
    }

    /** Leaves the whole choice out. */
    public void drop() {
        dropped = true;
    }

    /** Keeps only the first tokens. */
    public void keepTokens(int count) {
        keptTokens = count;
    }

    /** How many of a choice's tokens are kept. */
    public int kept(int tokenCount) {
        return keptTokens == ALL ? tokenCount : Math.min(keptTokens, tokenCount);
    }

    /** Whether the choice is left out. */
    public boolean dropped() {
        return dropped;
    }

    /** Replaces {@code finish_reason}. */
    public void finishReason(String reason) {
        finishReason = reason;
    }

    /** Replaces {@code stop_reason} by a stop string. */
    public void stopReason(String reason) {
        stopReason = reason;
    }

    /** Replaces {@code stop_reason} by null. */
    public void noStopReason() {
        noStopReason = true;
    }

    /** Replaces {@code logprobs} by a value; kept until the answer is written. */
    public void logprobs(JsonOut value) {
        logprobs = value;
    }

    /** Nulls what tells single tokens, as vLLM does when reasoning is not included: token IDs, logprobs, sampling mask. */
    public void hideTokens() {
        hideTokens = true;
    }

    /** Adds fields, written as the inside of an object; kept until the answer is written. */
    public void add(JsonOut fields) {
        added = fields;
    }

    void write(byte[] bytes, AnswerChoice choice, JsonOut out) throws MalformedJsonException {
        if (dropped) {
            return;
        }
        Members members = choice.members();
        out.beginObject();
        for (int i = 0; i < members.count(); i++) {
            switch (members.field(i)) {
                case FINISH_REASON -> {
                    if (finishReason == null) {
                        copy(bytes, members, i, out);
                    } else {
                        out.name("finish_reason").string(finishReason);
                        finishReason = null;
                    }
                }
                case STOP_REASON -> {
                    if (noStopReason) {
                        out.name("stop_reason").nullValue();
                    } else if (stopReason == null) {
                        copy(bytes, members, i, out);
                    } else {
                        out.name("stop_reason").string(stopReason);
                        stopReason = null;
                    }
                }
                case TOKEN_IDS -> writeTokens(bytes, choice, i, out);
                case SAMPLING_MASK -> {
                    if (hideTokens) {
                        out.name("sampling_mask").nullValue();
                    } else if (keepsAll(choice)) {
                        copy(bytes, members, i, out);
                    } else {
                        writeItems(choice.samplingMaskItems(keptTokens), out.name("sampling_mask"));
                    }
                }
                case LOGPROBS -> {
                    writeAdded(out);
                    if (hideTokens) {
                        out.name("logprobs").nullValue();
                    } else if (logprobs != null) {
                        out.name("logprobs").rawValue(logprobs.buffer(), 0, logprobs.length());
                    } else if (keepsAll(choice) || choice.logprobs() == null) {
                        copy(bytes, members, i, out);
                    } else {
                        out.name("logprobs").beginObject();
                        writeItems(choice.logprobItems(keptTokens), out.name("content"));
                        out.endObject();
                    }
                }
                case CHOICES, OUTPUT_MODE, USAGE, ERROR, REQUEST_ID, PROMPT_TOKEN_IDS, PROMPT_LOGPROBS, EC_TRANSFER_PARAMS, MM_PLACEHOLDERS, METRICS, INDEX,
                        WEIGHT_VERSIONS,
                        ROUTED_EXPERTS, TEXT, MESSAGE, DELTA, KV_TRANSFER_PARAMS, OTHER -> copy(bytes, members, i, out);
            }
        }
        writeAdded(out);
        // a server that leaves these out, as vLLM's Rust frontend does
        if (finishReason != null) {
            out.name("finish_reason").string(finishReason);
        }
        if (stopReason != null) {
            out.name("stop_reason").string(stopReason);
        }
        out.endObject();
    }

    private boolean keepsAll(AnswerChoice choice) {
        return kept(choice.tokenCount()) == choice.tokenCount();
    }

    private static void writeItems(@Nullable RawValue items, JsonOut out) {
        out.beginArray();
        if (items != null) {
            out.rawValue(items.bytes(), items.from(), items.to());
        }
        out.endArray();
    }

    private void writeTokens(byte[] bytes, AnswerChoice choice, int position, JsonOut out) {
        if (hideTokens) {
            out.name("token_ids").nullValue();
        } else if (keepsAll(choice)) {
            copy(bytes, choice.members(), position, out);
        } else {
            out.name("token_ids").beginArray();
            for (int i = 0; i < keptTokens; i++) {
                out.number(choice.tokenIds()[i]);
            }
            out.endArray();
        }
    }

    private void writeAdded(JsonOut out) {
        if (added != null && added.length() > 0) {
            out.rawValue(added.buffer(), 0, added.length());
        }
        added = null;
    }

    private static void copy(byte[] bytes, Members members, int position, JsonOut out) {
        out.rawValue(bytes, members.nameFrom(position), members.valueTo(position));
    }
}
