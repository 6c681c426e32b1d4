package io.glyphgate.benchmarks;

import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.TokenizerProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The parsers of the class path, and the tokenizer of the checkout: one for all families. */
public record Installed(Registry parsers, Tokenizer tokenizer) implements AutoCloseable {
    private static final Path TOKENIZER = Path.of("distribution/src/main/tokenizers/qwen3");

    /**
     * Loads them.
     *
     * @throws IOException if the program does not run inside the checkout
     */
    public static Installed load() throws IOException {
        Registry parsers = Registry.of(Installed.class.getClassLoader());
        TokenizerProvider provider = parsers.find(TokenizerProvider.class, "huggingface").orElseThrow();
        return new Installed(parsers, provider.load(checkedOut(TOKENIZER).toUri(), Map.of()));
    }

    /** A file or folder of the checkout, by its path from the top. */
    static Path checkedOut(Path path) {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve(path)) && folder.getParent() != null) {
            folder = folder.getParent();
        }
        return folder.resolve(path);
    }

    @Override
    public void close() {
        tokenizer.close();
        parsers.close();
    }
}
