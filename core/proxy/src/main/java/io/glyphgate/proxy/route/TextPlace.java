package io.glyphgate.proxy.route;

import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.spi.Tokenizer;
import java.util.List;

/** Where the tokens of a model's texts come from. */
public sealed interface TextPlace {
    /**
     * From this process.
     *
     * @param tokenizer the model's tokenizer
     */
    record Here(Tokenizer tokenizer) implements TextPlace {}

    /**
     * From the servers, which load the tokenizer themselves.
     *
     * @param pools pools whose servers can be asked, at least one
     */
    record Servers(List<Pool> pools) implements TextPlace {}
}
