package io.glyphgate.jinja.syntax;

import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.value.Numbers;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the tokens inside one tag. The tag ends only outside its brackets. */
final class TagLexer {
    /** A token and where it ends. */
    record Found(TokenType type, Object value, int end) {}

    private static final Pattern FLOAT = Pattern.compile(
            "(?<!\\.)(?:\\d++_)*+\\d++(?:(?:\\.(?:\\d++_)*+\\d++)?[eE][+-]?(?:\\d++_)*+\\d++|\\.(?:\\d++_)*+\\d++)");
    private static final Pattern INTEGER = Pattern.compile(
            "0[bB](?:_?[01])++|0[oO](?:_?[0-7])++|0[xX](?:_?[0-9a-fA-F])++|[1-9](?:_?\\d)*+|0(?:_?0)*+");
    private static final List<TokenType> OPERATORS = List.copyOf(TokenType.operators());

    private final String text;
    private final String endMark;
    private final boolean plusEnds;
    private final Deque<TokenType> open = new ArrayDeque<>();
    private final Matcher floats;
    private final Matcher integers;

    /**
     * A reader for one tag.
     *
     * @param text the source
     * @param endMark what ends the tag
     * @param plusEnds whether the end may have a plus sign
     */
    TagLexer(String text, String endMark, boolean plusEnds) {
        this.text = text;
        this.endMark = endMark;
        this.plusEnds = plusEnds;
        floats = FLOAT.matcher(text).useTransparentBounds(true);
        integers = INTEGER.matcher(text);
    }

    /** Where the mark stands that ends the tag, if the tag ends here; else -1. */
    int endAt(int at) {
        if (!open.isEmpty()) {
            return -1;
        }
        boolean signed = text.charAt(at) == '-' || (plusEnds && text.charAt(at) == '+');
        if (signed && text.startsWith(endMark, at + 1)) {
            return at + 1;
        }
        return text.startsWith(endMark, at) ? at : -1;
    }

    /** The token that starts at an index that holds no white space. */
    Found tokenAt(int at, Function<String, TemplateException> failure) {
        char c = text.charAt(at);
        if (c >= '0' && c <= '9') {
            return number(at);
        }
        if (c == '\'' || c == '"') {
            return string(at, c, failure);
        }
        int codePoint = text.codePointAt(at);
        if (isWord(codePoint)) {
            return name(at, failure);
        }
        for (TokenType operator : OPERATORS) {
            if (text.startsWith(operator.description(), at)) {
                balance(operator, failure);
                return new Found(operator, "", at + operator.description().length());
            }
        }
        throw failure.apply("unexpected char " + Lexer.shown(codePoint) + " at " + at);
    }

    private Found number(int at) {
        if (floats.region(at, text.length()).lookingAt()) {
            return new Found(TokenType.FLOAT, Double.valueOf(floats.group().replace("_", "")), floats.end());
        }
        if (!integers.region(at, text.length()).lookingAt()) {
            throw new IllegalStateException("no number at " + at);
        }
        String digits = integers.group().replace("_", "");
        int radix = digits.length() < 2 ? 10 : switch (digits.charAt(1)) {
            case 'b', 'B' -> 2;
            case 'o', 'O' -> 8;
            case 'x', 'X' -> 16;
            default -> 10;
        };
        Object value = Numbers.shrink(new BigInteger(radix == 10 ? digits : digits.substring(2), radix));
        return new Found(TokenType.INTEGER, value, integers.end());
    }

    private Found name(int at, Function<String, TemplateException> failure) {
        int end = at;
        boolean identifier = true;
        while (end < text.length() && isWord(text.codePointAt(end))) {
            int codePoint = text.codePointAt(end);
            identifier &= codePoint == '_'
                    || (end == at ? Character.isUnicodeIdentifierStart(codePoint)
                            : Character.isUnicodeIdentifierPart(codePoint));
            end += Character.charCount(codePoint);
        }
        if (!identifier) {
            throw failure.apply("Invalid character in identifier");
        }
        return new Found(TokenType.NAME, text.substring(at, end), end);
    }

    private static boolean isWord(int codePoint) {
        return codePoint == '_'
                || Character.isLetterOrDigit(codePoint)
                || (codePoint > 0x7f
                        && Character.isUnicodeIdentifierPart(codePoint)
                        && !Character.isIdentifierIgnorable(codePoint));
    }

    private Found string(int at, char quote, Function<String, TemplateException> failure) {
        int end = at + 1;
        while (end < text.length() && text.charAt(end) != quote) {
            end += text.charAt(end) == '\\' ? 2 : 1;
        }
        if (end >= text.length()) {
            throw failure.apply("unexpected char " + Lexer.shown(quote) + " at " + at);
        }
        return new Found(TokenType.STRING, Escapes.resolve(text.substring(at + 1, end), failure), end + 1);
    }

    private void balance(TokenType operator, Function<String, TemplateException> failure) {
        switch (operator) {
            case OPEN_BRACE -> open.push(TokenType.CLOSE_BRACE);
            case OPEN_BRACKET -> open.push(TokenType.CLOSE_BRACKET);
            case OPEN_PARENTHESIS -> open.push(TokenType.CLOSE_PARENTHESIS);
            case CLOSE_BRACE, CLOSE_BRACKET, CLOSE_PARENTHESIS -> {
                String found = "unexpected '" + operator.description() + "'";
                if (open.isEmpty()) {
                    throw failure.apply(found);
                }
                TokenType expected = open.pop();
                if (expected != operator) {
                    throw failure.apply(found + ", expected '" + expected.description() + "'");
                }
            }
            default -> {}
        }
    }
}
