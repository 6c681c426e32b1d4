package io.glyphgate.testkit;

import io.glyphgate.spi.GenerateRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A request with given fields.
 *
 * @param fields the fields of the body as JSON has them: maps, lists, text, numbers and truth values
 * @since 1.0
 */
public record TestGenerateRequest(Map<String, Object> fields) implements GenerateRequest {
    /** Copies the map. */
    public TestGenerateRequest {
        fields = Map.copyOf(fields);
    }

    /**
     * This request with one field set.
     *
     * @param name the name of the field
     * @param value the value
     * @return another request
     */
    public TestGenerateRequest with(String name, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(fields);
        more.put(name, value);
        return new TestGenerateRequest(more);
    }

    @Override
    public String model() {
        return field("model").map(String.class::cast).orElse("test-model");
    }

    @Override
    public String outputMode() {
        return field("output_mode").map(String.class::cast).orElse("tokens");
    }

    @Override
    public boolean stream() {
        return field("stream").equals(Optional.of(true));
    }

    @Override
    public boolean hasParseContext() {
        return fields.containsKey("parse_context") || fields.containsKey("chat_request");
    }

    @Override
    public int[] promptTokenIds() {
        return new int[] {1, 2, 3};
    }

    @Override
    public Optional<Object> field(String... path) {
        Object value = fields;
        for (String name : path) {
            if (!(value instanceof Map<?, ?> object) || !object.containsKey(name)) {
                return Optional.empty();
            }
            value = object.get(name);
        }
        return Optional.ofNullable(value);
    }
}
