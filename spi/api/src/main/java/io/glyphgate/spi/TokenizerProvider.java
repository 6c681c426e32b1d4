package io.glyphgate.spi;

import java.io.IOException;
import java.net.URI;
import java.util.Map;

/**
 * Loads tokenizers. Named by {@code provider} in the {@code tokenizer} block of a model's configuration.
 *
 * @since 1.0
 */
public interface TokenizerProvider extends Provider {
    /**
     * Loads a tokenizer.
     *
     * @param source where the operator says it is; a {@code file:} URI for a path in the configuration
     * @param options the other keys of the {@code tokenizer} block; possibly empty
     * @return the tokenizer, ready to use
     * @throws IOException if it cannot be read or is not a tokenizer; the message says what is wrong with the source
     */
    Tokenizer load(URI source, Map<String, String> options) throws IOException;
}
