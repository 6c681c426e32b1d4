package io.glyphgate.plugin.tokenizerhuggingface;

/** How text becomes tokens. */
interface TextEncoder extends AutoCloseable {
    /** Turns text into IDs; see {@link io.glyphgate.spi.Tokenizer#encode}. */
    int[] encode(String text, boolean addSpecialTokens);

    @Override
    void close();
}
