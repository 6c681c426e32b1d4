package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Questions to a server's {@code /tokenize} and {@code /detokenize}, and its answers. */
public final class ServerTokens {
    private static final String MODEL = "model";
    private static final String TOKENS = "tokens";

    private ServerTokens() {}

    /** Asks for the tokens of a text. */
    public static byte[] tokenize(String model, String text, boolean addSpecialTokens) {
        JsonOut out = new JsonOut().beginObject().name(MODEL).string(model).name("prompt").string(text);
        return out.name("add_special_tokens").bool(addSpecialTokens).endObject().toByteArray();
    }

    /** Asks for the text of tokens. */
    public static byte[] detokenize(String model, int[] tokens) {
        JsonOut out = new JsonOut().beginObject().name(MODEL).string(model).name(TOKENS).beginArray();
        for (int id : tokens) {
            out.number(id);
        }
        return out.endArray().endObject().toByteArray();
    }

    /** A client's body with the name under which the servers know the model. */
    public static byte[] named(byte[] body, String model) {
        return bytes(Fields.body(body, true).put(MODEL, model));
    }

    /** A client's body of {@code /v2/tokenizer} whose messages count, for {@code /tokenize}: without what it ignores. */
    public static byte[] chatOnly(byte[] body, String model) {
        ObjectNode fields = Fields.body(body, true).put(MODEL, model);
        return bytes(fields.without(List.of("prompt", "tools", "return_token_strs")));
    }

    /** An answer of {@code /tokenize} without what version 2 does not have. */
    public static byte[] withoutStrings(byte[] answer) {
        return bytes(answer(answer).without(List.of("token_strs")));
    }

    /** The tokens of an answer of {@code /tokenize}. */
    public static int[] tokens(byte[] answer) {
        JsonNode list = answer(answer).path(TOKENS);
        int[] tokens = new int[list.size()];
        for (int i = 0; i < tokens.length; i++) {
            tokens[i] = list.get(i).asInt();
        }
        return tokens;
    }

    /** The text of an answer of {@code /detokenize}. */
    public static String prompt(byte[] answer) {
        return answer(answer).path("prompt").asText();
    }

    /** The limit in an answer of {@code /tokenize}. */
    public static OptionalInt maxLength(byte[] answer) {
        JsonNode length = answer(answer).path("max_model_len");
        return length.isInt() ? OptionalInt.of(length.intValue()) : OptionalInt.empty();
    }

    /** The chat template in an answer of {@code /tokenizer_info}. */
    public static Optional<String> chatTemplate(byte[] answer) {
        return Optional.ofNullable(answer(answer).path("chat_template").textValue());
    }

    private static ObjectNode answer(byte[] answer) {
        try {
            if (Json.MAPPER.readTree(answer) instanceof ObjectNode object) {
                return object;
            }
            throw new BadAnswerException("it is no JSON object");
        } catch (IOException e) {
            throw new BadAnswerException(String.valueOf(e.getMessage()));
        }
    }

    private static byte[] bytes(JsonNode tree) {
        try {
            return Json.MAPPER.writeValueAsBytes(tree);
        } catch (JsonProcessingException e) {
            throw new AssertionError("a tree is always JSON", e);
        }
    }
}
