package io.glyphgate.spi;

/**
 * The choice being written.
 *
 * @since 1.0
 */
public interface ChoiceWriter {
    /**
     * Starts a field of the choice; exactly one value must follow.
     *
     * @param name the field, one that neither the server nor the host writes
     * @return where to write the value
     */
    JsonWriter field(String name);

    /**
     * Replaces the finish reason. Only in the last step.
     *
     * @param reason the reason that the client gets
     */
    void finishReason(String reason);
}
