package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.glyphgate.spi.Tokenizer;
import java.io.IOException;
import java.util.Arrays;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The texts of the tokens of one choice, as vLLM's logprobs have them. Knows the tokens that came before, so it must be told of
 * all of them, in order.
 *
 * <p>A token that holds only part of a character has no text of its own. As in vLLM (its logprobs processor), such a
 * token is empty, and the token that completes the character has all of its text.
 */
final class TokenTexts {
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
    /** The tokens before the next one, the latest last. */
    private final int[] context = new int[CONTEXT];

    private int contextSize;

    /**
     * Texts.
     *
     * @param tokenizer gives them; null to write {@code token_id:N}, as vLLM does under {@code --return-tokens-as-token-ids}
     */
    TokenTexts(@Nullable Tokenizer tokenizer) {
        this.tokenizer = tokenizer;
    }

    /**
     * The positions of a value of the field {@code logprobs}.
     *
     * @param json holds the value, which may be null
     * @return a list, or a node that is null or missing
     * @throws MalformedJsonException if the value has not the shape of vLLM's
     */
    static JsonNode positions(byte[] json, int from, int to) throws MalformedJsonException {
        JsonNode content = content(json, from, to);
        if (!content.isNull() && !content.isMissingNode() && !content.isArray()) {
            throw new MalformedJsonException("logprobs.content is not a list");
        }
        return content;
    }

    private static JsonNode content(byte[] json, int from, int to) throws MalformedJsonException {
        try {
            JsonNode logprobs = JSON.readTree(json, from, to - from);
            return logprobs.isNull() ? logprobs : logprobs.path("content");
        } catch (JsonProcessingException e) {
            throw new MalformedJsonException("logprobs: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new AssertionError("bytes in memory do not fail", e);
        }
    }

    /** The token of an entry: {@code "token_id": 7} (vLLM 0.33) or {@code "token": "token_id:7"} (older ones). */
    static int tokenId(JsonNode entry, int position) throws MalformedJsonException {
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

    /** Whether tokens are written as {@code token_id:N}. */
    boolean placeholders() {
        return tokenizer == null;
    }

    /** The logprob of a token or candidate. */
    static double logprob(JsonNode entry) {
        JsonNode logprob = entry.path("logprob");
        return logprob.isNumber() && logprob.doubleValue() >= FLOOR ? logprob.doubleValue() : FLOOR;
    }

    /** The token that comes next, or a candidate in its place; by itself, or behind the tokens before. */
    String text(int tokenId, boolean inContext) {
        return tokenizer == null ? PLACEHOLDER + tokenId : text(tokenizer, tokenId, inContext);
    }

    /** Goes on behind tokens, of which the latest matter. */
    void goOn(int[] before) {
        for (int i = Math.max(0, before.length - CONTEXT); i < before.length; i++) {
            remember(before[i]);
        }
    }

    /** Goes on behind a token. */
    void remember(int tokenId) {
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
