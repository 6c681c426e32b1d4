package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.generate.Translation.Output;
import io.glyphgate.proxy.wire.Answer.AnswerChoice;
import io.glyphgate.proxy.wire.Answer.RawValue;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.MalformedJsonException;
import org.jspecify.annotations.Nullable;

/** Values of fields that choices of chats and completions have in common. */
final class ChoiceFields {
    private ChoiceFields() {}

    /** What stopped a choice: a stop string, a stop token, or null. */
    static void stopReason(@Nullable AnswerChoice from, Output output, JsonOut out) throws MalformedJsonException {
        Object reason = output.choice().stopString();
        if (reason == null && from != null && !output.endedItself()) {
            reason = output.stopToken() == null ? from.stopReason() : output.stopToken();
        }
        switch (reason) {
            case null -> out.nullValue();
            case Integer token -> out.number(token);
            default -> out.string(reason.toString());
        }
    }

    /** How many tokens of a choice belong to the output. */
    static int kept(AnswerChoice from) {
        return from.edit().kept(from.tokenCount());
    }

    /** A prompt, or null. */
    static void prompt(int @Nullable [] prompt, JsonOut out) {
        if (prompt == null) {
            out.nullValue();
        } else {
            tokens(prompt, prompt.length, out);
        }
    }

    /** Token IDs. */
    static void tokens(int[] ids, int count, JsonOut out) {
        out.beginArray();
        for (int i = 0; i < count; i++) {
            out.number(ids[i]);
        }
        out.endArray();
    }

    /** A value of the server, or null. */
    static void raw(@Nullable RawValue value, JsonOut out) {
        if (value == null) {
            out.nullValue();
        } else {
            out.rawValue(value.bytes(), value.from(), value.to());
        }
    }
}
