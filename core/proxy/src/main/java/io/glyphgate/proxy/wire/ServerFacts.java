package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reads what a server says of itself; what cannot be read is empty. */
public final class ServerFacts {
    private ServerFacts() {}

    /** The version in an answer of {@code /version}; {@code unknown} if it says none. */
    public static String version(byte[] json) {
        return read(json).path("version").asText("unknown");
    }

    /** The names in an answer of {@code /v1/models}. */
    public static List<String> models(byte[] json) {
        List<String> names = new ArrayList<>();
        read(json).path("data").forEach(model -> names.add(model.path("id").asText()));
        return names;
    }

    /** The message of an error. */
    public static String errorMessage(byte[] json) {
        return read(json).path("error").path("message").asText();
    }

    /** A string as JSON. */
    public static String quoted(String text) {
        return Json.MAPPER.getNodeFactory().textNode(text).toString();
    }

    private static JsonNode read(byte[] json) {
        try {
            return Json.MAPPER.readTree(json);
        } catch (IOException e) {
            return Json.MAPPER.missingNode(); // not JSON, so it says nothing
        }
    }
}
