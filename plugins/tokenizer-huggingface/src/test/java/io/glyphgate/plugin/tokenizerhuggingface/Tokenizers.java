package io.glyphgate.plugin.tokenizerhuggingface;

import io.glyphgate.spi.Tokenizer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tokenizers of the tests. Two come with the project; more, one folder each, lie where the system property {@code
 * glyphgate.tokenizers} says, if it is set.
 */
final class Tokenizers {
    private static final Map<String, Tokenizer> LOADED = new ConcurrentHashMap<>();

    private Tokenizers() {}

    /** Where a tokenizer lies, if it is at hand. */
    static Optional<Path> folder(String name) {
        Path module = Path.of(System.getProperty("basedir", ""));
        Path given = Path.of(System.getProperty("glyphgate.tokenizers", ""), name);
        return switch (name) {
            case "qwen3" -> Optional.of(module.resolve("../../distribution/src/main/tokenizers/qwen3"));
            case "llama2" -> Optional.of(module.resolve("src/test/resources/tokenizers/llama2"));
            default ->
                System.getProperty("glyphgate.tokenizers") != null && Files.isDirectory(given)
                        ? Optional.of(given)
                        : Optional.empty();
        };
    }

    /** A tokenizer that comes with the project. It is loaded once and never closed. */
    static Tokenizer load(String name) {
        return LOADED.computeIfAbsent(name, key -> load(folder(key).orElseThrow()));
    }

    static Tokenizer load(Path source) {
        try {
            return new HuggingFaceTokenizerProvider().load(source.toUri(), Map.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
