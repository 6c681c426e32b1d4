package io.glyphgate.proxy.choice;

import io.glyphgate.spi.FinishReason;
import org.jspecify.annotations.Nullable;

/**
 * How the engine ended a choice.
 *
 * @param reason {@code finish_reason} of the server's answer
 * @param stopReason {@code stop_reason} of the server's answer: a stop string, a stop token's ID ({@link Integer}), or
 *     null
 */
public record EngineFinish(String reason, @Nullable Object stopReason) {
    /** Whether the last token is the one that ended the choice: a stop token, or the end-of-sequence token. */
    public boolean byToken() {
        return reason.equals("stop") && !(stopReason instanceof String);
    }

    /** The reason as plugins see it. */
    static FinishReason reason(String reason) {
        return switch (reason) {
            case "stop" -> FinishReason.STOP;
            case "length" -> FinishReason.LENGTH;
            case "abort" -> FinishReason.ABORT;
            case "error" -> FinishReason.ERROR;
            default -> FinishReason.OTHER;
        };
    }
}
