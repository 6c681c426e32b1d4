package io.glyphgate.plugin.tokenizerhuggingface;

import java.io.IOException;

/**
 * What a tokenizer file says, as tables. Each class that is a part of it has a method that writes it and one that reads it, side by side.
 */
interface Tables {
    /** Writes them, to be read in the same order. */
    void write(TableWriter out) throws IOException;
}
