package io.glyphgate.proxy.wire;

import io.glyphgate.spi.JsonWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * JSON, or any bytes, being written into one growing buffer that is reused for the next event. Puts the commas itself: a
 * value or a name that follows another value in the same object or array is preceded by one.
 */
public final class JsonOut implements JsonWriter {
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);

    private byte[] buffer;
    private int length;
    private boolean comma;

    /** A buffer that starts with room for a usual event. */
    public JsonOut() {
        this(1024);
    }

    /** A buffer that starts with room for so many bytes. */
    public JsonOut(int capacity) {
        buffer = new byte[capacity];
    }

    /** Forgets what was written behind a length. */
    public void truncate(int to) {
        length = to;
        comma = false;
    }

    /** Empties the buffer. */
    public void clear() {
        length = 0;
        comma = false;
    }

    /** How many bytes were written. */
    public int length() {
        return length;
    }

    /** The bytes written: the first {@link #length()} of the array, valid until the next call. */
    public byte[] buffer() {
        return buffer;
    }

    /** A copy of the bytes written. */
    public byte[] toByteArray() {
        return Arrays.copyOf(buffer, length);
    }

    /** Gives all bytes to a stream in one write. */
    public void writeTo(OutputStream out) throws IOException {
        out.write(buffer, 0, length);
    }

    /** Copies bytes as they are. Says nothing about commas. */
    public JsonOut bytes(byte[] source, int from, int to) {
        int count = to - from;
        room(count);
        System.arraycopy(source, from, buffer, length, count);
        length += count;
        return this;
    }

    /** Copies bytes as they are. Says nothing about commas. */
    public JsonOut bytes(byte[] source) {
        return bytes(source, 0, source.length);
    }

    /** Copies whole values or whole members that are JSON already. */
    public JsonOut rawValue(byte[] source, int from, int to) {
        separate();
        bytes(source, from, to);
        comma = true;
        return this;
    }

    /** Ends a whole value: what comes next stands alone, without a comma before it. */
    public JsonOut endValue() {
        comma = false;
        return this;
    }

    @Override
    public JsonOut beginObject() {
        return open('{');
    }

    @Override
    public JsonOut endObject() {
        return close('}');
    }

    @Override
    public JsonOut beginArray() {
        return open('[');
    }

    @Override
    public JsonOut endArray() {
        return close(']');
    }

    @Override
    public JsonOut name(String name) {
        separate();
        quoted(name);
        put(':');
        comma = false;
        return this;
    }

    @Override
    public JsonOut string(CharSequence value) {
        separate();
        quoted(value);
        comma = true;
        return this;
    }

    @Override
    public JsonOut number(long value) {
        separate();
        digits(value);
        comma = true;
        return this;
    }

    @Override
    public JsonOut number(double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("JSON has no number " + value);
        }
        separate();
        ascii(Double.toString(value));
        comma = true;
        return this;
    }

    @Override
    public JsonOut bool(boolean value) {
        separate();
        ascii(value ? "true" : "false");
        comma = true;
        return this;
    }

    @Override
    public JsonOut nullValue() {
        return rawValue(NULL, 0, NULL.length);
    }

    private JsonOut open(char bracket) {
        separate();
        put(bracket);
        comma = false;
        return this;
    }

    private JsonOut close(char bracket) {
        put(bracket);
        comma = true;
        return this;
    }

    private void separate() {
        if (comma) {
            put(',');
        }
    }

    private void put(char c) {
        room(1);
        buffer[length++] = (byte) c;
    }

    private void ascii(String text) {
        room(text.length());
        for (int i = 0; i < text.length(); i++) {
            buffer[length++] = (byte) text.charAt(i);
        }
    }

    private void digits(long value) {
        if (value < 0 || value >= 1_000_000_000L) {
            ascii(Long.toString(value));
            return;
        }
        int rest = (int) value;
        int digits = 1;
        for (int n = rest; n >= 10; n /= 10) {
            digits++;
        }
        room(digits);
        for (int at = length + digits - 1; at >= length; at--) {
            buffer[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += digits;
    }

    private void quoted(CharSequence text) {
        int count = text.length();
        room(count * 6 + 2);
        buffer[length++] = '"';
        for (int i = 0; i < count; i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                ascii(c);
            } else if (c < 0x800) {
                buffer[length++] = (byte) (0xC0 | (c >> 6));
                buffer[length++] = (byte) (0x80 | (c & 0x3F));
            } else if (Character.isHighSurrogate(c) && i + 1 < count && Character.isLowSurrogate(text.charAt(i + 1))) {
                int point = Character.toCodePoint(c, text.charAt(++i));
                buffer[length++] = (byte) (0xF0 | (point >> 18));
                buffer[length++] = (byte) (0x80 | ((point >> 12) & 0x3F));
                buffer[length++] = (byte) (0x80 | ((point >> 6) & 0x3F));
                buffer[length++] = (byte) (0x80 | (point & 0x3F));
            } else if (Character.isSurrogate(c)) {
                // half a character has no UTF-8, but JSON can spell it, and the other half may be in the next event
                escape(c);
            } else {
                buffer[length++] = (byte) (0xE0 | (c >> 12));
                buffer[length++] = (byte) (0x80 | ((c >> 6) & 0x3F));
                buffer[length++] = (byte) (0x80 | (c & 0x3F));
            }
        }
        buffer[length++] = '"';
    }

    private void ascii(char c) {
        if (c >= 0x20 && c != '"' && c != '\\') {
            buffer[length++] = (byte) c;
            return;
        }
        switch (c) {
            case '"', '\\' -> pair(c);
            case '\n' -> pair('n');
            case '\r' -> pair('r');
            case '\t' -> pair('t');
            case '\b' -> pair('b');
            case '\f' -> pair('f');
            default -> escape(c);
        }
    }

    private void pair(char c) {
        buffer[length++] = '\\';
        buffer[length++] = (byte) c;
    }

    private void escape(char c) {
        buffer[length++] = '\\';
        buffer[length++] = 'u';
        for (int shift = 12; shift >= 0; shift -= 4) {
            buffer[length++] = HEX[(c >> shift) & 0xF];
        }
    }

    private void room(int more) {
        if (length + more > buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, length + more));
        }
    }
}
