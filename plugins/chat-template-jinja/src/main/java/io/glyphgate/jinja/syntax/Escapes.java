package io.glyphgate.jinja.syntax;

import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.value.Repr;
import java.util.function.Function;

/** The escapes of string literals: Python's. */
final class Escapes {
    private Escapes() {}

    /** What the inside of a literal stands for. */
    static String resolve(String literal, Function<String, TemplateException> failure) {
        if (literal.indexOf('\\') < 0) {
            return literal;
        }
        StringBuilder out = new StringBuilder(literal.length());
        int i = 0;
        while (i < literal.length()) {
            char c = literal.charAt(i++);
            if (c != '\\') {
                out.append(c);
                continue;
            }
            int escaped = literal.codePointAt(i);
            i += Character.charCount(escaped);
            switch (escaped) {
                case '\n' -> {}
                case '\\', '\'', '"' -> out.append((char) escaped);
                case 'a' -> out.append('\u0007');
                case 'b' -> out.append('\b');
                case 'f' -> out.append('\f');
                case 'n' -> out.append('\n');
                case 'r' -> out.append('\r');
                case 't' -> out.append('\t');
                case 'v' -> out.append('\u000b');
                case 'x' -> i = hexadecimal(literal, i, 2, out, failure);
                case 'u' -> i = hexadecimal(literal, i, 4, out, failure);
                case 'U' -> i = hexadecimal(literal, i, 8, out, failure);
                case 'N' -> i = named(literal, i, out, failure);
                case '0', '1', '2', '3', '4', '5', '6', '7' -> i = octal(literal, i - 1, out);
                default -> {
                    // Python first writes what is not ASCII as an escape, whose backslash this one then escapes.
                    String shown = escaped < 0x80 ? Character.toString(escaped) : Repr.escaped(escaped).substring(1);
                    out.append('\\').append(shown);
                }
            }
        }
        return out.toString();
    }

    private static int hexadecimal(
            String literal, int start, int digits, StringBuilder out, Function<String, TemplateException> failure) {
        int value = 0;
        for (int i = start; i < start + digits; i++) {
            int digit = i < literal.length() ? Character.digit(literal.charAt(i), 16) : -1;
            if (digit < 0 || value > 0x0fffffff) {
                throw failure.apply("truncated escape in a string: \\" + literal.charAt(start - 1) + " wants "
                        + digits + " hexadecimal digits");
            }
            value = value << 4 | digit;
        }
        if (!Character.isValidCodePoint(value)) {
            throw failure.apply("illegal Unicode character");
        }
        out.appendCodePoint(value);
        return start + digits;
    }

    private static int octal(String literal, int start, StringBuilder out) {
        int value = 0;
        int end = start;
        while (end < literal.length() && end < start + 3 && Character.digit(literal.charAt(end), 8) >= 0) {
            value = value * 8 + Character.digit(literal.charAt(end), 8);
            end++;
        }
        out.append((char) value);
        return end;
    }

    private static int named(String literal, int start, StringBuilder out, Function<String, TemplateException> failure) {
        int close = literal.indexOf('}', start);
        if (start >= literal.length() || literal.charAt(start) != '{' || close < 0) {
            throw failure.apply("malformed \\N character escape");
        }
        try {
            out.appendCodePoint(Character.codePointOf(literal.substring(start + 1, close)));
        } catch (IllegalArgumentException e) {
            throw failure.apply("unknown Unicode character name");
        }
        return close + 1;
    }
}
