package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.spi.GenerateRequest;
import io.glyphgate.spi.InvalidRequestException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request to {@code /inference/v1/generate} as the client sent it. Its bytes are kept, so that fields that the proxy does
 * not know, and every digit of every number, reach the server as they came; only the prompt is read into an array, the rest
 * into a tree.
 */
public final class GenerateBody implements GenerateRequest {
    private static final String TOKEN_IDS = "token_ids";
    private static final String RETURN_IDS = "return_tokens_as_token_ids";
    private static final String SAMPLING_PARAMS = "sampling_params";
    private static final String TRANSFER_PARAMS = "kv_transfer_params";
    private static final String EXTRA_ARGS = "extra_args";

    private final JsonObject spans;
    private final ObjectNode fields = Json.MAPPER.createObjectNode();
    private int[] tokenIds = new int[0];

    private GenerateBody(byte[] bytes) {
        try {
            spans = read(bytes);
        } catch (JsonProcessingException e) {
            JsonLocation at = e.getLocation();
            throw new InvalidRequestException("", "The body is not valid JSON: " + e.getOriginalMessage()
                    + (at == null ? "." : " (line " + at.getLineNr() + ", column " + at.getColumnNr() + ")."));
        } catch (MalformedJsonException e) {
            throw new InvalidRequestException("", "The body is not valid JSON: " + e.getMessage() + ".");
        } catch (IOException e) {
            throw new AssertionError("bytes in memory do not fail", e);
        }
    }

    /**
     * Reads a request.
     *
     * @param bytes the body, UTF-8
     * @throws InvalidRequestException if it is no JSON object, or a field that the proxy reads has a wrong type
     */
    public static GenerateBody parse(byte[] bytes) {
        GenerateBody body = new GenerateBody(bytes);
        body.checkPrompt();
        body.check();
        return body;
    }

    /**
     * Reads a request whose prompt only a server can make, of the texts that another request holds: one without
     * {@code token_ids}.
     *
     * @param bytes the body, UTF-8
     */
    static GenerateBody withoutPrompt(byte[] bytes) {
        GenerateBody body = new GenerateBody(bytes);
        body.check();
        return body;
    }

