package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One thing that is wrong with a request, as FastAPI and vLLM report it.
 *
 * @param type a stable name of the rule that is broken, as pydantic names it
 * @param path where in the body: names and numbers
 * @param message what is wrong
 * @param input what stands there; null for JSON's null and for nothing
 * @param reason more about the fault; empty if the message says all
 */
record Invalid(String type, List<Object> path, String message, @Nullable JsonNode input, String reason) {
    static final String BODY = "body";

    static Invalid of(String type, List<Object> path, String message, @Nullable JsonNode input) {
        return new Invalid(type, path, message, input, "");
    }

    /** The same fault, told of a place inside of another one. */
    static List<Object> inside(List<Object> path, Object... steps) {
        List<Object> longer = new ArrayList<>(path);
        longer.addAll(List.of(steps));
        return longer;
    }

    void write(JsonOut out) {
        out.beginObject().name("type").string(type).name("loc").beginArray();
        for (Object step : path) {
            if (step instanceof Integer index) {
                out.number(index);
            } else {
                out.string(String.valueOf(step));
            }
        }
        out.endArray().name("msg").string(message).name("input");
        if (input == null) {
            out.nullValue();
        } else {
            JsonEdit.tree(input).write(out);
        }
        if (!reason.isEmpty()) {
            out.name("ctx").beginObject().name("error").string(reason).endObject();
        }
        out.endObject();
    }
}
