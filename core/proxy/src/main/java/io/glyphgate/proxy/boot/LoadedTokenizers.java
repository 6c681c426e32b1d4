package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.TokenizerProvider;
import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;

/** Tokenizers, each loaded once: models that name the same one share it. */
final class LoadedTokenizers implements AutoCloseable {
    private final Map<Source, Tokenizer> loaded = new LinkedHashMap<>();

    private record Source(TokenizerProvider provider, URI place, Map<String, String> options) {}

    /**
     * The tokenizer of a source.
     *
     * @throws IOException if its provider cannot load it
     */
    synchronized Tokenizer load(TokenizerProvider provider, URI place, Map<String, String> options) throws IOException {
        Source source = new Source(provider, place, options);
        Tokenizer known = loaded.get(source);
        if (known == null) {
            known = Registry.withLoaderOf(provider, () -> provider.load(place, options));
            loaded.put(source, known);
        }
        return known;
    }

    @Override
    public synchronized void close() {
        loaded.values().forEach(Tokenizer::close);
        loaded.clear();
    }
}
