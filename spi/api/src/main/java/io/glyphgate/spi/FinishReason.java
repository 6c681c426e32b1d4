package io.glyphgate.spi;

/**
 * Why a choice ended, as the engine (or the proxy, for a stop string that it matched itself) said. Source: the field
 * {@code finish_reason} of vLLM's answers.
 *
 * @since 1.0
 */
public enum FinishReason {
    /** A stop token, a stop string, or the end-of-sequence token. */
    STOP,
    /** {@code max_tokens} or the length of the model's context. */
    LENGTH,
    /** The request was aborted. */
    ABORT,
    /** The engine failed, or the connection to it broke. */
    ERROR,
    /** A reason that this version of the SPI has no name for. */
    OTHER
}
