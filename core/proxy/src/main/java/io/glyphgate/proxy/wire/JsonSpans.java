package io.glyphgate.proxy.wire;

import io.glyphgate.proxy.wire.Answer.RawValue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Walks over JSON in a byte array without building anything: where a value ends, what the next member is. It checks only
 * what it needs to find its way, and never leaves the given range.
 */
final class JsonSpans {
    private byte[] bytes = new byte[0];
    private int to;

    /** Turns to other bytes. */
    void reset(byte[] source, int end) {
        bytes = source;
        to = end;
    }

    /** The first byte at or behind a place that is no white space. */
    int skipSpace(int at) throws MalformedJsonException {
        for (int i = at; i < to; i++) {
            byte b = bytes[i];
            if (b != ' ' && b != '\n' && b != '\r' && b != '\t') {
                return i;
            }
        }
        throw new MalformedJsonException("it ends where a value is expected");
    }

    /** The place behind the byte that must come next, white space aside. */
    int expect(int at, char c) throws MalformedJsonException {
        int i = skipSpace(at);
        if (bytes[i] != c) {
            throw new MalformedJsonException("'" + c + "' expected at byte " + i);
        }
        return i + 1;
    }

    /** The place behind the string that starts at a quote. */
    int skipString(int at) throws MalformedJsonException {
        for (int i = at + 1; i < to; i++) {
            byte b = bytes[i];
            if (b == '"') {
                return i + 1;
            }
            if (b == '\\') {
                i++;
            }
        }
        throw new MalformedJsonException("it ends inside a string");
    }

    /** The place behind the value that starts at a place that is no white space. */
    int skipValue(int at) throws MalformedJsonException {
        if (at >= to) {
            throw new MalformedJsonException("it ends where a value is expected");
        }
        byte first = bytes[at];
        if (first == '"') {
            return skipString(at);
        }
        if (first == '{' || first == '[') {
            int depth = 0;
            int i = at;
            while (i < to) {
                byte b = bytes[i];
                if (b == '"') {
                    i = skipString(i);
                    continue;
                }
                if (b == '{' || b == '[') {
                    depth++;
                } else if ((b == '}' || b == ']') && --depth == 0) {
                    return i + 1;
                }
                i++;
            }
            throw new MalformedJsonException("it ends inside an object or array");
        }
        int i = at;
        while (i < to && isScalar(bytes[i])) {
            i++;
        }
        if (i == at) {
            throw new MalformedJsonException("a value is expected at byte " + at);
        }
        return i;
    }

    /**
     * The items of an array.
     *
     * @throws MalformedJsonException if the value is none
     */
    static List<RawValue> items(RawValue array) throws MalformedJsonException {
        JsonSpans json = new JsonSpans();
        json.reset(array.bytes(), array.to());
        List<RawValue> items = new ArrayList<>();
        int at = json.expect(array.from(), '[');
        while (array.bytes()[json.skipSpace(at)] != ']') {
            int value = json.skipSpace(at);
            int valueEnd = json.skipValue(value);
            items.add(new RawValue(array.bytes(), value, valueEnd));
            int next = json.skipSpace(valueEnd);
            at = array.bytes()[next] == ',' ? next + 1 : next;
        }
        return items;
    }

    private static boolean isScalar(byte b) {
        return (b >= '0' && b <= '9')
                || (b >= 'a' && b <= 'z')
                || (b >= 'A' && b <= 'Z')
                || b == '-'
                || b == '+'
                || b == '.';
    }

    /** Whether the string between two quotes is exactly this ASCII text. */
    boolean isString(int from, int end, String text) {
        return end - from == text.length() + 2 && matches(from + 1, text);
    }

    /** Whether the string between two quotes starts with this ASCII text. */
    boolean startsWith(int from, int end, String text) {
        return end - from >= text.length() + 2 && bytes[from] == '"' && matches(from + 1, text);
    }

    /** Whether a value is null. */
    boolean isNull(int from, int end) {
        return end - from == 4 && bytes[from] == 'n';
    }

    /** A string's characters. */
    String string(int from, int end) throws MalformedJsonException {
        if (bytes[from] != '"') {
            throw new MalformedJsonException("a string is expected at byte " + from);
        }
        for (int i = from + 1; i < end - 1; i++) {
            if (bytes[i] == '\\') {
                return Json.string(bytes, from, end);
            }
        }
        return new String(bytes, from + 1, end - from - 2, StandardCharsets.UTF_8);
    }

    private boolean matches(int at, String text) {
        for (int i = 0; i < text.length(); i++) {
            if (bytes[at + i] != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
