package io.glyphgate.plugin.tokenizerhuggingface;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What transformers 5 makes of a tokenizer whose class is {@code LlamaTokenizer}: it keeps the vocabulary, the added tokens and
 * what stands around a text, and builds the rest anew, whatever the file says. Source: {@code tokenization_llama.py} of
 * transformers 5.19.
 *
 * @param prependScheme where a space is put before a text: always, first, or never
 */
record LlamaForm(String prependScheme) {
    private static final Set<String> CLASSES = Set.of("LlamaTokenizer", "LlamaTokenizerFast");
    private static final String SPACE = "\u2581";
    private static final Set<String> REBUILT = Set.of("normalizer", "pre_tokenizer", "decoder");

    /** The form, if the settings are those of such a tokenizer. */
    static Optional<LlamaForm> of(Map<String, @Nullable Object> settings) {
        Object type = settings.get("tokenizer_class");
        if (!(type instanceof String name) || !CLASSES.contains(name)) {
            return Optional.empty();
        }
        if (Boolean.FALSE.equals(settings.get("add_prefix_space"))) {
            return Optional.of(new LlamaForm("never"));
        }
        return Optional.of(new LlamaForm(Boolean.TRUE.equals(settings.get("legacy")) ? "always" : "first"));
    }

    /** The decoder, as the file would have it. */
    Map<String, Object> decoder() {
        List<Map<String, Object>> steps = new ArrayList<>(List.of(
                Map.of("type", "Replace", "pattern", Map.of("String", SPACE), "content", " "),
                Map.of("type", "ByteFallback"),
                Map.of("type", "Fuse")));
        if (!prependScheme.equals("never")) {
            steps.add(Map.of("type", "Strip", "content", " ", "start", 1, "stop", 0));
        }
        return Map.of("type", "Sequence", "decoders", steps);
    }

    /** The file in this form. */
    byte[] rewrite(TokenizerFile file) throws IOException {
        return file.read(json -> {
            var bytes = new ByteArrayOutputStream(1 << 20);
            try (JsonGenerator out = new JsonFactory().createGenerator(bytes)) {
                out.writeStartObject();
                while (json.nextToken() != JsonToken.END_OBJECT) {
                    String name = json.currentName();
                    json.nextToken();
                    if (name.equals("model")) {
                        out.writeFieldName(name);
                        model(json, out);
                    } else if (REBUILT.contains(name)) {
                        json.skipChildren();
                    } else {
                        out.writeFieldName(name);
                        out.copyCurrentStructure(json);
                    }
                }
                out.writeNullField("normalizer");
                out.writeFieldName("pre_tokenizer");
                value(
                        Map.of(
                                "type", "Metaspace", "replacement", SPACE, "prepend_scheme", prependScheme, "split", false),
                        out);
                out.writeFieldName("decoder");
                value(decoder(), out);
                out.writeEndObject();
            }
            return bytes.toByteArray();
        });
    }

    private static void model(JsonParser json, JsonGenerator out) throws IOException {
        out.writeStartObject();
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String name = json.currentName();
            json.nextToken();
            if (name.equals("vocab") || name.equals("merges") || name.equals("type")) {
                out.writeFieldName(name);
                out.copyCurrentStructure(json);
            } else {
                json.skipChildren();
            }
        }
        out.writeNullField("unk_token");
        out.writeBooleanField("fuse_unk", true);
        out.writeBooleanField("byte_fallback", true);
        out.writeEndObject();
    }

    private static void value(Object value, JsonGenerator out) throws IOException {
        switch (value) {
            case Map<?, ?> map -> {
                out.writeStartObject();
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    out.writeFieldName(String.valueOf(entry.getKey()));
                    value(entry.getValue(), out);
                }
                out.writeEndObject();
            }
            case List<?> list -> {
                out.writeStartArray();
                for (Object each : list) {
                    value(each, out);
                }
                out.writeEndArray();
            }
            case String text -> out.writeString(text);
            case Integer number -> out.writeNumber(number);
            case Boolean flag -> out.writeBoolean(flag);
            default -> throw new IllegalArgumentException("no JSON here: " + value);
        }
    }
}
