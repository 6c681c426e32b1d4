package io.glyphgate.plugin.tokenizerhuggingface;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Writes numbers, texts and arrays, one after the other, without names: {@link TableReader} reads them in the same order. The least byte
 * of a number comes first, an array or a text after its length. No two sequences of calls give the same bytes.
 */
final class TableWriter {
    private final Sink sink;
    private final ByteBuffer buffer = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);

    /** Takes the bytes. */
    @FunctionalInterface
    interface Sink {
        /** Takes all that remains in a buffer. */
        void take(ByteBuffer bytes) throws IOException;
    }

    /** Writes one element of a list. */
    @FunctionalInterface
    interface Element<T> {
        /** Writes it. */
        void write(T value) throws IOException;
    }

    TableWriter(Sink sink) {
        this.sink = sink;
    }

    void number(int value) throws IOException {
        room(Integer.BYTES);
        buffer.putInt(value);
    }

    void flag(boolean value) throws IOException {
        number(value ? 1 : 0);
    }

    /** A text, character by character: also what UTF-8 cannot express comes back. */
    void text(String value) throws IOException {
        chars(value.toCharArray());
    }

    void constant(Enum<?> value) throws IOException {
        text(value.name());
    }

    void bytes(byte[] values) throws IOException {
        number(values.length);
        for (int at = 0; at < values.length; ) {
            room(Byte.BYTES);
            int some = Math.min(values.length - at, buffer.remaining());
            buffer.put(values, at, some);
            at += some;
        }
    }

    void chars(char[] values) throws IOException {
        number(values.length);
        for (int at = 0; at < values.length; ) {
            room(Character.BYTES);
            int some = Math.min(values.length - at, buffer.remaining() / Character.BYTES);
            buffer.asCharBuffer().put(values, at, some);
            buffer.position(buffer.position() + some * Character.BYTES);
            at += some;
        }
    }

    void ints(int[] values) throws IOException {
        number(values.length);
        for (int at = 0; at < values.length; ) {
            room(Integer.BYTES);
            int some = Math.min(values.length - at, buffer.remaining() / Integer.BYTES);
            buffer.asIntBuffer().put(values, at, some);
            buffer.position(buffer.position() + some * Integer.BYTES);
            at += some;
        }
    }

    <T> void list(List<T> values, Element<T> element) throws IOException {
        number(values.size());
        for (T value : values) {
            element.write(value);
        }
    }

    /** Gives out what is held back. */
    void flush() throws IOException {
        sink.take(buffer.flip());
        buffer.clear();
    }

    private void room(int bytes) throws IOException {
        if (buffer.remaining() < bytes) {
            flush();
        }
    }
}
