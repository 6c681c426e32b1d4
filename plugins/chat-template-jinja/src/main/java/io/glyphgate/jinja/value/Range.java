package io.glyphgate.jinja.value;

import io.glyphgate.jinja.TemplateException;
import java.util.Iterator;
import java.util.stream.LongStream;

/**
 * Python's range.
 *
 * @param start the first number
 * @param stop where it ends, itself not in it
 * @param step the distance, not 0
 */
public record Range(long start, long stop, long step) {
    /** The longest range that the sandbox allows. */
    public static final int MAX_LENGTH = 100_000;

    /** Refuses a step of 0, and what the sandbox refuses. */
    public Range {
        if (step == 0) {
            throw new TemplateException("range() arg 3 must not be zero");
        }
        if (length(start, stop, step) > MAX_LENGTH) {
            throw new TemplateException(
                    "Range too big. The sandbox blocks ranges larger than MAX_RANGE (" + MAX_LENGTH + ").");
        }
    }

    private static double length(long start, long stop, long step) {
        return Math.ceil(((double) stop - start) / step);
    }

    /** How many numbers it holds. */
    public int length() {
        return Math.max(0, (int) length(start, stop, step));
    }

    /** The number at an index. */
    public long at(long index) {
        return start + index * step;
    }

    /** The numbers in order. */
    public Iterator<Object> iterator() {
        return LongStream.range(0, length()).mapToObj(index -> (Object) at(index)).iterator();
    }
}
