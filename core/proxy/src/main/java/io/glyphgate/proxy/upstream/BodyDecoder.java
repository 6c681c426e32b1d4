package io.glyphgate.proxy.upstream;

import java.net.ProtocolException;
import org.jspecify.annotations.Nullable;

/**
 * Takes the body of an HTTP/1.1 answer out of what lies around it, however the bytes are cut: chunks, a length, or all until the
 * connection ends. It takes every byte that it is given but those behind the body, as long as there is room for what it finds.
 */
final class BodyDecoder {
    private enum State {
        SIZE,
        EXTENSION,
        SIZE_END,
        CHUNK,
        CHUNK_RETURN,
        CHUNK_END,
        TRAILER_START,
        TRAILER,
        TRAILER_END,
        LAST_END,
        LENGTH,
        UNTIL_END,
        ENDED
    }

    /** Up to 4 GiB of one chunk. */
    private static final int MOST_DIGITS = 8;
    /** How much of extensions and trailers, which nobody reads, an answer may have. */
    private static final int MOST_IGNORED = 8 << 10;

    private State state;
    private long left;
    private int digits;
    private int ignored;
    private int made;
    private int at;
    /** What is wrong behind all that was given out; null if nothing is. */
    private @Nullable ProtocolException failure;

    private BodyDecoder(State state, long left) {
        this.state = left == 0 && state == State.LENGTH ? State.ENDED : state;
        this.left = left;
    }

    /** A body in chunks. */
    static BodyDecoder chunked() {
        return new BodyDecoder(State.SIZE, 0);
    }

    /** A body of a known length. */
    static BodyDecoder ofLength(long length) {
        return new BodyDecoder(State.LENGTH, length);
    }

    /** A body that ends with its connection. */
    static BodyDecoder untilEnd() {
        return new BodyDecoder(State.UNTIL_END, Long.MAX_VALUE);
    }

    /** Whether the body has ended. */
    boolean ended() {
        return state == State.ENDED;
    }

    /** Whether the next call throws. */
    boolean failed() {
        return failure != null;
    }

    /** Says that the connection has ended; true if the body ends with it. */
    boolean endedWithConnection() {
        if (state == State.UNTIL_END) {
            state = State.ENDED;
        }
        return ended();
    }

    /** Where the last call stopped. */
    int at() {
        return at;
    }

    /**
     * Takes bytes up.
     *
     * @param from what came, from {@code start} to {@code end}
     * @param into gets the body, at most {@code length} bytes from {@code offset} on
     * @return how many bytes the body has gained
     * @throws ProtocolException if it is not encoded as it should be, behind all that could be read
     */
    int decode(byte[] from, int start, int end, byte[] into, int offset, int length) throws ProtocolException {
        if (failure != null) {
            throw failure;
        }
        made = 0;
        at = start;
        try {
            take(from, end, into, offset, length);
        } catch (ProtocolException e) {
            failure = e;
            if (made == 0) {
                throw e;
            }
        }
        return made;
    }

    private void take(byte[] from, int end, byte[] into, int offset, int length) throws ProtocolException {
        while (at < end && state != State.ENDED) {
            switch (state) {
                case CHUNK, LENGTH, UNTIL_END -> {
                    int count = (int) Math.min(Math.min(end - at, length - made), left);
                    if (count == 0) {
                        return;
                    }
                    System.arraycopy(from, at, into, offset + made, count);
                    at += count;
                    made += count;
                    left -= count;
                    if (left == 0) {
                        state = state == State.CHUNK ? State.CHUNK_RETURN : State.ENDED;
                    }
                }
                case SIZE -> size(from[at++]);
                case EXTENSION -> ignore(from[at++], State.SIZE_END);
                case SIZE_END -> {
                    expect(from[at++], '\n');
                    state = left == 0 ? State.TRAILER_START : State.CHUNK;
                }
                case CHUNK_RETURN -> next(from[at++], '\r', State.CHUNK_END);
                case CHUNK_END -> {
                    next(from[at++], '\n', State.SIZE);
                    digits = 0;
                }
                case TRAILER_START, TRAILER -> {
                    boolean last = state == State.TRAILER_START && from[at] == '\r';
                    ignore(from[at++], last ? State.LAST_END : State.TRAILER_END);
                    if (state == State.TRAILER_START) {
                        state = State.TRAILER;
                    }
                }
                case TRAILER_END -> next(from[at++], '\n', State.TRAILER_START);
                case LAST_END -> next(from[at++], '\n', State.ENDED);
                case ENDED -> throw new AssertionError("the loop has ended");
            }
        }
    }

    private void size(byte b) throws ProtocolException {
        int digit = b >= 0 ? Character.digit(b, 16) : -1;
        if (digit >= 0 && digits < MOST_DIGITS) {
            left = digits++ == 0 ? digit : left << 4 | digit;
        } else if (digits == 0 || digit >= 0) {
            throw new ProtocolException("the size of a chunk is expected");
        } else if (b == ';' || b == ' ' || b == '\t') {
            state = State.EXTENSION;
        } else {
            next(b, '\r', State.SIZE_END);
        }
    }

    private void ignore(byte b, State behind) throws ProtocolException {
        if (b == '\r') {
            state = behind;
        } else if (b == '\n' || ++ignored > MOST_IGNORED) {
            throw new ProtocolException("the end of a line is expected");
        }
    }

    private void next(byte b, char expected, State then) throws ProtocolException {
        expect(b, expected);
        state = then;
    }

    private static void expect(byte b, char expected) throws ProtocolException {
        if (b != expected) {
            throw new ProtocolException("the end of a line is expected");
        }
    }
}
