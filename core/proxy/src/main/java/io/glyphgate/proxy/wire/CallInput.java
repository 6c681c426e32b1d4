package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The arguments of a call as an object, which Anthropic's API wants, where others have the text that the model wrote. */
public final class CallInput {
    private static final ObjectReader STRICT =
            Json.MAPPER.readerFor(JsonNode.class).with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private CallInput() {}

    /** Whether arguments are one whole object. */
    static boolean isWhole(String arguments) {
        try {
            return STRICT.readValue(arguments) instanceof ObjectNode;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Writes arguments. Those that are one object stay as they are; of others, cut off for instance, the members that are whole are
     * an object.
     *
     * @param arguments what the model wrote
     */
    public static void write(String arguments, JsonOut out) {
        if (isWhole(arguments)) {
            byte[] bytes = arguments.getBytes(StandardCharsets.UTF_8);
            out.rawValue(bytes, 0, bytes.length);
        } else {
            JsonEdit.tree(wholeMembers(arguments)).write(out);
        }
    }

    private static ObjectNode wholeMembers(String arguments) {
        ObjectNode members = Json.MAPPER.createObjectNode();
        try (JsonParser parser = Json.MAPPER.createParser(arguments)) {
            JsonToken token = parser.nextToken() == JsonToken.START_OBJECT ? parser.nextToken() : null;
            while (token == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                JsonNode value = parser.readValueAsTree();
                boolean atEnd = parser.currentLocation().getCharOffset() >= arguments.length();
                if (!(value.isNumber() && atEnd)) { // a number may go on
                    members.set(name, value);
                }
                token = parser.nextToken();
            }
        } catch (IOException e) {
            return members; // the rest is not whole
        }
        return members;
    }
}
