package io.glyphgate.proxy.conformance;

import java.util.regex.Pattern;

/** White space as the parsers know it: Java's, and the spaces that break no line. */
final class Space {
    private Space() {}

    /** A pattern in which {@code \s} stands for any of it. */
    static Pattern pattern(String regex) {
        return Pattern.compile(regex.replace("\\s", "\\p{IsWhite_Space}"));
    }

    static boolean is(char c) {
        return Character.isWhitespace(c) || c == '\u0085' || Character.isSpaceChar(c);
    }

    static boolean blank(String text) {
        return text.chars().allMatch(c -> is((char) c));
    }

    static String strip(String text) {
        return stripLeading(stripTrailing(text));
    }

    static String stripLeading(String text) {
        int from = 0;
        while (from < text.length() && is(text.charAt(from))) {
            from++;
        }
        return text.substring(from);
    }

    static String stripTrailing(String text) {
        int to = text.length();
        while (to > 0 && is(text.charAt(to - 1))) {
            to--;
        }
        return text.substring(0, to);
    }
}
