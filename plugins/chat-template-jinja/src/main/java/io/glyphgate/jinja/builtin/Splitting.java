package io.glyphgate.jinja.builtin;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.value.Text;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** How Python cuts a text into several. */
final class Splitting {
    private Splitting() {}

    /**
     * A text cut at white space.
     *
     * @param most how many cuts at most; negative for all
     */
    static List<Object> atSpace(String text, long most, Budget budget) {
        List<Object> parts = new ArrayList<>();
        int at = skipSpace(text, 0);
        while (at < text.length()) {
            if (parts.size() == most) {
                budget.step(1);
                parts.add(Text.stripEnd(text.substring(at)));
                break;
            }
            int end = at;
            while (end < text.length() && !Text.isSpace(text.charAt(end))) {
                end++;
            }
            budget.step(1);
            parts.add(text.substring(at, end));
            at = skipSpace(text, end);
        }
        return parts;
    }

    private static int skipSpace(String text, int from) {
        int at = from;
        while (at < text.length() && Text.isSpace(text.charAt(at))) {
            at++;
        }
        return at;
    }

    /** The same from the end. */
    static List<Object> atSpaceFromEnd(String text, long most, Budget budget) {
        List<Object> parts = new ArrayList<>();
        String left = Text.stripEnd(text);
        while (!left.isEmpty()) {
            if (parts.size() == most) {
                budget.step(1);
                parts.add(Text.stripStart(left));
                break;
            }
            int start = left.length();
            while (start > 0 && !Text.isSpace(left.charAt(start - 1))) {
                start--;
            }
            budget.step(1);
            parts.add(left.substring(start));
            left = Text.stripEnd(left.substring(0, start));
        }
        Collections.reverse(parts);
        return parts;
    }

    /** A text cut at a separator. */
    static List<Object> at(String text, String separator, long most, Budget budget) {
        requireSeparator(separator);
        List<Object> parts = new ArrayList<>();
        int start = 0;
        while (parts.size() != most) {
            int found = text.indexOf(separator, start);
            if (found < 0) {
                break;
            }
            budget.step(1);
            parts.add(text.substring(start, found));
            start = found + separator.length();
        }
        budget.step(1);
        parts.add(text.substring(start));
        return parts;
    }

    /** The same from the end. */
    static List<Object> atFromEnd(String text, String separator, long most, Budget budget) {
        requireSeparator(separator);
        List<Object> parts = new ArrayList<>();
        int end = text.length();
        while (parts.size() != most) {
            int found = text.lastIndexOf(separator, end - separator.length());
            if (found < 0 || end < separator.length()) {
                break;
            }
            budget.step(1);
            parts.add(text.substring(found + separator.length(), end));
            end = found;
        }
        budget.step(1);
        parts.add(text.substring(0, end));
        Collections.reverse(parts);
        return parts;
    }

    static void requireSeparator(String separator) {
        if (separator.isEmpty()) {
            throw new TemplateException("empty separator");
        }
    }

    /** The lines of a text. */
    static List<Object> lines(String text, boolean keepBreaks, Budget budget) {
        List<Object> lines = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < text.length(); ) {
            int width = breakWidth(text, i);
            if (width == 0) {
                i++;
                continue;
            }
            budget.step(1);
            lines.add(text.substring(start, keepBreaks ? i + width : i));
            i += width;
            start = i;
        }
        if (start < text.length()) {
            budget.step(1);
            lines.add(text.substring(start));
        }
        return lines;
    }

    private static int breakWidth(String text, int at) {
        return switch (text.charAt(at)) {
            case '\r' -> at + 1 < text.length() && text.charAt(at + 1) == '\n' ? 2 : 1;
            case '\n', '\u000b', '\f', '\u001c', '\u001d', '\u001e', '\u0085', '\u2028', '\u2029' -> 1;
            default -> 0;
        };
    }
}
