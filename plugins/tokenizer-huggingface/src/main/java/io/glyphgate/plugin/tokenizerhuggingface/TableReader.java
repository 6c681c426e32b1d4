package io.glyphgate.plugin.tokenizerhuggingface;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.zip.CRC32;

/**
 * Reads what a {@link TableWriter} wrote. Every length is compared with what is left before there is memory taken for it. What was read
 * may be trusted once {@link #end} has returned.
 */
final class TableReader {
    private final ReadableByteChannel channel;
    private final CRC32 checksum = new CRC32();
    private final ByteBuffer buffer =
            ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN).limit(0);
    /** How many bytes there are that were not given out. */
    private long left;

    /** The bytes are not those that were written. */
    static final class Damaged extends IOException {
        private static final long serialVersionUID = 1;

        Damaged(String message) {
            super(message);
        }
    }

    /** Reads what consists of several values. */
    @FunctionalInterface
    interface Form<T> {
        /** Reads it. */
        T read(TableReader in) throws IOException;
    }

    /** Reads one element of a list. */
    @FunctionalInterface
    interface Element<T> {
        /** Reads it. */
        T read() throws IOException;
    }

    /**
     * Reads from where the channel stands.
     *
     * @param length how many bytes there are
     */
    TableReader(ReadableByteChannel channel, long length) {
        this.channel = channel;
        left = length;
    }

    int number() throws IOException {
        take(Integer.BYTES);
        fill(Integer.BYTES);
        return buffer.getInt();
    }

    /** A number from 0 to below a bound. */
    int below(int bound) throws IOException {
        int number = number();
        check(number >= 0 && number < bound);
        return number;
    }

    boolean flag() throws IOException {
        return below(2) == 1;
    }

    String text() throws IOException {
        return new String(chars());
    }

    <E extends Enum<E>> E constant(Class<E> type) throws IOException {
        String name = text();
        return Arrays.stream(type.getEnumConstants())
                .filter(constant -> constant.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new Damaged("it has the unknown value " + name));
    }

    byte[] bytes() throws IOException {
        byte[] values = new byte[count(Byte.BYTES)];
        for (int at = 0; at < values.length; ) {
            fill(Byte.BYTES);
            int some = Math.min(values.length - at, buffer.remaining());
            buffer.get(values, at, some);
            at += some;
        }
        return values;
    }

    char[] chars() throws IOException {
        char[] values = new char[count(Character.BYTES)];
        for (int at = 0; at < values.length; ) {
            fill(Character.BYTES);
            int some = Math.min(values.length - at, buffer.remaining() / Character.BYTES);
            buffer.asCharBuffer().get(values, at, some);
            buffer.position(buffer.position() + some * Character.BYTES);
            at += some;
        }
        return values;
    }

    int[] ints() throws IOException {
        int[] values = new int[count(Integer.BYTES)];
        for (int at = 0; at < values.length; ) {
            fill(Integer.BYTES);
            int some = Math.min(values.length - at, buffer.remaining() / Integer.BYTES);
            buffer.asIntBuffer().get(values, at, some);
            buffer.position(buffer.position() + some * Integer.BYTES);
            at += some;
        }
        return values;
    }

    <T> List<T> list(Element<T> element) throws IOException {
        int count = number();
        check(count >= 0 && count <= left); // each takes a byte at least
        List<T> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(element.read());
        }
        return Collections.unmodifiableList(values);
    }

    /** Refuses values that do not go together. */
    void check(boolean right) throws Damaged {
        if (!right) {
            throw new Damaged("its values do not go together");
        }
    }

    /** Nothing may be left, and all must be as it was written. */
    void end(long expectedChecksum) throws Damaged {
        check(left == 0);
        if (checksum.getValue() != expectedChecksum) {
            throw new Damaged("its checksum is wrong");
        }
    }

    /** The length of an array that is next, and its bytes taken off. */
    private int count(int bytesEach) throws IOException {
        int count = number();
        check(count >= 0);
        take((long) count * bytesEach);
        return count;
    }

    private void take(long bytes) throws Damaged {
        if (bytes > left) {
            throw new Damaged("it ends too early");
        }
        left -= bytes;
    }

    /** Sees to it that so many bytes are in the buffer. */
    private void fill(int bytes) throws IOException {
        while (buffer.remaining() < bytes) {
            int held = buffer.compact().position();
            int read = channel.read(buffer);
            buffer.flip();
            if (read < 0) {
                throw new Damaged("it ends too early");
            }
            checksum.update(buffer.array(), held, read);
        }
    }
}
