package io.glyphgate.plugin.tokenizerhuggingface;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The tokens as the vocabulary writes them, by ID and back: three arrays, because a map of strings would take ten times
 * the memory.
 */
final class TokenNames {
    private static final int NOT_FOUND = -1;

    private byte[] bytes;
    private int used;
    /** Where a token starts in {@link #bytes}, plus one; 0 for an ID without a token. */
    private int[] starts;

    private int[] lengths;
    private int size;
    private int count;
    /** Open addressing: ID plus one, 0 for an empty slot. Its length is a power of two. */
    private int[] slots;

    /** No tokens yet. */
    TokenNames() {
        this(new byte[1 << 20], new int[1 << 16], new int[1 << 16], new int[1 << 18]);
    }

    private TokenNames(byte[] bytes, int[] starts, int[] lengths, int[] slots) {
        this.bytes = bytes;
        this.starts = starts;
        this.lengths = lengths;
        this.slots = slots;
    }

    /** Writes tokens that are {@linkplain #trim trimmed}. */
    void write(TableWriter out) throws IOException {
        out.number(count);
        out.bytes(bytes);
        out.ints(starts);
        out.ints(lengths);
        out.ints(slots);
    }

    /** Reads what {@link #write} wrote. */
    static TokenNames read(TableReader in) throws IOException {
        int count = in.number();
        TokenNames names = new TokenNames(in.bytes(), in.ints(), in.ints(), in.ints());
        names.used = names.bytes.length;
        names.size = names.starts.length;
        names.count = count;
        in.check(names.lengths.length == names.size && Integer.bitCount(names.slots.length) == 1);
        return names;
    }

    /** The highest ID plus one. */
    int size() {
        return size;
    }

    /** How many IDs have a token. */
    int count() {
        return count;
    }

    boolean has(int id) {
        return id >= 0 && id < size && starts[id] != 0;
    }

    /** Gives an ID its token. If another ID has the same token, the token stands for the ID that came first. */
    void put(int id, byte[] name) {
        if (id >= starts.length) {
            int capacity = Math.max(id + 1, 2 * starts.length);
            starts = Arrays.copyOf(starts, capacity);
            lengths = Arrays.copyOf(lengths, capacity);
        }
        if (used + name.length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(used + name.length, 2 * bytes.length));
        }
        System.arraycopy(name, 0, bytes, used, name.length);
        if (starts[id] == 0) {
            count++;
        }
        starts[id] = used + 1;
        lengths[id] = name.length;
        used += name.length;
        size = Math.max(size, id + 1);
        if (2 * count > slots.length) {
            slots = new int[2 * slots.length];
            for (int i = 0; i < size; i++) {
                if (starts[i] != 0) {
                    enter(i);
                }
            }
        } else {
            enter(id);
        }
    }

    private void enter(int id) {
        int at = slot(bytes, starts[id] - 1, lengths[id]);
        if (slots[at] == 0) {
            slots[at] = id + 1;
        }
    }

    /** The ID of a token, or -1. */
    int find(String name) {
        byte[] key = name.getBytes(StandardCharsets.UTF_8);
        return find(key, 0, key.length);
    }

    /** The ID of a token that is given as bytes, or -1. */
    int find(byte[] key, int from, int length) {
        int id = slots[slot(key, from, length)];
        return id == 0 ? NOT_FOUND : id - 1;
    }

    private int slot(byte[] key, int from, int length) {
        int hash = 0;
        for (int i = from; i < from + length; i++) {
            hash = 31 * hash + key[i];
        }
        int at = (((hash ^ (hash >>> 15)) * 0x2C1B3C6D) >>> 7) & (slots.length - 1);
        while (slots[at] != 0) {
            int other = slots[at] - 1;
            int start = starts[other] - 1;
            if (Arrays.equals(key, from, from + length, bytes, start, start + lengths[other])) {
                break;
            }
            at = (at + 1) & (slots.length - 1);
        }
        return at;
    }

    /** The token of an ID that has one. */
    String text(int id) {
        return new String(bytes, starts[id] - 1, lengths[id], StandardCharsets.UTF_8);
    }

    /** The bytes of the token of an ID that has one. */
    byte[] bytes(int id) {
        int start = starts[id] - 1;
        return Arrays.copyOfRange(bytes, start, start + lengths[id]);
    }

    /** Gives back the room that was kept for more tokens. */
    void trim() {
        bytes = Arrays.copyOf(bytes, used);
        starts = Arrays.copyOf(starts, size);
        lengths = Arrays.copyOf(lengths, size);
    }
}
