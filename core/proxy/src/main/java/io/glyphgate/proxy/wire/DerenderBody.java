package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.glyphgate.proxy.wire.Answer.RawValue;
import io.glyphgate.spi.InvalidRequestException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A request to a derender door of vLLM 0.33: what a server said in tokens, and the request that it said it to. Only where its
 * fields lie is found at first, because a client of a stream sends the same long fields with each chunk, and the first one is
 * enough.
 */
public final class DerenderBody {
    private static final String PROMPT_TOKENS = "prompt_tokens";
    private static final String PROMPT_TOKEN_IDS = "prompt_token_ids";
    private static final String CHUNK = "generate_chunk";
    private static final String RESPONSE = "generate_response";
    private static final String RESPONSES = "generate_responses";

    private final Kind kind;
    private final JsonObject fields;

    /** Which door it came to. */
    public enum Kind {
        /** {@code /v1/chat/completions/derender}. */
        CHAT("chat_request"),
        /** {@code /v1/completions/derender}. */
        COMPLETION("completion_request");

        private final String request;

        Kind(String request) {
            this.request = request;
        }

        /** The field that holds the request that the tokens answer. */
        public String request() {
            return request;
        }
    }

    /**
     * Tokens that a server said.
     *
     * @param response the server's answer or event, an object
     * @param path where in the body it is
     * @param promptTokens how many tokens the prompt has, as the client says; empty if it does not
     * @param promptTokenIds the prompt or the end of it; null if the client does not say
     */
    public record Said(
            RawValue response, String path, Optional<Integer> promptTokens, int @Nullable [] promptTokenIds) {}

    private DerenderBody(Kind kind, byte[] bytes) {
        this.kind = kind;
        try {
            fields = JsonObject.of(bytes);
        } catch (MalformedJsonException | IndexOutOfBoundsException e) {
            Fields.body(bytes, true); // says better what is wrong
            throw fault("json_invalid", "JSON decode error");
        }
    }

    /**
     * Finds the fields of a request.
     *
     * @throws InvalidBodyException if it is no JSON object, or a field has a wrong type
     */
    public static DerenderBody of(Kind kind, byte[] bytes) {
        return new DerenderBody(kind, bytes);
    }

    private static InvalidBodyException fault(String type, String message, Object... path) {
        return new InvalidBodyException(List.of(Invalid.of(type, Invalid.inside(List.of(Invalid.BODY), path), message, null)));
    }

    /**
     * What an answer inside of a request is said to be when it cannot be read.
     *
     * @param path where in the body it is
     * @param why what is wrong with it
     */
    public static InvalidBodyException unreadable(String path, MalformedJsonException why) {
        return fault("value_error", String.valueOf(why.getMessage()), path);
    }

    /** Whether it is one chunk of a stream. */
    public boolean stream() {
        RawValue stream = fields.value("stream");
        if (stream == null) {
            return false;
        }
        return switch (stream.bytes()[stream.from()]) {
            case 't' -> true;
            case 'f' -> false;
            default -> throw fault("literal_error", "Input should be true or false", "stream");
        };
    }

    /** The model; empty if none is named. */
    public Optional<String> model() {
        RawValue model = fields.value("model");
        if (model == null) {
            return Optional.empty();
        }
        if (model.bytes()[model.from()] != '"') {
            throw fault("string_type", "Input should be a valid string", "model");
        }
        try {
            return Optional.of(Json.string(model.bytes(), model.from(), model.to())).filter(name -> !name.isEmpty());
        } catch (MalformedJsonException e) {
            throw unreadable("model", e);
        }
    }

    /** The body with another name of the model. */
    public byte[] named(String model) {
        return fields.edit(Map.of("model", JsonEdit.string(model)));
    }

    /** The request that the tokens answer, as the client sent it to be rendered; empty if the client does not say. */
    public Optional<byte[]> request() {
        RawValue request = fields.value(kind.request);
        return Optional.ofNullable(request).map(RawValue::copy);
    }

    /** The chunk of a stream. */
    public Said chunk() {
        return said(required(CHUNK), CHUNK, fields.value(PROMPT_TOKENS), fields.value(PROMPT_TOKEN_IDS));
    }

    /** The chunk of a stream, without the tokens of the prompt, which need not be read again. */
    public Said chunkOnly() {
        return said(required(CHUNK), CHUNK, fields.value(PROMPT_TOKENS), null);
    }

