package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** JSON values as maps, lists, strings, numbers, booleans and nulls. Floats are doubles. */
public final class JsonValue {
    private JsonValue() {}

    /**
     * Reads a value as Python does.
     *
     * @throws MalformedJsonException if it is no JSON
     */
    public static @Nullable Object parse(String text) throws MalformedJsonException {
        try {
            JsonNode tree = Fields.READER.readValue(text);
            if (tree.isMissingNode()) {
                throw new MalformedJsonException("there is no value");
            }
            return Json.plain(tree);
        } catch (JsonProcessingException e) {
            throw new MalformedJsonException(e.getOriginalMessage());
        }
    }

    /** The value that a text is as JSON; the text itself if it is none. */
    public static @Nullable Object orText(String text) {
        try {
            return parse(text);
        } catch (MalformedJsonException e) {
            return text;
        }
    }

    /** A value as JSON. */
    public static byte[] bytes(@Nullable Object value) {
        try {
            return Json.MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("this is no JSON value: " + value, e);
        }
    }
}
