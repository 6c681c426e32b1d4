package io.glyphgate.spi;

import java.util.Set;

/**
 * One value of {@code output_mode}: what it needs, what it refuses, and what it adds to each choice.
 *
 * @since 1.0
 */
public interface OutputModeProvider extends Provider {
    /** What a mode needs beside the tokens. */
    enum Need {
        /** The text, so a tokenizer. */
        TEXT,
        /** The message that the model's parsers make of the text, so a tokenizer too. */
        MESSAGE
    }

    /**
     * What the mode needs. It decides which pools can serve a request.
     *
     * @return the needs; empty for a mode that works on token IDs
     */
    Set<Need> needs();

    /**
     * Whether the answer is the server's own, byte by byte. {@link #open} is then never called.
     *
     * @return false by default
     */
    default boolean verbatim() {
        return false;
    }

    /**
     * Checks a request before any server is asked.
     *
     * @param request the request
     * @throws InvalidRequestException to refuse it
     */
    default void validate(GenerateRequest request) {}

    /**
     * Starts the output of one choice.
     *
     * @param request the request
     * @return a new writer of this choice's fields
     */
    OutputMode open(GenerateRequest request);
}