    private JsonObject read(byte[] bytes) throws IOException {
        Json.requireUtf8(bytes);
        try (JsonParser parser = Json.MAPPER.createParser(bytes)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new InvalidRequestException("", "The body must be a JSON object.");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                JsonToken token = parser.nextToken();
                if (name.equals(TOKEN_IDS) && token == JsonToken.START_ARRAY) {
                    tokenIds = readTokenIds(parser);
                    fields.putArray(TOKEN_IDS);
                } else {
                    fields.set(name, Json.PART.<JsonNode>readValue(parser));
                }
            }
            if (parser.nextToken() != null) {
                throw new InvalidRequestException("", "Something follows the JSON object of the body.");
            }
        }
        return JsonObject.of(bytes);
    }

    private static int[] readTokenIds(JsonParser parser) throws IOException {
        int[] ids = new int[256];
        int count = 0;
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            if (token != JsonToken.VALUE_NUMBER_INT
                    || parser.getNumberType() != JsonParser.NumberType.INT
                    || parser.getIntValue() < 0) {
                throw new InvalidRequestException(
                        "token_ids[" + count + "]",
                        "token_ids must hold whole numbers from 0 on, but entry " + count + " is "
                                + (token.isStructStart() ? "no number" : parser.getText()) + ".");
            }
            if (count == ids.length) {
                ids = Arrays.copyOf(ids, 2 * count);
            }
            ids[count++] = parser.getIntValue();
        }
        return Arrays.copyOf(ids, count);
    }

    private void checkPrompt() {
        if (!fields.has(TOKEN_IDS)) {
            throw new InvalidRequestException(TOKEN_IDS, "token_ids is missing: the token IDs of the prompt.");
        }
        if (!fields.get(TOKEN_IDS).isArray()) {
            throw wrongType(TOKEN_IDS, "an array of token IDs");
        }
        if (tokenIds.length == 0) {
            throw new InvalidRequestException(TOKEN_IDS, "token_ids is empty: it needs at least one token ID.");
        }
    }

    private void check() {
        if (!fields.has(SAMPLING_PARAMS)) {
            throw new InvalidRequestException(
                    SAMPLING_PARAMS, "sampling_params is missing: send {} to take the server's defaults.");
        }
        if (!fields.get(SAMPLING_PARAMS).isObject()) {
            throw wrongType(SAMPLING_PARAMS, "an object");
        }
        text("model");
        text("output_mode");
        text("request_id");
        bool(fields, "stream", "");
        returnsTokensAsIds();
        for (String name : List.of("detokenize", "skip_special_tokens", "spaces_between_special_tokens",
                "include_stop_str_in_output")) {
            bool(sampling(), name, SAMPLING_PARAMS + ".");
        }
        stop();
        minTokens();
        choices();
        if (present(fields, "stream_options") && !fields.get("stream_options").isObject()) {
            throw wrongType("stream_options", "an object");
        }
        if (fields.get("stream_options") instanceof ObjectNode options) {
            bool(options, "include_usage", "stream_options.");
            bool(options, "continuous_usage_stats", "stream_options.");
        }
    }

    @Override
    public String model() {
        return text("model").orElse("");
    }

    @Override
    public String outputMode() {
        return text("output_mode").orElse("tokens");
    }

    @Override
    public boolean stream() {
        return bool(fields, "stream", "").orElse(false);
    }

    @Override
    public boolean hasParseContext() {
        return present(fields, "parse_context") || present(fields, "chat_request");
    }

    @Override
    public int[] promptTokenIds() {
        return tokenIds;
    }

    @Override
    public Optional<Object> field(String... path) {
        JsonNode node = fields;
        for (String name : path) {
            node = node.path(name);
        }
        if (path.length == 1 && path[0].equals(TOKEN_IDS)) {
            return Optional.of(Arrays.stream(tokenIds).boxed().toList());
        }
        return Optional.ofNullable(Json.plain(node));
    }

    /** How many bytes it has. */
    public int size() {
        return spans.size();
    }

    /** Whether the client named a model. */
    public boolean hasModel() {
        return text("model").isPresent();
    }

    /** {@code request_id}. */
    public Optional<String> requestId() {
        return text("request_id");
    }

    /** Whether the client sent a {@code chat_request}. */
    public boolean hasChatRequest() {
        return present(fields, "chat_request");
    }

    /** {@code sampling_params.stop}, a string or a list in the request; without empty strings. */
    public List<String> stop() {
        JsonNode stop = sampling().path("stop");
        if (stop.isTextual()) {
            if (stop.textValue().isEmpty()) {
                throw new InvalidRequestException(SAMPLING_PARAMS + ".stop", "A stop string must not be empty.");
            }
            return List.of(stop.textValue());
        }
        List<String> strings = new ArrayList<>();
        if (stop.isArray()) {
            for (JsonNode entry : stop) {
                if (!entry.isTextual()) {
                    throw wrongType(SAMPLING_PARAMS + ".stop[" + strings.size() + "]", "a string");
                }
                if (entry.textValue().isEmpty()) {
                    throw new InvalidRequestException(
                            SAMPLING_PARAMS + ".stop[" + strings.size() + "]", "A stop string must not be empty.");
                }
                strings.add(entry.textValue());
            }
        } else if (present(sampling(), "stop")) {
            throw wrongType(SAMPLING_PARAMS + ".stop", "a string or an array of strings");
        }
        return strings;
    }

    /** {@code sampling_params.min_tokens}. */
    public int minTokens() {
        return whole("min_tokens", 0);
    }

    /** {@code sampling_params.n}. */
    public int choices() {
        return whole("n", 1);
    }

    /** {@code sampling_params.logprobs}; -1 if none are asked for. */
    public int logprobs() {
        JsonNode node = sampling().path("logprobs");
        return node.canConvertToInt() ? node.intValue() : -1;
    }

    /** A truth value of {@code sampling_params}. */
    public boolean sampling(String name, boolean fallback) {
        return bool(sampling(), name, SAMPLING_PARAMS + ".").orElse(fallback);
    }

    /** Whether {@code sampling_params} holds this field and it is not null. */
    public boolean hasSampling(String name) {
        return present(sampling(), name);
    }

    /** Whether logprobs name tokens by their IDs: {@code return_tokens_as_token_ids}, at the top or in the chat request. */
    public boolean returnsTokensAsIds() {
        return bool(fields, RETURN_IDS, "").orElse(false)
                || (fields.get("chat_request") instanceof ObjectNode chat && bool(chat, RETURN_IDS, "chat_request.").orElse(false));
    }

    /** A truth value of {@code stream_options}; false if absent. */
    public boolean streamOption(String name) {
        return fields.get("stream_options") instanceof ObjectNode options
                && bool(options, name, "stream_options.").orElse(false);
    }

    /**
     * What {@code parse_context} or {@code chat_request} says about parsing.
     *
     * @throws InvalidRequestException if both are there, or one holds what cannot be
     */
    public ParseRequest parseRequest() {
        return ParseRequestReader.read(fields.get("parse_context"), fields.get("chat_request"));
    }

    /** {@code parse_context} as it came, or what {@code chat_request} says in its place; empty if there is neither. */
    public Map<String, Object> parseContext() {
        JsonNode context = hasChatRequest() ? ParseRequestReader.parseContext((ObjectNode) fields.get("chat_request")) : fields.get("parse_context");
        return context instanceof ObjectNode object ? ParseRequestReader.plain(object) : Map.of();
    }

    /**
     * Reads a parse context that stands alone.
     *
     * @throws InvalidRequestException if it is no JSON object, or holds what cannot be
     */
    public static ParseRequest parseContext(byte[] bytes) {
        try {
            return ParseRequestReader.read(Json.MAPPER.readTree(bytes), null);
        } catch (JsonProcessingException e) {
            throw new InvalidRequestException("", "The parse context is not valid JSON: " + e.getOriginalMessage() + ".");
        } catch (IOException e) {
            throw new AssertionError("bytes in memory do not fail", e);
        }
    }

    /**
     * The body for a server: the client's bytes with some fields replaced, removed or added.
     *
     * @param changes new values by field name; null removes a field
     */
    public byte[] edit(Map<String, @Nullable JsonEdit> changes) {
        return spans.edit(changes);
    }

    /**
     * Who has a lower one goes first. What is no whole number counts as 0; the server says what it thinks of it. Source: {@code
     * priority}
     */
    public long priority() {
        JsonNode given = fields.path("priority");
        return given.canConvertToLong() && given.isIntegralNumber() ? given.longValue() : 0;
    }

    /** The names of all fields. */
    public Set<String> names() {
        return spans.names();
    }

    /** Whether the client sent {@code kv_transfer_params}, at the top or in the sampling parameters. */
    public boolean hasTransferParams() {
        return present(fields, TRANSFER_PARAMS) || sampling().path(EXTRA_ARGS).hasNonNull(TRANSFER_PARAMS);
    }

    /**
     * {@code sampling_params} with changes.
     *
     * @param without fields to remove
     * @param with fields to set, as values of JSON
     * @param transfer {@code extra_args.kv_transfer_params}, where servers older than the field at the top look for them;
     *     null leaves them as they are, and no parameters remove them
     */
    public JsonEdit sampling(
            Collection<String> without, Map<String, Object> with, @Nullable Map<String, @Nullable Object> transfer) {
        ObjectNode copy = sampling().deepCopy();
        copy.remove(without);
        with.forEach((name, value) -> copy.set(name, Json.MAPPER.valueToTree(value)));
        if (transfer != null && (!transfer.isEmpty() || copy.path(EXTRA_ARGS).has(TRANSFER_PARAMS))) {
            ObjectNode extra = copy.path(EXTRA_ARGS) instanceof ObjectNode given ? given : copy.putObject(EXTRA_ARGS);
            if (transfer.isEmpty()) {
                extra.remove(TRANSFER_PARAMS);
            } else {
                extra.set(TRANSFER_PARAMS, Json.MAPPER.valueToTree(transfer));
            }
        }
        return JsonEdit.tree(copy);
    }

    /** {@code parse_context} made of {@code chat_request}, for servers that know only the former. */
    public JsonEdit parseContextOfChatRequest() {
        return JsonEdit.tree(ParseRequestReader.parseContext((ObjectNode) fields.get("chat_request")));
    }

    private ObjectNode sampling() {
        return (ObjectNode) fields.get(SAMPLING_PARAMS);
    }

    private Optional<String> text(String name) {
        if (!present(fields, name)) {
            return Optional.empty();
        }
        if (!fields.get(name).isTextual()) {
            throw wrongType(name, "a string");
        }
        return Optional.of(fields.get(name).textValue());
    }

    private int whole(String name, int fallback) {
        if (!present(sampling(), name)) {
            return fallback;
        }
        JsonNode node = sampling().get(name);
        if (!node.isIntegralNumber() || !node.canConvertToInt() || node.intValue() < fallback) {
            throw wrongType(SAMPLING_PARAMS + "." + name, "a whole number from " + fallback + " on");
        }
        return node.intValue();
    }

    private static Optional<Boolean> bool(ObjectNode node, String name, String prefix) {
        if (!present(node, name)) {
            return Optional.empty();
        }
        if (!node.get(name).isBoolean()) {
            throw wrongType(prefix + name, "true or false");
        }
        return Optional.of(node.get(name).booleanValue());
    }

    private static boolean present(ObjectNode node, String name) {
        return node.hasNonNull(name);
    }

    static InvalidRequestException wrongType(String path, String expected) {
        return new InvalidRequestException(path, path + " must be " + expected + ".");
    }
}
