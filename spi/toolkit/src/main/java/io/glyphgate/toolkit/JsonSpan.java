package io.glyphgate.toolkit;

/** Finds the end of one JSON value, character by character, without asking whether what stands inside is right. */
final class JsonSpan {
    enum Place {
        /** The character belongs to the value, which goes on. */
        INSIDE,
        /** The character is the last of the value. */
        LAST,
        /** The value ended before the character. */
        AFTER
    }

    private int depth;
    private boolean begun;
    private boolean inString;
    private boolean escaped;

    /** Starts a new value. */
    void begin() {
        depth = 0;
        begun = false;
        inString = false;
        escaped = false;
    }

    /** Whether the characters before belong to an open string. */
    boolean inString() {
        return inString;
    }

    /** Whether a character opens an object or an array, so that alone it is no marker but JSON. */
    static boolean opens(char c) {
        return c == '{' || c == '[';
    }

    Place take(char c) {
        if (inString) {
            if (escaped) {
                escaped = false;
            } else if (c == '\\') {
                escaped = true;
            } else if (c == '"') {
                inString = false;
                return depth == 0 ? Place.LAST : Place.INSIDE;
            }
            return Place.INSIDE;
        }
        switch (c) {
            case '"' -> inString = true;
            case '{', '[' -> depth++;
            case '}', ']' -> {
                if (depth == 0) {
                    return Place.AFTER;
                }
                depth--;
                if (depth == 0) {
                    return Place.LAST;
                }
            }
            default -> {
                if (depth == 0 && begun && (c == ',' || Blank.is(c))) {
                    return Place.AFTER;
                }
            }
        }
        begun = true;
        return Place.INSIDE;
    }
}
