package io.glyphgate.plugin.tokenizerhuggingface;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads {@code tokenizer.json} and the {@code tokenizer_config.json} beside it. */
final class TokenizerJson {
    private static final String END_OF_SEQUENCE = "eos_token";
    private static final String ADDED_TOKENS = "added_tokens_decoder";

    /** The keys of {@code tokenizer_config.json} whose tokens are special, in the order of the transformers library. */
    private static final List<String> NAMED_SPECIAL = List.of(
            "bos_token",
            END_OF_SEQUENCE,
            "unk_token",
            "sep_token",
            "pad_token",
            "cls_token",
            "mask_token",
            "additional_special_tokens",
            "extra_special_tokens");

    /** Far over any vocabulary: the tables have a place for each ID. */
    private static final int LARGEST_ID = (1 << 24) - 1;

    private final TokenNames names = new TokenNames();
    private final List<AddedToken> tokens = new ArrayList<>();
    private final BitSet added = new BitSet();
    private final BitSet special = new BitSet();
    private @Nullable Object decoder;
    private int modelSize;
    private boolean model;
    private final List<String> configOnly = new ArrayList<>();
    private OptionalInt endOfSequence = OptionalInt.empty();

    private TokenizerJson() {}

    /**
     * What the files say.
     *
     * @param vocabulary the table of the tokens
     * @param decoder how they become text
     * @param configOnly tokens that only {@code tokenizer_config.json} knows
     * @param endOfSequence the token that ends an output, by {@code tokenizer_config.json}
     * @param added the tokens that {@code tokenizer.json} adds
     */
    record Contents(
            Vocabulary vocabulary,
            DecoderSpec decoder,
            List<String> configOnly,
            OptionalInt endOfSequence,
            List<AddedToken> added)
            implements Tables {
        /** Where a text can be cut. */
        Cuts cuts() {
            return Cuts.of(added, vocabulary.names()::find);
        }

        @Override
        public void write(TableWriter out) throws IOException {
            vocabulary.write(out);
            decoder.write(out);
            out.list(configOnly, out::text);
            out.list(endOfSequence.stream().boxed().toList(), out::number);
            out.list(added, token -> token.write(out));
        }

        /** Reads what {@link #write} wrote. */
        static Contents read(TableReader in) throws IOException {
            return new Contents(
                    Vocabulary.read(in),
                    DecoderSpec.read(in),
                    in.list(in::text),
                    in.list(in::number).stream().mapToInt(Integer::intValue).findFirst(),
                    in.list(() -> AddedToken.read(in)));
        }
    }

    /**
     * What counts beside {@code tokenizer.json}, and nothing else does.
     *
     * @param rebuilt the form that takes the place of the file's own
     * @param settings what {@code tokenizer_config.json} says of tokens
     */
    record Besides(Optional<LlamaForm> rebuilt, Map<String, @Nullable Object> settings) {
        /**
         * What counts.
         *
         * @param settings all of {@code tokenizer_config.json}
         */
        Besides {
            Map<String, @Nullable Object> counting = new LinkedHashMap<>();
            counting.put(ADDED_TOKENS, settings.get(ADDED_TOKENS));
            for (String key : NAMED_SPECIAL) {
                counting.put(key, settings.get(key));
            }
            settings = Collections.unmodifiableMap(counting);
        }

        /** The same, as JSON would have it. */
        List<?> json() {
            return List.of("tokenizer.json", rebuilt.map(LlamaForm::prependScheme).stream().toList(), settings);
        }
    }

    /**
     * Reads the tokenizer.
     *
     * @param json before the first token of the {@code tokenizer.json}
     * @param besides what counts beside it
     * @throws IOException if it cannot be read or is not a tokenizer
     */
    static Contents read(JsonParser json, Besides besides) throws IOException {
        var reader = new TokenizerJson();
        reader.document(json);
        besides.rebuilt().ifPresent(form -> reader.decoder = form.decoder());
        reader.config(besides.settings());
        return reader.contents();
    }

