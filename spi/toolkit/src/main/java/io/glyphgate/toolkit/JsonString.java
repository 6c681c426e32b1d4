package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;

/** Decodes one JSON string, character by character. */
final class JsonString {
    private static final int NO_ESCAPE = -1;

    private final StringBuilder text = new StringBuilder();
    private boolean escaped;
    private int hexLeft = NO_ESCAPE;
    private int code;

    /** Starts a new string, behind its first quote. */
    void begin() {
        text.setLength(0);
        escaped = false;
        hexLeft = NO_ESCAPE;
    }

    /** Takes the next character. Returns true if it is the quote that ends the string. */
    boolean take(char c) {
        if (hexLeft > 0) {
            code = code * 16 + Math.max(0, Character.digit(c, 16));
            hexLeft--;
            if (hexLeft == 0) {
                text.append((char) code);
            }
        } else if (escaped) {
            escaped = false;
            switch (c) {
                case 'n' -> text.append('\n');
                case 't' -> text.append('\t');
                case 'r' -> text.append('\r');
                case 'b' -> text.append('\b');
                case 'f' -> text.append('\f');
                case 'u' -> {
                    hexLeft = 4;
                    code = 0;
                }
                default -> text.append(c);
            }
        } else if (c == '\\') {
            escaped = true;
        } else if (c == '"') {
            return true;
        } else {
            text.append(c);
        }
        return false;
    }

    /** Passes on what has been decoded since the last time, but for half a character. */
    void give(DeltaSink out) {
        int whole = Json.wholeEnd(text, text.length());
        if (whole > 0) {
            out.toolArguments(whole == text.length() ? text : text.substring(0, whole));
            text.delete(0, whole);
        }
    }

    /** What the string holds. */
    String text() {
        return text.toString();
    }
}
