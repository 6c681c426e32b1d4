package io.glyphgate.proxy.wire;

import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Answers about tokens and texts as JSON. */
public final class TokenAnswers {
    private TokenAnswers() {}

    /** The answer of {@code /tokenize}; no strings is null there. */
    public static byte[] tokenize(int[] tokens, OptionalInt maxLength, @Nullable List<@Nullable String> strings) {
        JsonOut out = counted(tokens, maxLength).name("token_strs");
        if (strings == null) {
            out.nullValue();
        } else {
            strings(out, strings);
        }
        return out.endObject().toByteArray();
    }

    /** The answer of {@code /v2/tokenizer}. */
    public static byte[] tokenizeVersion2(int[] tokens, OptionalInt maxLength) {
        return counted(tokens, maxLength).endObject().toByteArray();
    }

    private static JsonOut counted(int[] tokens, OptionalInt maxLength) {
        JsonOut out = new JsonOut(64 + 7 * tokens.length);
        out.beginObject().name("count").number(tokens.length).name("max_model_len");
        if (maxLength.isPresent()) {
            out.number(maxLength.getAsInt());
        } else {
            out.nullValue();
        }
        return ids(out.name("tokens"), tokens);
    }

    private static JsonOut ids(JsonOut out, int[] tokens) {
        out.beginArray();
        for (int id : tokens) {
            out.number(id);
        }
        return out.endArray();
    }

    private static JsonOut strings(JsonOut out, List<? extends @Nullable String> strings) {
        out.beginArray();
        for (String each : strings) {
            if (each == null) {
                out.nullValue();
            } else {
                out.string(each);
            }
        }
        return out.endArray();
    }

    /** The answer of {@code /detokenize} and {@code /v2/decode}. */
    public static byte[] prompt(String text) {
        return new JsonOut().beginObject().name("prompt").string(text).endObject().toByteArray();
    }

    /** The answer of {@code /v1/tokenizer}; the strings only where they are asked for. */
    public static byte[] happyTokens(int[] tokens, @Nullable List<? extends @Nullable String> strings) {
        JsonOut out = new JsonOut(64 + 7 * tokens.length);
        ids(out.beginObject().name("tokens_ids"), tokens).name("tokens_nb").number(tokens.length);
        return happyStrings(out, strings);
    }

    /** The answer of {@code /v1/decode}; the strings only where they are asked for. */
    public static byte[] happyText(String text, @Nullable List<? extends @Nullable String> strings) {
        return happyStrings(new JsonOut().beginObject().name("decoded_string").string(text), strings);
    }

    private static byte[] happyStrings(JsonOut out, @Nullable List<? extends @Nullable String> strings) {
        if (strings != null) {
            strings(out.name("tokens_str"), strings);
        }
        return out.endObject().toByteArray();
    }

    /** The answer of {@code /v1/split_text}. */
    public static byte[] split(List<String> chunks) {
        return strings(new JsonOut().beginObject().name("split_text"), chunks).endObject().toByteArray();
    }

    /** The answer of {@code /v1/metadata_text}. */
    public static byte[] metadata(int tokens, String cutOff) {
        JsonOut out = new JsonOut().beginObject().name("tokens_nb").number(tokens);
        return out.name("truncated_text").string(cutOff).endObject().toByteArray();
    }

    /**
     * The answer of {@code /v1/info}.
     *
     * @param version the version of this proxy
     * @param model the model's name
     * @param maxLength how many tokens prompt and output may have together
     */
    public static byte[] info(String version, String model, OptionalInt maxLength) {
        JsonOut out = new JsonOut().beginObject();
        out.name("application").string("glyphgate").name("version").string(version);
        out.name("vllm_version").nullValue(); // several servers of several versions may stand behind the model
        out.name("model_name").string(model).name("truncation_side").string("left").name("max_length");
        if (maxLength.isPresent()) {
            out.number(maxLength.getAsInt());
        } else {
            out.nullValue();
        }
        return out.name("extra_information").beginObject().endObject().endObject().toByteArray();
    }
}
