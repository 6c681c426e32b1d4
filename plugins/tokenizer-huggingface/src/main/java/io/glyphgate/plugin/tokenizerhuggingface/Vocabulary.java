package io.glyphgate.plugin.tokenizerhuggingface;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * What each token adds to a text: one array of characters, where each token's part starts in it, and what kind of part
 * it is. Does not change once it is built.
 */
final class Vocabulary {
    /** No token has this ID. */
    static final int NONE = 0;
    /** Whole characters, at least one, and the last is not U+FFFD. */
    static final int WHOLE = 1;
    /** Whole characters, but none, or the last is U+FFFD: nothing that a stream may give out at once. */
    static final int HELD = 2;
    /** Bytes that are not whole characters; each is stored as one {@code char}. */
    static final int FRAGMENT = 3;
    /** One byte of a vocabulary with byte fallback, stored as one {@code char}. */
    static final int BYTE = 4;

    private static final int PART = 7;
    private static final int SPECIAL = 8;
    private static final int ADDED = 16;

    private final TokenNames names;
    private final byte[] kinds;
    private final char[] text;
    private final int[] starts;
    private final String fingerprint;

    private Vocabulary(TokenNames names, byte[] kinds, char[] text, int[] starts, String fingerprint) {
        this.names = names;
        this.kinds = kinds;
        this.text = text;
        this.starts = starts;
        this.fingerprint = fingerprint;
    }

    /** Writes it. */
    void write(TableWriter out) throws IOException {
        names.write(out);
        out.bytes(kinds);
        out.chars(text);
        out.ints(starts);
        out.text(fingerprint);
    }

    /** Reads what {@link #write} wrote. */
    static Vocabulary read(TableReader in) throws IOException {
        Vocabulary vocabulary = new Vocabulary(TokenNames.read(in), in.bytes(), in.chars(), in.ints(), in.text());
        in.check(vocabulary.names.size() == vocabulary.kinds.length && vocabulary.starts.length == vocabulary.kinds.length + 1);
        return vocabulary;
    }

    TokenNames names() {
        return names;
    }

    /** The highest ID plus one. */
    int size() {
        return kinds.length;
    }

    /** A hash of the tokens, their IDs and their flags. */
    String fingerprint() {
        return fingerprint;
    }

    private static String fingerprint(TokenNames names, byte[] kinds) {
        MessageDigest digest = Sha256.digest();
        ByteBuffer head = ByteBuffer.allocate(2 * Integer.BYTES + 1);
        for (int id = 0; id < kinds.length; id++) {
            if (names.has(id)) {
                byte[] name = names.bytes(id);
                digest.update(head.clear().putInt(id).putInt(name.length).put((byte) (kinds[id] & (SPECIAL | ADDED))).flip());
                digest.update(name);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Part and flags of a token; {@link #NONE} for an unknown ID. */
    int kind(int id) {
        return id >= 0 && id < kinds.length ? kinds[id] : NONE;
    }

    /** One of the constants above. */
    static int part(int kind) {
        return kind & PART;
    }

    static boolean isSpecial(int kind) {
        return (kind & SPECIAL) != 0;
    }

    /** Whether the token is one that was added to the model's own. */
    static boolean isAdded(int kind) {
        return (kind & ADDED) != 0;
    }

    int start(int id) {
        return starts[id];
    }

    int end(int id) {
        return starts[id + 1];
    }

    /** One character, or one byte for {@link #FRAGMENT} and {@link #BYTE}. */
    char at(int index) {
        return text[index];
    }

    /** Appends a part that is characters. */
    void append(int id, StringBuilder out) {
        int start = starts[id];
        out.append(text, start, starts[id + 1] - start);
    }

    /** Takes the tokens in the order of their IDs. */
    static final class Builder {
        private final TokenNames names;
        private final byte[] kinds;
        private final int[] starts;
        private char[] text = new char[1 << 20];
        private int used;
        private int next;

        Builder(TokenNames names) {
            this.names = names;
            kinds = new byte[names.size()];
            starts = new int[names.size() + 1];
        }

        /** Adds the next token, or an ID without a token if {@code part} is {@link Vocabulary#NONE}. */
        void add(int part, CharSequence content, boolean special, boolean added) {
            int length = content.length();
            if (used + length > text.length) {
                text = Arrays.copyOf(text, Math.max(used + length, 2 * text.length));
            }
            for (int i = 0; i < length; i++) {
                text[used++] = content.charAt(i);
            }
            kinds[next++] = (byte) (part | (special ? SPECIAL : 0) | (added ? ADDED : 0));
            starts[next] = used;
        }

        /** Adds the next token, whose part is whole characters. */
        void addText(CharSequence characters, boolean special, boolean added) {
            boolean held = characters.isEmpty() || characters.charAt(characters.length() - 1) == Utf8.REPLACEMENT;
            add(held ? HELD : WHOLE, characters, special, added);
        }

        Vocabulary build() {
            names.trim();
            return new Vocabulary(names, kinds, Arrays.copyOf(text, used), starts, fingerprint(names, kinds));
        }
    }
}
