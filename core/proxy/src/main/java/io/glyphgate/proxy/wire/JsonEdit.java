package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;

/** A new value of a field. */
@FunctionalInterface
public interface JsonEdit {
    /** Writes the value. */
    void write(JsonOut out);

    /** A string. */
    static JsonEdit string(String value) {
        return out -> out.string(value);
    }

    /** A truth value. */
    static JsonEdit bool(boolean value) {
        return out -> out.bool(value);
    }

    /** Maps, lists, strings, numbers, booleans and nulls. */
    static JsonEdit plain(Object value) {
        return tree(Json.MAPPER.valueToTree(value));
    }

    /** A tree, numbers with every digit. */
    static JsonEdit tree(JsonNode tree) {
        try {
            byte[] bytes = Json.MAPPER.writeValueAsBytes(tree);
            return out -> out.rawValue(bytes, 0, bytes.length);
        } catch (JsonProcessingException e) {
            throw new AssertionError("a tree is always JSON", e);
        }
    }
}
