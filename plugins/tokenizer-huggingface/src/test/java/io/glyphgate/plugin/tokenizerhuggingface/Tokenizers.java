package io.glyphgate.plugin.tokenizerhuggingface;

import io.glyphgate.spi.Tokenizer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tokenizers of the tests. Four come with the project, two of them as another one with added tokens; more, one
 * folder each, lie where the system property {@code glyphgate.tokenizers} says, if it is set.
 */
final class Tokenizers {
    private static final Path MODULE = Path.of(System.getProperty("basedir", ""));
    private static final Path RESOURCES = MODULE.resolve("src/test/resources/tokenizers");
    private static final Path QWEN3 = MODULE.resolve("../../distribution/src/main/tokenizers/qwen3");
    private static final Path LLAMA2 = RESOURCES.resolve("llama2");

    private static final Map<String, Tokenizer> LOADED = new ConcurrentHashMap<>();

    private Tokenizers() {}

    /** Where a tokenizer lies, if it is at hand. */
    static Optional<Path> folder(String name) {
        return switch (name) {
            case "qwen3" -> Optional.of(QWEN3);
            case "llama2" -> Optional.of(LLAMA2);
            case "qwen3_kimi" -> Optional.of(withConfig(QWEN3, name));
            case "llama2_ernie" -> Optional.of(withConfig(LLAMA2, name));
            default ->
                Optional.ofNullable(System.getProperty("glyphgate.tokenizers"))
                        .map(folder -> Path.of(folder, name))
                        .filter(Files::isDirectory);
        };
    }

    /** A folder for files that a test makes. */
    static Path workFolder(String name) throws IOException {
        return Files.createDirectories(MODULE.resolve("target/tokenizers").resolve(name));
    }

    /** A folder with a tokenizer and the configuration that adds tokens to it. */
    private static Path withConfig(Path tokenizer, String config) {
        try {
            Path folder = workFolder(config);
            for (Path file : List.of(
                    tokenizer.resolve("tokenizer.json.gz"),
                    RESOURCES.resolve(config).resolve("tokenizer_config.json"))) {
                Files.copy(file, folder.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A tokenizer that comes with the project. It is loaded once and never closed. */
    static Tokenizer load(String name) {
        return LOADED.computeIfAbsent(name, key -> load(folder(key).orElseThrow()));
    }

    /** What a {@code tokenizer.json} says, together with settings. */
    static TokenizerJson.Contents parsed(TokenizerFile file, Map<String, Object> settings) throws IOException {
        var besides = new TokenizerJson.Besides(Optional.empty(), settings);
        return file.read(json -> TokenizerJson.read(json, besides));
    }

    static Tokenizer load(Path source) {
        try {
            return new HuggingFaceTokenizerProvider().load(source.toUri(), Map.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
