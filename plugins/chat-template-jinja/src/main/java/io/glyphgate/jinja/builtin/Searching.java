package io.glyphgate.jinja.builtin;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.value.Numbers;
import io.glyphgate.jinja.value.Text;

/** Looking for a text in a part of another, counted in code points, and replacing it. */
final class Searching {
    private final String text;
    private final int from;
    private final int to;
    private final boolean outside;

    /** The part of a text that its second and third argument name. */
    Searching(String text, Inputs in, int startIndex, int endIndex) {
        this.text = text;
        int length = Text.length(text);
        long start = in.has(startIndex) ? clamp(in.value(startIndex), length) : 0;
        long end = in.has(endIndex) ? Math.min(length, clamp(in.value(endIndex), length)) : length;
        outside = start > end || start > length;
        from = outside ? 0 : text.offsetByCodePoints(0, (int) start);
        to = outside ? 0 : text.offsetByCodePoints(0, (int) end);
    }

    private static long clamp(Object bound, int length) {
        long index = Numbers.index(bound);
        return index < 0 ? Math.max(0, index + length) : index;
    }

    /** The code point at which a text is found first; -1 if it is not there. */
    long first(String wanted) {
        int found = outside ? -1 : text.indexOf(wanted, from);
        return found < 0 || found + wanted.length() > to ? -1 : text.codePointCount(0, found);
    }

    /** The code point at which a text is found last; -1 if it is not there. */
    long last(String wanted) {
        int found = outside ? -1 : text.lastIndexOf(wanted, to - wanted.length());
        return found < from || to - wanted.length() < 0 ? -1 : text.codePointCount(0, found);
    }

    long count(String wanted) {
        if (outside) {
            return 0;
        }
        if (wanted.isEmpty()) {
            return text.codePointCount(from, to) + 1L;
        }
        long count = 0;
        for (int found = text.indexOf(wanted, from);
                found >= 0 && found + wanted.length() <= to;
                found = text.indexOf(wanted, found + wanted.length())) {
            count++;
        }
        return count;
    }

    boolean startsWith(String wanted) {
        return !outside && from + wanted.length() <= to && text.startsWith(wanted, from);
    }

    boolean endsWith(String wanted) {
        int start = to - wanted.length();
        return !outside && start >= from && text.startsWith(wanted, start);
    }

    /**
     * A text with another in the place of each occurrence of a third.
     *
     * @param most how many to replace at most; negative for all
     */
    static String replace(String text, String old, String replacement, long most, Budget budget) {
        StringBuilder out = new StringBuilder();
        int at = 0;
        for (long replaced = 0; replaced != most; replaced++) {
            int found = text.indexOf(old, at);
            budget.growing(out.length());
            if (found < 0) {
                break;
            }
            out.append(text, at, found).append(replacement);
            at = found + old.length();
            if (old.isEmpty()) {
                if (at == text.length()) {
                    break;
                }
                int end = text.offsetByCodePoints(at, 1);
                out.append(text, at, end);
                at = end;
            }
        }
        out.append(text, at, text.length());
        budget.text(out.length());
        return out.toString();
    }
}
