package io.glyphgate.plugin.tokenizerhuggingface;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads {@code tekken.json}, the vocabulary of mistral-common: special tokens first, then tokens that are bytes. */
final class TekkenJson {
    /** The special tokens of files that do not list them: those of version 7 and before. */
    private static final List<String> OLD_SPECIAL = List.of(
            "<unk>",
            "<s>",
            "</s>",
            "[INST]",
            "[/INST]",
            "[AVAILABLE_TOOLS]",
            "[/AVAILABLE_TOOLS]",
            "[TOOL_RESULTS]",
            "[/TOOL_RESULTS]",
            "[TOOL_CALLS]",
            "[IMG]",
            "<pad>",
            "[IMG_BREAK]",
            "[IMG_END]",
            "[PREFIX]",
            "[MIDDLE]",
            "[SUFFIX]",
            "[SYSTEM_PROMPT]",
            "[/SYSTEM_PROMPT]",
            "[TOOL_CONTENT]");

    private Map<?, ?> config = Map.of();
    private final List<String> special = new ArrayList<>();
    private final List<byte[]> tokens = new ArrayList<>();

    private TekkenJson() {}

    /**
     * What the file says.
     *
     * @param vocabulary the table of the tokens
     * @param specialTokens how many of the first IDs are special
     * @param pattern the regular expression that cuts a text into words
     */
    record Contents(Vocabulary vocabulary, int specialTokens, String pattern) implements Tables {
        @Override
        public void write(TableWriter out) throws IOException {
            vocabulary.write(out);
            out.number(specialTokens);
            out.text(pattern);
        }

        /** Reads what {@link #write} wrote. */
        static Contents read(TableReader in) throws IOException {
            return new Contents(Vocabulary.read(in), in.number(), in.text());
        }
    }

    /**
     * Reads the vocabulary.
     *
     * @throws IOException if it cannot be read or is not a tekken vocabulary
     */
    static Contents read(JsonParser json) throws IOException {
        return new TekkenJson().document(json);
    }

    private Contents document(JsonParser json) throws IOException {
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "config" -> {
                    if (TokenizerFile.value(json) instanceof Map<?, ?> map) {
                        config = map;
                    }
                }
                case "vocab" -> vocabulary(json);
                case "special_tokens" -> special(json);
                default -> json.skipChildren();
            }
        }
        return contents();
    }

    private void vocabulary(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.START_OBJECT) {
            byte[] bytes = null;
            while (json.nextToken() != JsonToken.END_OBJECT) {
                String name = json.currentName();
                json.nextToken();
                if (name.equals("token_bytes")) {
                    bytes = json.getBinaryValue();
                } else {
                    json.skipChildren();
                }
            }
            if (bytes == null) {
                throw new IOException("token " + tokens.size() + " of \"vocab\" has no \"token_bytes\"");
            }
            tokens.add(bytes);
        }
    }

    private void special(JsonParser json) throws IOException {
        if (TokenizerFile.value(json) instanceof List<?> list) {
            for (Object each : list) {
                if (!(each instanceof Map<?, ?> map && map.get("token_str") instanceof String token)) {
                    throw new IOException("special token " + special.size() + " has no \"token_str\"");
                }
                special.add(token);
            }
        }
    }

    private Contents contents() throws IOException {
        if (!(config.get("default_vocab_size") instanceof Integer size
                && config.get("default_num_special_tokens") instanceof Integer specialTokens
                && config.get("pattern") instanceof String pattern)) {
            throw new IOException("its \"config\" lacks \"default_vocab_size\", \"default_num_special_tokens\" or"
                    + " \"pattern\": it is not a tekken.json");
        }
        List<String> first = special.isEmpty() ? OLD_SPECIAL : special;
        if (first.size() > specialTokens || size - specialTokens > tokens.size()) {
            throw new IOException("it has " + tokens.size() + " tokens and " + first.size()
                    + " special ones, but \"config\" asks for " + (size - specialTokens) + " and " + specialTokens);
        }
        var names = new TokenNames();
        for (int id = 0; id < size; id++) {
            names.put(id, id < specialTokens ? special(first, id) : tokens.get(id - specialTokens));
        }
        var builder = new Vocabulary.Builder(names);
        for (int id = 0; id < size; id++) {
            ByteLevelDecoder.addBytes(builder, names.bytes(id), id < specialTokens, id < specialTokens);
        }
        return new Contents(builder.build(), specialTokens, pattern);
    }

    /** The token of a special ID: IDs that the file gives none have a name all the same. */
    private static byte[] special(List<String> first, int id) {
        String token = id < first.size() ? first.get(id) : "<SPECIAL_" + id + ">";
        return token.getBytes(StandardCharsets.UTF_8);
    }
}
