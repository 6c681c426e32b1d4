package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;

/** The OpenAPI document of the doors that are open. */
public final class ApiDocument {
    private static final String PATHS = "paths";

    private ApiDocument() {}

    /**
     * The document of some doors.
     *
     * @param whole the document of all doors
     * @param version the version of this proxy
     * @param prefix what stands before the paths of happy_vLLM's doors
     * @param open the doors that are open: the method, such as POST, by the path without the prefix
     * @throws IllegalStateException if the document does not describe one of them
     */
    public static byte[] of(byte[] whole, String version, String prefix, Map<String, String> open) {
        try {
            ObjectNode document = (ObjectNode) Json.MAPPER.readTree(whole);
            ((ObjectNode) document.path("info")).put("version", version);
            JsonNode described = document.path(PATHS);
            ObjectNode paths = document.putObject(PATHS);
            open.forEach((path, method) -> {
                JsonNode door = described.path(path);
                JsonNode operation = door.path(method.toLowerCase(Locale.ROOT));
                if (operation.isMissingNode()) {
                    throw new IllegalStateException("the OpenAPI document does not describe " + method + " " + path);
                }
                boolean happy = operation.path("tags").path(0).asText().equals("happy_vllm");
                paths.set((happy ? prefix : "") + path, door);
            });
            return Json.MAPPER.writeValueAsBytes(document);
        } catch (IOException e) {
            throw new IllegalStateException("the OpenAPI document cannot be read", e);
        }
    }
}
