package io.glyphgate.benchmarks;

import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.TokenizerProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The parsers of the class path, and the tokenizer of the checkout: one for all families. */
record Installed(Registry parsers, Tokenizer tokenizer) {
    private static final Path TOKENIZER = Path.of("distribution/src/main/tokenizers/qwen3");

    /**
     * Loads them.
     *
     * @throws IOException if the program runs neither in the checkout nor in one of its modules
     */
    static Installed load() throws IOException {
        Registry parsers = Registry.of(Installed.class.getClassLoader());
        TokenizerProvider provider = parsers.find(TokenizerProvider.class, "huggingface").orElseThrow();
        Path source = Files.exists(TOKENIZER) ? TOKENIZER : Path.of("../..").resolve(TOKENIZER);
        return new Installed(parsers, provider.load(source.toAbsolutePath().normalize().toUri(), Map.of()));
    }
}
