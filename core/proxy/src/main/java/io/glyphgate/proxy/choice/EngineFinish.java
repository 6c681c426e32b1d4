package io.glyphgate.proxy.choice;

import org.jspecify.annotations.Nullable;

/**
 * How the engine ended a choice.
 *
 * @param reason {@code finish_reason} of the server's answer
 * @param stopReason {@code stop_reason} of the server's answer: a stop string, a stop token's ID ({@link Integer}), or null
 */
public record EngineFinish(String reason, @Nullable Object stopReason) {}
