package io.glyphgate.spi;

/** As in the SPI, and one more method, which the host has. */
public interface ChoiceWriter {
    JsonWriter field(String name);

    void finishReason(String reason);

    void added();
}
