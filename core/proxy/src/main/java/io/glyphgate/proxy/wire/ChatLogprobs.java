package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.glyphgate.spi.JsonWriter;
import io.glyphgate.spi.Tokenizer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Turns the logprobs of one choice from vLLM's shape for tokens into its shape for chat: each token as text with its
 * bytes. Knows the tokens that came before, so it must see all logprobs of the choice, in order; how they are cut does
 * not matter.
 *
 * <p>It reads both shapes that servers write: {@code "token_id": 7} (vLLM 0.33) and {@code "token": "token_id:7"}
 * (older ones).
 *
 * <p>A token that holds only part of a character has no text of its own. As in vLLM (its logprobs processor), such a
 * token is empty, and the token that completes the character has all of its text.
 */
public final class ChatLogprobs {
    /** All candidates that the server sent. */
    public static final int ALL = Integer.MAX_VALUE;

    /** The least that a logprob is written as, and what stands for one that is no number. Source: vLLM. */
    private static final double FLOOR = -9999.0;

    private static final String PLACEHOLDER = "token_id:";
    private static final char REPLACEMENT = '\uFFFD';
    /** How SentencePiece writes a space in its vocabulary. */
    private static final char SPACE_PIECE = '\u2581';
    /** A character has four bytes at most, and so at most that many tokens before the one that completes it matter. */
    private static final int CONTEXT = 4;

    // Servers that write Python's JSON may send NaN and -Infinity.
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    private final @Nullable Tokenizer tokenizer;
    private final int candidates;
    /** The tokens before the next one, the latest last. */
    private final int[] context = new int[CONTEXT];

    private int contextSize;

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
        this.tokenizer = tokenizer;
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
        JsonNode content = read(json, from, to);
        if (content.isNull() || content.isMissingNode()) {
            out.nullValue();
            return;
        }
        if (!content.isArray()) {
            throw new MalformedJsonException("logprobs.content is not a list");
        }
        out.beginObject().name("content").beginArray();
        for (int i = 0; i < Math.min(kept, content.size()); i++) {
            writePosition(content.path(i), i, out);
        }
        out.endArray().endObject();
    }

    private static JsonNode read(byte[] json, int from, int to) throws MalformedJsonException {
        try {
            JsonNode logprobs = JSON.readTree(json, from, to - from);
            return logprobs.isNull() ? logprobs : logprobs.path("content");
        } catch (JsonProcessingException e) {
            throw new MalformedJsonException("logprobs: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new AssertionError("bytes in memory do not fail", e);
        }
    }

    private void writePosition(JsonNode entry, int position, JsonWriter out) throws MalformedJsonException {
        JsonNode top = entry.path("top_logprobs");
        int tokenId = tokenId(entry, position);
        out.beginObject();
        // Without candidates the server does not know the token's logprob either, and vLLM decodes it by itself.
        writeToken(entry, tokenId, !top.isEmpty(), out);
        out.name("top_logprobs").beginArray();
        for (int i = 0; i < Math.min(candidates, top.size()); i++) {
            JsonNode candidate = top.path(i);
            out.beginObject();
            writeToken(candidate, tokenId(candidate, position), true, out);
            out.endObject();
        }
        out.endArray().endObject();
        remember(tokenId);
    }

    private static int tokenId(JsonNode entry, int position) throws MalformedJsonException {
        JsonNode id = entry.path("token_id");
        if (id.canConvertToInt() && id.isIntegralNumber()) {
            return id.intValue();
        }
        String token = entry.path("token").asText("");
        if (token.startsWith(PLACEHOLDER)) {
            try {
                return Integer.parseInt(token, PLACEHOLDER.length(), token.length(), 10);
            } catch (NumberFormatException e) {
                throw malformed(position, e);
            }
        }
        throw malformed(position, null);
    }

    private static MalformedJsonException malformed(int position, @Nullable Throwable cause) {
        MalformedJsonException malformed = new MalformedJsonException(
                "logprobs.content[" + position + "] has a token without \"token_id\": N or \"token\": \"token_id:N\"");
        malformed.initCause(cause);
        return malformed;
    }

    private void writeToken(JsonNode entry, int tokenId, boolean inContext, JsonWriter out) {
        JsonNode logprob = entry.path("logprob");
        out.name("token");
        byte[] bytes = null;
        if (tokenizer == null) {
            out.string(PLACEHOLDER + tokenId);
        } else {
            String text = text(tokenizer, tokenId, inContext);
            bytes = text.getBytes(StandardCharsets.UTF_8);
            out.string(text);
        }
        out.name("logprob").number(logprob.isNumber() ? atLeastFloor(logprob.doubleValue()) : FLOOR);
        out.name("bytes");
        if (bytes == null) {
            out.nullValue();
        } else {
            out.beginArray();
            for (byte b : bytes) {
                out.number(Byte.toUnsignedInt(b));
            }
            out.endArray();
        }
    }

    private static double atLeastFloor(double logprob) {
        return logprob >= FLOOR ? logprob : FLOOR;
    }

    private void remember(int tokenId) {
        if (contextSize == CONTEXT) {
            System.arraycopy(context, 1, context, 0, CONTEXT - 1);
            contextSize--;
        }
        context[contextSize++] = tokenId;
    }

    private String text(Tokenizer decoder, int tokenId, boolean inContext) {
        String alone = decoder.decode(new int[] {tokenId}, false);
        if (!inContext) {
            return alone;
        }
        String spaced = withLeadingSpaces(decoder, tokenId, alone);
        return endsBroken(spaced) ? completed(decoder, tokenId) : spaced;
    }

    /**
     * Gives back the spaces that a SentencePiece decoder strips from the start of a text. Behind another token they
     * stay; the vocabulary says whether they are the token's own.
     */
    private static String withLeadingSpaces(Tokenizer decoder, int tokenId, String alone) {
        String twice = decoder.decode(new int[] {tokenId, tokenId}, false);
        if (twice.length() == 2 * alone.length() || !twice.startsWith(alone)) {
            return alone;
        }
        String behind = twice.substring(alone.length());
        return decoder.tokenId(behind.replace(' ', SPACE_PIECE)).equals(OptionalInt.of(tokenId)) ? behind : alone;
    }

    /**
     * What a token that holds part of a character adds to the text: with the first few tokens before it that make whole
     * characters, the text behind those of them that were whole by themselves; nothing if the character is still not
     * whole.
     */
    private String completed(Tokenizer decoder, int tokenId) {
        for (int before = 1; before <= contextSize; before++) {
            int[] tokens = Arrays.copyOfRange(context, contextSize - before, contextSize);
            String text = decoder.decode(append(tokens, tokenId), false);
            if (endsBroken(text)) {
                continue;
            }
            int whole = before;
            while (whole > 0 && endsBroken(decoder.decode(new int[] {tokens[whole - 1]}, false))) {
                whole--;
            }
            String known = whole == 0 ? "" : decoder.decode(Arrays.copyOf(tokens, whole), false);
            return text.substring(commonLength(known, text));
        }
        return "";
    }

    private static int[] append(int[] tokens, int tokenId) {
        int[] more = Arrays.copyOf(tokens, tokens.length + 1);
        more[tokens.length] = tokenId;
        return more;
    }

    private static int commonLength(String a, String b) {
        int length = 0;
        while (length < Math.min(a.length(), b.length()) && a.charAt(length) == b.charAt(length)) {
            length++;
        }
        return length;
    }

    private static boolean endsBroken(String text) {
        return !text.isEmpty() && text.charAt(text.length() - 1) == REPLACEMENT;
    }
}
