package io.glyphgate.jinja.value;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;

/** Text as Python has it: counted in code points. Offsets into Java strings stay inside this package's methods. */
public final class Text {
    private Text() {}

    /** The text of a text. */
    public static String of(Object text) {
        return switch (text) {
            case String string -> string;
            case Markup markup -> markup.text();
            default -> throw new TemplateException("expected str, got " + Types.name(text));
        };
    }

    /** What a value prints as: Python's {@code str()}. */
    public static String str(Object value, Budget budget) {
        return switch (value) {
            case String text -> text;
            case Markup markup -> markup.text();
            case Undefined undefined -> "";
            default -> Repr.of(value, budget);
        };
    }

    /** A text of the same kind as another: markup stays markup. */
    public static Object like(Object original, String text) {
        return original instanceof Markup ? new Markup(text) : text;
    }

    /** How many code points a text has. */
    public static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    /**
     * A part of a text.
     *
     * @param from the first code point
     * @param to the code point after the last; both within the text
     */
    public static String part(String text, int from, int to) {
        int start = text.offsetByCodePoints(0, from);
        return text.substring(start, text.offsetByCodePoints(start, to - from));
    }

    /** A text several times. */
    public static String repeat(String text, long times, Budget budget) {
        if (times <= 0 || text.isEmpty()) {
            return "";
        }
        budget.text(Math.multiplyExact(Math.min(times, Budget.MAX_TEXT + 1L), (long) text.length()));
        return text.repeat((int) times);
    }

    /** Text put between texts. */
    public static String join(String separator, Iterable<String> texts, Budget budget) {
        StringBuilder out = new StringBuilder();
        boolean first = true;
        for (String text : texts) {
            if (!first) {
                out.append(separator);
            }
            first = false;
            out.append(text);
            budget.growing(out.length());
        }
        budget.text(out.length());
        return out.toString();
    }

    /** Whether Python takes a code point for white space. */
    public static boolean isSpace(int codePoint) {
        return codePoint == ' '
                || (codePoint >= '\t' && codePoint <= '\r')
                || (codePoint >= 0x1c && codePoint <= 0x1f)
                || codePoint == 0x85
                || codePoint == 0xa0
                || (codePoint > 0xff && Character.isSpaceChar(codePoint));
    }

    /** A text without white space at its start. */
    public static String stripStart(String text) {
        int start = 0;
        while (start < text.length() && isSpace(text.charAt(start))) {
            start++;
        }
        return text.substring(start);
    }

    /** A text without white space at its end. */
    public static String stripEnd(String text) {
        int end = text.length();
        while (end > 0 && isSpace(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(0, end);
    }
}
