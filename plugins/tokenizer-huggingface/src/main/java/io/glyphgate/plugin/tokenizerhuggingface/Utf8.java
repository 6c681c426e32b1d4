package io.glyphgate.plugin.tokenizerhuggingface;

/** UTF-8 taken byte by byte. Holds the start of a character whose rest has not come. */
final class Utf8 {
    /** What stands for bytes that are no character. */
    static final char REPLACEMENT = '\uFFFD';

    private int missing;
    private int codePoint;
    private int lower;
    private int upper;

    /** Whether a character has started and not ended. */
    boolean partial() {
        return missing > 0;
    }

    /** Forgets the started character. */
    void reset() {
        missing = 0;
    }

    /**
     * Takes a byte if it can come next.
     *
     * @param b 0 to 255
     * @param out gains the character that the byte ends
     * @return false if no character can go on or start with it; the started character is forgotten then, the byte not
     * taken
     */
    boolean take(int b, StringBuilder out) {
        if (missing > 0) {
            if (b < lower || b > upper) {
                missing = 0;
                return false;
            }
            codePoint = (codePoint << 6) | (b & 0x3F);
            lower = 0x80;
            upper = 0xBF;
            if (--missing == 0) {
                append(codePoint, out);
            }
            return true;
        }
        if (b < 0x80) {
            out.append((char) b);
            return true;
        }
        if (b < 0xC2 || b > 0xF4) {
            return false;
        }
        // the second byte's bounds rule out overlong forms, surrogates and what lies past U+10FFFF
        lower = b == 0xE0 ? 0xA0 : b == 0xF0 ? 0x90 : 0x80;
        upper = b == 0xED ? 0x9F : b == 0xF4 ? 0x8F : 0xBF;
        missing = b < 0xE0 ? 1 : b < 0xF0 ? 2 : 3;
        codePoint = b & (0x3F >> missing);
        return true;
    }

    /** As {@link StringBuilder#appendCodePoint}, which makes a string for each character past U+FFFF. */
    private static void append(int codePoint, StringBuilder out) {
        if (Character.isBmpCodePoint(codePoint)) {
            out.append((char) codePoint);
        } else {
            out.append(Character.highSurrogate(codePoint)).append(Character.lowSurrogate(codePoint));
        }
    }

    /** Takes any byte; each longest run of bytes that starts a character and does not end it becomes one U+FFFD. */
    void takeLossy(int b, StringBuilder out) {
        boolean started = partial();
        if (!take(b, out)) {
            out.append(REPLACEMENT);
            if (started && !take(b, out)) {
                out.append(REPLACEMENT);
            }
        }
    }

    /** Ends the bytes: a started character becomes one U+FFFD. */
    void end(StringBuilder out) {
        if (missing > 0) {
            missing = 0;
            out.append(REPLACEMENT);
        }
    }
}
