package io.glyphgate.plugin.tokenizerhuggingface;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The options of a tokenizer in the configuration.
 *
 * @param stack the library that its servers use
 * @param promptCache how many bytes the tokens of known parts of prompts may take; 0 to know none
 * @param vocabularyCache the folder that keeps the tables of vocabularies, if they are kept
 */
record Options(Stack stack, long promptCache, Optional<Path> vocabularyCache) {
    private static final String STACK = "stack";
    private static final String PROMPT_CACHE = "prompt-cache";
    private static final String VOCABULARY_CACHE = "vocabulary-cache";
    private static final List<String> NAMES = List.of(STACK, PROMPT_CACHE, VOCABULARY_CACHE);
    private static final Pattern SIZE = Pattern.compile("(\\d{1,6})(B|KiB|MiB)?");

    /**
     * Reads them.
     *
     * @throws IOException if there is one that is not known, or that cannot be read
     */
    static Options of(Map<String, String> options) throws IOException {
        for (String option : options.keySet()) {
            if (!NAMES.contains(option)) {
                throw new IOException("the tokenizer provider huggingface has no option \"" + option + "\": it has "
                        + String.join(", ", NAMES));
            }
        }
        return new Options(
                Stack.named(options.getOrDefault(STACK, Stack.TOKENIZERS.label())),
                bytes(options.getOrDefault(PROMPT_CACHE, "16MiB")),
                vocabularyCache(Optional.ofNullable(options.get(VOCABULARY_CACHE))));
    }

    /** The folder of an installation is known where it was started by its launcher. */
    private static Optional<Path> vocabularyCache(Optional<String> text) throws IOException {
        if (text.isEmpty()) {
            return Optional.ofNullable(System.getProperty("glyphgate.home")).map(home -> Path.of(home, "cache", "vocabularies"));
        }
        if (text.get().equals("none")) {
            return Optional.empty();
        }
        try {
            Path folder = Path.of(text.get());
            if (folder.isAbsolute()) {
                return Optional.of(folder);
            }
        } catch (InvalidPathException e) {
            throw new IOException("the option " + VOCABULARY_CACHE + " is no path: " + e.getMessage(), e);
        }
        throw new IOException("the option " + VOCABULARY_CACHE + " is \"" + text.get()
                + "\": write the whole path of a folder, which begins at the root, or none");
    }

    private static long bytes(String text) throws IOException {
        Matcher size = SIZE.matcher(text);
        if (!size.matches()) {
            throw new IOException("the option " + PROMPT_CACHE + " is \"" + text + "\": write a size such as 16MiB, or 0");
        }
        long number = Long.parseLong(size.group(1));
        return switch (String.valueOf(size.group(2))) {
            case "KiB" -> number << 10;
            case "MiB" -> number << 20;
            default -> number;
        };
    }
}
