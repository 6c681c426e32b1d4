package io.glyphgate.proxy.wire;

import io.glyphgate.proxy.wire.Answer.RawValue;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a JSON object, and where its fields lie in them: so that some of them can be changed while the others, and every
 * digit of every number, stay as they came.
 */
public final class JsonObject {
    private final byte[] bytes;
    private final Map<String, int[]> spans = new LinkedHashMap<>();

    private JsonObject(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Finds the fields.
     *
     * @param bytes UTF-8, which another reader has found to be a JSON object
     * @throws MalformedJsonException if it is none after all
     */
    static JsonObject of(byte[] bytes) throws MalformedJsonException {
        JsonObject object = new JsonObject(bytes);
        object.findSpans(bytes.length > 2 && bytes[0] == (byte) 0xEF ? 3 : 0, bytes.length);
        return object;
    }

    /**
     * Finds the fields of an object inside of others.
     *
     * @throws MalformedJsonException if the value is no object
     */
    static JsonObject of(RawValue value) throws MalformedJsonException {
        JsonObject object = new JsonObject(value.bytes());
        object.findSpans(value.from(), value.to());
        return object;
    }

    private void findSpans(int from, int to) throws MalformedJsonException {
        JsonSpans json = new JsonSpans();
        json.reset(bytes, to);
        int at = json.expect(from, '{');
        while (bytes[json.skipSpace(at)] != '}') {
            int name = json.skipSpace(at);
            int nameEnd = json.skipString(name);
            int value = json.skipSpace(json.expect(nameEnd, ':'));
            int valueEnd = json.skipValue(value);
            spans.put(json.string(name, nameEnd), new int[] {name, valueEnd, value});
            int next = json.skipSpace(valueEnd);
            at = bytes[next] == '}' ? next : json.expect(next, ',');
        }
        for (int end = json.skipSpace(at) + 1; end < to; end++) {
            if (bytes[end] > ' ' || bytes[end] < 0) {
                throw new MalformedJsonException("something follows the object at byte " + end);
            }
        }
    }

    /** A value as it lies in the bytes; null if the field is absent or null. */
    @Nullable RawValue value(String name) {
        int[] span = spans.get(name);
        return span == null || (span[1] - span[2] == 4 && bytes[span[2]] == 'n') ? null : new RawValue(bytes, span[2], span[1]);
    }

    /** How many bytes it has. */
    public int size() {
        return bytes.length;
    }

    /** The names of all fields. */
    public Set<String> names() {
        return spans.keySet();
    }

    /**
     * The bytes with some fields replaced, removed or added.
     *
     * @param changes new values by field name; null removes a field
     */
    public byte[] edit(Map<String, @Nullable JsonEdit> changes) {
        boolean plain = true;
        for (Map.Entry<String, @Nullable JsonEdit> change : changes.entrySet()) {
            plain &= change.getValue() == null && !spans.containsKey(change.getKey());
        }
        if (plain) {
            return bytes;
        }
        JsonOut out = new JsonOut(bytes.length + 256);
        out.beginObject();
        spans.forEach((name, span) -> {
            if (!changes.containsKey(name)) {
                out.rawValue(bytes, span[0], span[1]);
            }
        });
        changes.forEach((name, edit) -> {
            if (edit != null) {
                edit.write(out.name(name));
            }
        });
        return out.endObject().toByteArray();
    }
}
