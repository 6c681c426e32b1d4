package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.wire.Answer.RawValue;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.StreamState;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a derendered stream, written so that the next ones are only added behind: about three characters for each. A
 * token is a number, five bits a character, the lowest first, with a sixth bit while it goes on; its own lowest bit says whether
 * the token is the first of a chunk.
 */
final class History {
    private static final byte[] DIGITS =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] VALUES = new byte[128];

    static {
        Arrays.fill(VALUES, (byte) -1);
        for (int i = 0; i < DIGITS.length; i++) {
            VALUES[DIGITS[i]] = (byte) i;
        }
    }

    private static final int BITS = 5;
    private static final int MORE = 1 << BITS;
    private static final int LONGEST = 35;

    private final MessageDigest digest = sha256();
    private byte[] bytes = new byte[256];
    private int length;
    private int count;

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each JDK has SHA-256", e);
        }
    }

    /**
     * Tokens, and how many of them came each time.
     *
     * @param ids the tokens
     * @param lengths their sum is the number of tokens
     */
    record Tokens(int[] ids, int[] lengths) {
        /** No tokens. */
        static final Tokens NONE = new Tokens(new int[0], new int[0]);

        /** Those that come behind the first so many, which are whole chunks. */
        Tokens behind(int count) {
            int chunks = 0;
            for (int left = count; left > 0; left -= lengths[chunks++]) {}
            return new Tokens(
                    Arrays.copyOfRange(ids, count, ids.length), Arrays.copyOfRange(lengths, chunks, lengths.length));
        }
    }

    /** How much memory it takes, in bytes. */
    int size() {
        return bytes.length;
    }

    /** Adds the tokens of one chunk. */
    void add(int[] ids, int from, int to) {
        int start = length;
        for (int i = from; i < to; i++) {
            if (length + LONGEST / BITS > bytes.length) {
                bytes = Arrays.copyOf(bytes, 2 * bytes.length);
            }
            long rest = (long) ids[i] << 1 | (i == from ? 1 : 0);
            do {
                long digit = rest & (MORE - 1);
                rest >>>= BITS;
                bytes[length++] = DIGITS[(int) (rest == 0 ? digit : digit | MORE)];
            } while (rest != 0);
        }
        digest.update(bytes, start, length - start);
        count += to - from;
    }

    /** How many tokens it holds. */
    int count() {
        return count;
    }

    /** A hash of what is written. */
    byte[] hash() {
        try {
            return ((MessageDigest) digest.clone()).digest();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("the JDK's SHA-256 can be cloned", e);
        }
    }

    /** Whether a client brings exactly this. */
    boolean is(RawValue brought) {
        return Arrays.equals(bytes, 0, length, brought.bytes(), brought.from(), brought.to());
    }

    /** Writes a state with it. */
    void write(String seal, boolean roleSaid, JsonOut out) {
        StreamState.write(seal, bytes, length, roleSaid, out);
    }

    /**
     * Reads what a client brings.
     *
     * @param hash what its {@link #hash} must be
     * @return null if it is anything else
     */
    static @Nullable Tokens read(RawValue brought, byte[] hash) {
        MessageDigest digest = sha256();
        digest.update(brought.bytes(), brought.from(), brought.to() - brought.from());
        if (!MessageDigest.isEqual(digest.digest(), hash)) {
            return null;
        }
        int[] ids = new int[Math.max(16, (brought.to() - brought.from()) / 2)];
        int[] lengths = new int[16];
        int tokens = 0;
        int chunks = 0;
        long value = 0;
        int shift = 0;
        for (int i = brought.from(); i < brought.to(); i++) {
            int digit = VALUES[brought.bytes()[i]]; // the hash says that this proxy wrote it
            value |= (long) (digit & (MORE - 1)) << shift;
            shift += BITS;
            if (digit < MORE) {
                if (tokens == ids.length) {
                    ids = Arrays.copyOf(ids, 2 * tokens);
                }
                ids[tokens++] = (int) (value >>> 1);
                if ((value & 1) != 0) {
                    if (chunks == lengths.length) {
                        lengths = Arrays.copyOf(lengths, 2 * chunks);
                    }
                    chunks++;
                }
                lengths[chunks - 1]++;
                value = 0;
                shift = 0;
            }
        }
        return new Tokens(Arrays.copyOf(ids, tokens), Arrays.copyOf(lengths, chunks));
    }
}
