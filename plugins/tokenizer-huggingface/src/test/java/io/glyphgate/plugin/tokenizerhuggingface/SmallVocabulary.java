package io.glyphgate.plugin.tokenizerhuggingface;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Writes tokenizer files of a few tokens. */
final class SmallVocabulary {
    private SmallVocabulary() {}

    /**
     * A {@code tokenizer.json} in the given folder. The tokens have the IDs from 0 on; {@code added} comes after them.
     */
    static Path write(Path folder, String decoder, List<String> tokens, String... added) throws IOException {
        StringBuilder vocab = new StringBuilder();
        for (int id = 0; id < tokens.size(); id++) {
            vocab.append(id == 0 ? "" : ",").append(string(tokens.get(id))).append(':').append(id);
        }
        String addedTokens = List.of(added).stream().collect(Collectors.joining(","));
        return Files.writeString(
                folder.resolve("tokenizer.json"),
                """
                {"version": "1.0", "truncation": null, "padding": null, "added_tokens": [%s], "normalizer": null,
                 "pre_tokenizer": null, "post_processor": null, "decoder": %s,
                 "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
                           "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false,
                           "vocab": {%s}, "merges": []}}
                """
                        .formatted(addedTokens, decoder, vocab));
    }

    /** An entry of {@code added_tokens}. */
    static String added(int id, String content, boolean special) {
        return """
                {"id": %d, "content": %s, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
                 "special": %s}
                """
                .formatted(id, string(content), special);
    }

    private static String string(String text) {
        return text.chars()
                .mapToObj(c ->
                        c < 0x20 || c == '"' || c == '\\' ? String.format("\\u%04x", c) : String.valueOf((char) c))
                .collect(Collectors.joining("", "\"", "\""));
    }
}