    /** The whole answers of servers; one at the door of chats. */
    public List<Said> responses() {
        if (kind == Kind.CHAT) {
            return List.of(
                    said(required(RESPONSE), RESPONSE, fields.value(PROMPT_TOKENS), fields.value(PROMPT_TOKEN_IDS)));
        }
        List<RawValue> responses = items(required(RESPONSES), RESPONSES);
        List<RawValue> counts = itemsOrNone(PROMPT_TOKENS, responses.size());
        List<RawValue> prompts = itemsOrNone(PROMPT_TOKEN_IDS, responses.size());
        if (responses.isEmpty()) {
            throw new InvalidRequestException(RESPONSES, "generate_responses must not be empty");
        }
        List<Said> all = new ArrayList<>();
        for (int i = 0; i < responses.size(); i++) {
            all.add(said(
                    responses.get(i),
                    RESPONSES + "[" + i + "]",
                    counts.isEmpty() ? null : counts.get(i),
                    prompts.isEmpty() || isNull(prompts.get(i)) ? null : prompts.get(i)));
        }
        return all;
    }

    private RawValue required(String name) {
        RawValue value = fields.value(name);
        if (value == null) {
            throw fault("missing", "Field required", name);
        }
        return value;
    }

    private static boolean isNull(RawValue value) {
        return value.bytes()[value.from()] == 'n';
    }

    private List<RawValue> itemsOrNone(String name, int wanted) {
        RawValue value = fields.value(name);
        if (value == null) {
            return List.of();
        }
        List<RawValue> items = items(value, name);
        if (items.size() != wanted) {
            throw fault(
                    "value_error", name + " length (" + items.size() + ") must equal generate_responses length (" + wanted + ")", name);
        }
        return items;
    }

    private static List<RawValue> items(RawValue value, String name) {
        try {
            return JsonSpans.items(value);
        } catch (MalformedJsonException e) {
            throw fault("list_type", "Input should be a valid list", name);
        }
    }

    private static Said said(
            RawValue response, String path, @Nullable RawValue promptTokens, @Nullable RawValue promptTokenIds) {
        if (response.bytes()[response.from()] != '{') {
            throw fault("model_type", "Input should be a valid dictionary", path);
        }
        return new Said(
                response,
                path,
                promptTokens == null ? Optional.empty() : Optional.of(count(promptTokens)),
                promptTokenIds == null ? null : tokens(promptTokenIds, PROMPT_TOKEN_IDS));
    }

    private static int count(RawValue value) {
        try {
            return Math.max(0, Json.MAPPER.readValue(value.bytes(), value.from(), value.to() - value.from(), Integer.class));
        } catch (IOException e) {
            throw fault("int_parsing", "Input should be a valid integer", PROMPT_TOKENS);
        }
    }

    /** A list of token IDs. */
    static int[] tokens(RawValue value, String name) {
        int[] ids = new int[64];
        int count = 0;
        try (JsonParser parser = Json.MAPPER.createParser(value.bytes(), value.from(), value.to() - value.from())) {
            if (parser.nextToken() != JsonToken.START_ARRAY) {
                throw fault("list_type", "Input should be a valid list", name);
            }
            for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
                if (token != JsonToken.VALUE_NUMBER_INT
                        || parser.getNumberType() != JsonParser.NumberType.INT
                        || parser.getIntValue() < 0) {
                    throw fault("int_type", "Input should be a whole number from 0 on", name, count);
                }
                if (count == ids.length) {
                    ids = Arrays.copyOf(ids, 2 * count);
                }
                ids[count++] = parser.getIntValue();
            }
        } catch (JsonProcessingException e) {
            throw fault("int_type", "Input should be a whole number from 0 on", name, count);
        } catch (IOException e) {
            throw new AssertionError("bytes in memory do not fail", e);
        }
        return Arrays.copyOf(ids, count);
    }

    /** What the client carries from chunk to chunk; empty at the first one. */
    public Optional<StreamState> state() {
        RawValue state = fields.value("stream_state");
        return state == null ? Optional.empty() : Optional.of(StreamState.read(state));
    }

    /** Writes what the client carries as it came; a state of nothing at the first chunk. */
    public void writeState(JsonOut out) {
        RawValue state = fields.value("stream_state");
        if (state == null) {
            StreamState.writeFirst(out);
        } else {
            out.rawValue(state.bytes(), state.from(), state.to());
        }
    }

    /** How many bytes the request has that the tokens answer. */
    public int requestBytes() {
        return length(kind.request);
    }

    private int length(String name) {
        RawValue value = fields.value(name);
        return value == null ? 0 : value.to() - value.from();
    }

    /** A number that changes when a field does which is the same for all chunks of a stream. */
    public long fingerprint() {
        return (long) sum(kind.request) << 32 | Integer.toUnsignedLong(sum(PROMPT_TOKEN_IDS));
    }

    private int sum(String name) {
        CRC32C sum = new CRC32C();
        RawValue value = fields.value(name);
        if (value != null) {
            sum.update(value.bytes(), value.from(), value.to() - value.from());
        }
        return (int) sum.getValue();
    }
}