    private void document(JsonParser json) throws IOException {
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String name = json.currentName();
            JsonToken value = json.nextToken();
            switch (name) {
                case "added_tokens" -> {
                    if (TokenizerFile.value(json) instanceof List<?> list) {
                        for (Object each : list) {
                            if (each instanceof Map<?, ?> map) {
                                tokens.add(AddedToken.of(map));
                            }
                        }
                    }
                }
                case "decoder" -> decoder = TokenizerFile.value(json);
                case "model" -> {
                    if (value != JsonToken.START_OBJECT) {
                        throw new IOException("\"model\" is not an object");
                    }
                    model(json);
                }
                default -> json.skipChildren();
            }
        }
        if (!model) {
            throw new IOException("it has no \"model\" with a \"vocab\": it is not a tokenizer.json");
        }
        modelSize = names.count();
        add(tokens);
    }

    private void model(JsonParser json) throws IOException {
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String name = json.currentName();
            JsonToken value = json.nextToken();
            if (!name.equals("vocab")) {
                json.skipChildren();
            } else if (value == JsonToken.START_OBJECT) {
                model = true;
                while (json.nextToken() != JsonToken.END_OBJECT) {
                    String token = json.currentName();
                    json.nextToken();
                    names.put(id(json, token), token.getBytes(StandardCharsets.UTF_8));
                }
            } else if (value == JsonToken.START_ARRAY) {
                // Unigram: [token, score] each
                model = true;
                int id = 0;
                while (json.nextToken() == JsonToken.START_ARRAY) {
                    json.nextToken();
                    names.put(id++, json.getText().getBytes(StandardCharsets.UTF_8));
                    while (json.nextToken() != JsonToken.END_ARRAY) {
                        json.skipChildren();
                    }
                }
            }
        }
    }

    private static int id(JsonParser json, String token) throws IOException {
        long id = json.currentToken() == JsonToken.VALUE_NUMBER_INT ? json.getLongValue() : -1;
        if (id < 0 || id > LARGEST_ID) {
            throw new IOException("the ID of the token \"" + token + "\" is " + json.getText()
                    + ", not a number from 0 to " + LARGEST_ID);
        }
        return (int) id;
    }

    /** Adds tokens as the tokenizers library does: it goes by the text, and does not read the IDs in the file. */
    private void add(List<AddedToken> more) {
        int next = Math.max(modelSize, added.length());
        for (AddedToken token : more) {
            if (token.content().isEmpty()) {
                continue;
            }
            int id = names.find(token.content());
            if (id < 0) {
                id = next++;
                names.put(id, token.content().getBytes(StandardCharsets.UTF_8));
            }
            added.set(id);
            if (token.special()) {
                special.set(id);
            }
        }
    }

    /** Adds what the transformers library adds from the configuration. */
    private void config(Map<String, @Nullable Object> settings) throws IOException {
        int known = names.size();
        var more = new ArrayList<AddedToken>();
        var named = new TreeMap<Integer, List<String>>();
        for (int order = 0; order < NAMED_SPECIAL.size(); order++) {
            var contents = new ArrayList<String>();
            collect(settings.get(NAMED_SPECIAL.get(order)), contents);
            named.put(order, contents);
        }
        if (settings.get(ADDED_TOKENS) instanceof Map<?, ?> map) {
            var sorted = new TreeMap<Long, AddedToken>();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                if (entry.getValue() instanceof Map<?, ?> token) {
                    sorted.put(idOf(entry.getKey()), AddedToken.of(token));
                }
            }
            more.addAll(sorted.values());
        }
        add(more);
        // a token that is added already keeps its flag
        add(named.values().stream()
                .flatMap(List::stream)
                .filter(content -> names.find(content) < 0 || !added.get(names.find(content)))
                .map(AddedToken::special)
                .toList());
        for (int id = known; id < names.size(); id++) {
            configOnly.add(names.text(id));
        }
        endOfSequence = named.getOrDefault(NAMED_SPECIAL.indexOf(END_OF_SEQUENCE), List.of()).stream()
                .mapToInt(names::find)
                .filter(id -> id >= 0)
                .findFirst();
    }

    private static long idOf(Object key) throws IOException {
        try {
            return Long.parseLong(String.valueOf(key));
        } catch (NumberFormatException e) {
            throw new IOException(
                    "\"" + ADDED_TOKENS + "\" of the tokenizer_config.json beside it has the key \"" + key
                            + "\", which is not a token ID",
                    e);
        }
    }

    /** Collects the tokens of a value: a string, an object that has a token inside, or several of either. */
    private static void collect(@Nullable Object value, List<String> contents) {
        if (value instanceof String content) {
            contents.add(content);
        } else if (value instanceof Map<?, ?> map && map.get("content") instanceof String content) {
            contents.add(content);
        } else if (value instanceof Map<?, ?> map) {
            map.values().forEach(each -> collect(each, contents));
        } else if (value instanceof List<?> list) {
            list.forEach(each -> collect(each, contents));
        }
    }

    private Contents contents() {
        DecoderSpec spec = DecoderSpec.of(decoder);
        var builder = new Vocabulary.Builder(names);
        for (int id = 0; id < names.size(); id++) {
            if (names.has(id)) {
                spec.add(builder, names.text(id), special.get(id), added.get(id));
            } else {
                builder.add(Vocabulary.NONE, "", false, false);
            }
        }
        return new Contents(builder.build(), spec, List.copyOf(configOnly), endOfSequence, List.copyOf(tokens));
    }
}
