package io.glyphgate.toolkit;

/** White space as formats mean it: that of JSON, of Python's {@code strip}, and the no-break spaces among it. */
final class Blank {
    private Blank() {}

    static boolean is(char c) {
        return c <= ' ' ? c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\u001c' && c <= '\u001f') : wide(c);
    }

    /** A text without white space at its ends. */
    static String strip(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && is(text.charAt(from))) {
            from++;
        }
        while (to > from && is(text.charAt(to - 1))) {
            to--;
        }
        return text.substring(from, to);
    }

    private static boolean wide(char c) {
        return c == '\u0085'
                || c == '\u00a0'
                || (c > '\u007f' && Character.isWhitespace(c))
                || c == '\u2007'
                || c == '\u202f';
    }
}
