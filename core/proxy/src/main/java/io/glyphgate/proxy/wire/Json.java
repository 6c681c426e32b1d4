package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.glyphgate.spi.InvalidRequestException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The one Jackson mapper: numbers keep every digit, and images in a request may be long strings. */
final class Json {
    private static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNumberLength(10_000)
                    .build())
            .build();
    static final ObjectMapper MAPPER = JsonMapper.builder(FACTORY)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .nodeFactory(JsonNodeFactory.instance)
            .build();
    /** Reads a value in the middle of a document. */
    static final ObjectReader PART =
            MAPPER.readerFor(JsonNode.class).without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private Json() {}

    /** Jackson would read other encodings, too, but what is passed on in pieces must be one. */
    static void requireUtf8(byte[] bytes) {
        for (int i = 0; i < Math.min(4, bytes.length); i++) {
            if (bytes[i] == 0 || bytes[i] == (byte) 0xFE || bytes[i] == (byte) 0xFF) {
                throw new InvalidRequestException("", "The body must be JSON in UTF-8.");
            }
        }
    }

    static String string(byte[] bytes, int from, int to) throws MalformedJsonException {
        try {
            return MAPPER.readValue(bytes, from, to - from, String.class);
        } catch (JsonProcessingException e) {
            throw new MalformedJsonException(e.getOriginalMessage());
        } catch (IOException e) {
            throw new AssertionError("bytes in memory do not fail", e);
        }
    }

    /** An object as plain values. */
    static Map<String, @Nullable Object> object(byte[] bytes, int from, int to) throws MalformedJsonException {
        try {
            JsonNode node = MAPPER.readTree(bytes, from, to - from);
            if (!node.isObject()) {
                throw new MalformedJsonException("an object is expected instead of " + node);
            }
            Map<String, @Nullable Object> map = new LinkedHashMap<>();
            node.properties().forEach(e -> map.put(e.getKey(), plain(e.getValue())));
            return map;
        } catch (JsonProcessingException e) {
            throw new MalformedJsonException(e.getOriginalMessage());
        } catch (IOException e) {
            throw new AssertionError("bytes in memory do not fail", e);
        }
    }

    /** Maps, lists, strings, numbers, booleans and nulls in place of a tree. */
    static @Nullable Object plain(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT -> {
                Map<String, @Nullable Object> map = new LinkedHashMap<>();
                node.properties().forEach(e -> map.put(e.getKey(), plain(e.getValue())));
                yield map;
            }
            case ARRAY -> {
                List<@Nullable Object> list = StreamSupport.stream(node.spliterator(), false)
                        .<@Nullable Object>map(Json::plain)
                        .toList();
                yield list;
            }
            case STRING -> node.textValue();
            case NUMBER -> node.numberValue();
            case BOOLEAN -> node.booleanValue();
            case NULL, MISSING -> null;
            case BINARY, POJO -> throw new IllegalArgumentException("not JSON: " + node.getNodeType());
        };
    }
}
