package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.spi.InvalidRequestException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A request to {@code abort_requests}. */
public final class AbortBody {
    private static final String IDS = "request_ids";

    private AbortBody() {}

    /**
     * Reads the IDs.
     *
     * @return at least one
     * @throws InvalidRequestException if there are none
     */
    public static List<String> parse(byte[] bytes) {
        Json.requireUtf8(bytes);
        JsonNode ids;
        try {
            ids = Json.MAPPER.readTree(bytes).path(IDS);
        } catch (JsonProcessingException e) {
            throw new InvalidRequestException("", "The body is not valid JSON: " + e.getOriginalMessage() + ".");
        } catch (IOException e) {
            throw new AssertionError("bytes in memory do not fail", e);
        }
        if (ids.isMissingNode() || ids.isNull()) {
            throw new InvalidRequestException(IDS, "Missing 'request_ids' in request body");
        }
        if (!ids.isArray() || ids.isEmpty()) {
            // a server takes an empty list for all requests
            throw new InvalidRequestException(IDS, "request_ids must be an array of at least one request ID.");
        }
        List<String> list = new ArrayList<>();
        for (JsonNode id : ids) {
            if (!id.isTextual() || id.textValue().isEmpty()) {
                throw GenerateBody.wrongType(IDS + "[" + list.size() + "]", "a request ID");
            }
            list.add(id.textValue());
        }
        return list;
    }

    /** Writes a body for a server. */
    public static byte[] toJson(Collection<String> ids) {
        JsonOut out = new JsonOut();
        out.beginObject().name(IDS).beginArray();
        ids.forEach(out::string);
        return out.endArray().endObject().toByteArray();
    }
}
