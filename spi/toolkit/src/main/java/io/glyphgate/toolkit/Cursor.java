package io.glyphgate.toolkit;

import io.glyphgate.spi.DeltaSink;
import org.jspecify.annotations.Nullable;

/**
 * The part of the output that is not yet given out, and how far it has been read. Positions count from the start of the
 * output, so they stay true while the text before them is dropped.
 *
 * <p>It also tries the literals of the current state at the place where the reading stands, and remembers how far a
 * literal has matched when the text ends inside it: a character of a literal is looked at again only if the literal
 * turned out to be text.
 */
final class Cursor {
    /** What {@link #match} found. */
    enum Found {
        /** Text: {@link #length} characters that are no literal. */
        TEXT,
        /** It depends on what comes next. */
        OPEN,
        /** A literal: {@link #mark} of {@link #length} characters. */
        MARK,
        /**
         * The output ends inside what may have become a literal; {@link #length} characters of it are text for
         * certain.
         */
        CUT
    }

    private static final int COMPACT_FROM = 4096;

    private final StringBuilder text = new StringBuilder();
    private final Slice slice = new Slice();
    private int base;
    private int start;
    private int position;

    private boolean matching;
    private int node;
    private int scanned;
    private @Nullable Mark best;
    private int bestLength;
    private @Nullable Literals guard;
    private int length;

    /** Adds what has come. */
    void append(CharSequence more) {
        int given = start - base;
        if (given == text.length()) {
            text.setLength(0);
            base = start;
        } else if (given >= COMPACT_FROM && given > text.length() / 2) {
            text.delete(0, given);
            base = start;
        }
        text.append(more);
    }

    /** The first position whose text is not given out. */
    int start() {
        return start;
    }

    /** Where the text ends. */
    int end() {
        return base + text.length();
    }

    /** The position to read next. */
    int position() {
        return position;
    }

    /** Whether the text is read to its end. */
    boolean exhausted() {
        return position == end();
    }

    /** The character to read next. */
    char current() {
        return text.charAt(position - base);
    }

    /** The character at a position from {@link #start} on. */
    char at(int at) {
        return text.charAt(at - base);
    }

    /** Reads on. */
    void advance(int count) {
        position += count;
    }

    /** Text from {@link #start} on; a view that the next call of this method changes. */
    CharSequence slice(int from, int to) {
        slice.from = from - base;
        slice.to = to - base;
        return slice;
    }

    void reasoning(int to, DeltaSink out) {
        if (to > start) {
            out.reasoning(slice(start, to));
            start = to;
        }
    }

    void content(int to, DeltaSink out) {
        if (to > start) {
            out.content(slice(start, to));
            start = to;
        }
    }

    void structure(int to, DeltaSink out) {
        if (to > start) {
            out.structure(slice(start, to));
            start = to;
        }
    }

    /** Reads on to where a literal may start. Returns false if there is no such place. */
    boolean seek(Literals literals) {
        int end = text.length();
        int i = position - base;
        while (i < end && !literals.startWith(text.charAt(i))) {
            i++;
        }
        position = base + i;
        return i < end;
    }

    /** Reads on over white space. Returns false if nothing else is there. */
    boolean skipWhiteSpace() {
        while (!exhausted()) {
            if (!Blank.is(current())) {
                return true;
            }
            position++;
        }
        return false;
    }

    /**
     * Tries the literals at {@link #position}. After {@link Found#OPEN} it must be called again with the same
     * literals when there is more text.
     *
     * @param atEnd whether no more text comes; the answer is then {@link Found#CUT} instead of {@link Found#OPEN}
     */
    Found match(Literals literals, boolean atEnd) {
        if (!matching) {
            matching = true;
            node = Literals.ROOT;
            scanned = 0;
            best = null;
            guard = null;
        }
        int limit = end() - position;
        int at = position - base;
        while (guard == null) {
            int next = scanned < limit ? literals.step(node, text.charAt(at + scanned)) : Literals.NONE;
            if (next != Literals.NONE) {
                node = next;
                scanned++;
                Mark mark = literals.mark(node);
                if (mark != null) {
                    best = mark;
                    bestLength = scanned;
                }
                if (!literals.leaf(node)) {
                    continue;
                }
            } else if (scanned == limit && !atEnd) {
                return Found.OPEN;
            }
            if (best == null) {
                return found(scanned == limit ? Found.CUT : Found.TEXT, 1);
            }
            guard = literals.guard(best);
            if (guard == null) {
                return found(Found.MARK, bestLength);
            }
            node = Literals.ROOT;
            scanned = bestLength;
        }
        return matchGuard(guard, limit, at, atEnd);
    }

    private Found matchGuard(Literals follows, int limit, int at, boolean atEnd) {
        while (scanned < limit) {
            char c = text.charAt(at + scanned);
            if (node != Literals.ROOT || !Blank.is(c)) {
                node = follows.step(node, c);
                if (node == Literals.NONE) {
                    return found(Found.TEXT, bestLength);
                }
                if (follows.mark(node) != null) {
                    return found(Found.MARK, bestLength);
                }
            }
            scanned++;
        }
        if (!atEnd) {
            return Found.OPEN;
        }
        return found(mark().endFollows() ? Found.MARK : Found.CUT, bestLength);
    }

    private Found found(Found what, int characters) {
        matching = false;
        length = characters;
        return what;
    }

    /** How many characters {@link #match} decided on. */
    int length() {
        return length;
    }

    /** The literal that {@link #match} found. */
    Mark mark() {
        if (best == null) {
            throw new IllegalStateException("no literal was found");
        }
        return best;
    }

    private final class Slice implements CharSequence {
        private int from;
        private int to;

        @Override
        public int length() {
            return to - from;
        }

        @Override
        public char charAt(int index) {
            return text.charAt(from + index);
        }

        @Override
        public CharSequence subSequence(int begin, int end) {
            return text.substring(from + begin, from + end);
        }

        @Override
        public String toString() {
            return text.substring(from, to);
        }
    }
}
