package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.spi.JsonWriter;
import io.glyphgate.spi.Tokenizer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Turns the logprobs of one choice from vLLM's shape for tokens into its shape for chat: each token as text with its
 * bytes. Knows the tokens that came before, so it must see all logprobs of the choice, in order; how they are cut does
 * not matter.
 *
 * <p>It reads both shapes that servers write: {@code "token_id": 7} (vLLM 0.33) and {@code "token": "token_id:7"}
 * (older ones).
 */
public final class ChatLogprobs {
    /** All candidates that the server sent. */
    public static final int ALL = Integer.MAX_VALUE;

    private final TokenTexts texts;
    private final int candidates;

    /** A translation that writes all candidates. */
    public ChatLogprobs(@Nullable Tokenizer tokenizer) {
        this(tokenizer, ALL);
    }

    /**
     * A translation.
     *
     * @param tokenizer gives the text; null to write {@code token_id:N} and no bytes, as vLLM does under
     *     {@code --return-tokens-as-token-ids}
     * @param candidates how many candidates of a position to write, the sampled token first: {@link #ALL} as at the
     *     output mode {@code text}, or {@code sampling_params.logprobs} as at {@code derender}
     */
    public ChatLogprobs(@Nullable Tokenizer tokenizer, int candidates) {
        texts = new TokenTexts(tokenizer);
        this.candidates = candidates;
    }

    /**
     * Translates the next logprobs.
     *
     * @param json holds the value of the field {@code logprobs}, which may be null
     * @param from where the value starts
     * @param to where it ends
     * @param kept how many of the tokens belong to the output; the logprobs of the others are left out
     * @param out gains one value
     * @throws MalformedJsonException if the value has not the shape of vLLM's
     */
    public void write(byte[] json, int from, int to, int kept, JsonWriter out) throws MalformedJsonException {
        JsonNode content = TokenTexts.positions(json, from, to);
        if (!content.isArray()) {
            out.nullValue();
            return;
        }
        out.beginObject().name("content").beginArray();
        for (int i = 0; i < Math.min(kept, content.size()); i++) {
            writePosition(content.path(i), i, out);
        }
        out.endArray().endObject();
    }

    /** Goes on behind tokens that were told of before; the latest of them matter. */
    public void goOn(int[] before) {
        texts.goOn(before);
    }

    private void writePosition(JsonNode entry, int position, JsonWriter out) throws MalformedJsonException {
        JsonNode top = entry.path("top_logprobs");
        int tokenId = TokenTexts.tokenId(entry, position);
        out.beginObject();
        // Without candidates the server does not know the token's logprob either, and vLLM decodes it by itself.
        writeToken(entry, tokenId, !top.isEmpty(), out);
        out.name("top_logprobs").beginArray();
        for (int i = 0; i < Math.min(candidates, top.size()); i++) {
            JsonNode candidate = top.path(i);
            out.beginObject();
            writeToken(candidate, TokenTexts.tokenId(candidate, position), true, out);
            out.endObject();
        }
        out.endArray().endObject();
        texts.remember(tokenId);
    }

    private void writeToken(JsonNode entry, int tokenId, boolean inContext, JsonWriter out) {
        String text = texts.text(tokenId, inContext);
        out.name("token").string(text);
        out.name("logprob").number(TokenTexts.logprob(entry));
        out.name("bytes");
        if (texts.placeholders()) {
            out.nullValue();
        } else {
            out.beginArray();
            for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
                out.number(Byte.toUnsignedInt(b));
            }
            out.endArray();
        }
    }
}
