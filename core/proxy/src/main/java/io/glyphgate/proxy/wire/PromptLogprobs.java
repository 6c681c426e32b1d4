package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.wire.Answer.RawValue;
import io.glyphgate.spi.Tokenizer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** {@code prompt_logprobs} of an answer: for each token of the prompt null, or its candidates by their IDs. */
public final class PromptLogprobs {
    private PromptLogprobs() {}

    static JsonNode read(RawValue value) throws MalformedJsonException {
        try {
            JsonNode all = Fields.READER.readValue(
                    new String(value.bytes(), value.from(), value.to() - value.from(), StandardCharsets.UTF_8));
            if (!all.isArray()) {
                throw new MalformedJsonException("prompt_logprobs is not a list");
            }
            return all;
        } catch (JsonProcessingException e) {
            throw new MalformedJsonException("prompt_logprobs: " + e.getOriginalMessage());
        }
    }

    static int tokenId(String name) throws MalformedJsonException {
        try {
            return Integer.parseInt(name);
        } catch (NumberFormatException e) {
            MalformedJsonException malformed = new MalformedJsonException("prompt_logprobs has a candidate '" + name + "'");
            malformed.initCause(e);
            throw malformed;
        }
    }

    /**
     * Writes them with the texts of the tokens, which a server without a tokenizer leaves out.
     *
     * @param value the server's
     * @param tokenizer gives the texts
     * @param out gains one value
     */
    public static void write(RawValue value, Tokenizer tokenizer, JsonOut out) throws MalformedJsonException {
        JsonNode all = read(value);
        TokenTexts texts = new TokenTexts(tokenizer);
        for (JsonNode position : all) {
            for (Map.Entry<String, JsonNode> candidate : position.properties()) {
                if (candidate.getValue() instanceof ObjectNode entry && entry.path("decoded_token").isNull()) {
                    entry.put("decoded_token", texts.text(tokenId(candidate.getKey()), true));
                }
                double logprob = TokenTexts.logprob(candidate.getValue());
                if (candidate.getValue() instanceof ObjectNode entry && entry.path("logprob").asDouble() != logprob) {
                    entry.put("logprob", logprob);
                }
            }
        }
        JsonEdit.tree(all).write(out);
    }
}
