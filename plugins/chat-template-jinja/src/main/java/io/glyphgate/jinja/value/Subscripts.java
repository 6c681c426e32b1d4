package io.glyphgate.jinja.value;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Python's {@code value[index]} and {@code value[start:stop:step]}. */
public final class Subscripts {
    private Subscripts() {}

    /**
     * The item of a value.
     *
     * @return null if the value has no items, or no such one
     */
    public static @Nullable Object item(Object value, Object key) {
        return switch (value) {
            case Dict dict -> dict.find(key);
            case Undefined undefined -> throw undefined.failure();
            case List<?> list -> at(list, key);
            case Tuple tuple -> at(tuple.items(), key);
            case String text -> character(text, key);
            case Markup markup -> {
                String character = character(markup.text(), key);
                yield character == null ? null : new Markup(character);
            }
            case Range range -> {
                long index = index(key, range.length());
                yield index < 0 ? null : (Object) range.at(index);
            }
            default -> null;
        };
    }

    private static @Nullable Object at(List<?> items, Object key) {
        long index = index(key, items.size());
        return index < 0 ? null : items.get((int) index);
    }

    private static @Nullable String character(String text, Object key) {
        int length = Text.length(text);
        long index = index(key, length);
        return index < 0 ? null : Text.part(text, (int) index, (int) index + 1);
    }

    /** The index from the start; -1 if there is none. */
    private static long index(Object key, int length) {
        if (!(key instanceof Long || key instanceof Boolean)) {
            return -1;
        }
        long index = Numbers.index(key);
        long fromStart = index < 0 ? index + length : index;
        return fromStart < length ? Math.max(fromStart, -1) : -1;
    }

    /**
     * A slice of a value.
     *
     * @param start where it starts; None for the end that it starts from
     * @param stop where it ends; None for the other end
     * @param step the distance; None for 1
     */
    public static Object slice(Object value, Object start, Object stop, Object step, Budget budget) {
        if (Types.isText(value)) {
            budget.read(Text.of(value));
        }
        return switch (value) {
            case String text -> text(text, bounds(start, stop, step, Text.length(text)), budget);
            case Markup markup -> new Markup(
                    text(markup.text(), bounds(start, stop, step, Text.length(markup.text())), budget));
            case List<?> list -> items(list, bounds(start, stop, step, list.size()), budget);
            case Tuple tuple -> new Tuple(
                    items(tuple.items(), bounds(start, stop, step, tuple.items().size()), budget));
            case Range range -> {
                Bounds bounds = bounds(start, stop, step, range.length());
                yield new Range(range.at(bounds.start), range.at(bounds.stop), range.step() * bounds.step);
            }
            case Undefined undefined -> throw undefined.failure();
            case Dict dict -> throw new TemplateException("unhashable type: 'slice'");
            default -> throw new TemplateException("'" + Types.name(value) + "' object is not subscriptable");
        };
    }

    /** Where a slice goes: the indices start, start + step and so on, count of them. */
    private record Bounds(long start, long stop, long step) {
        int count() {
            long distance = step > 0 ? stop - start : start - stop;
            long stride = Math.abs(step);
            return distance <= 0 ? 0 : (int) ((distance + stride - 1) / stride);
        }

        int index(int i) {
            return (int) (start + i * step);
        }
    }

    private static Bounds bounds(Object start, Object stop, Object step, int length) {
        long stride = step == None.NONE ? 1 : bound(step);
        if (stride == 0) {
            throw new TemplateException("slice step cannot be zero");
        }
        // Beyond the length a stride takes one item, and its product with an index must not overflow.
        stride = Math.max(-length - 1L, Math.min(length + 1L, stride));
        long lowest = stride > 0 ? 0 : -1;
        long highest = stride > 0 ? length : length - 1L;
        long from = start == None.NONE ? stride > 0 ? lowest : highest : clamp(bound(start), length, lowest, highest);
        long to = stop == None.NONE ? stride > 0 ? highest : lowest : clamp(bound(stop), length, lowest, highest);
        return new Bounds(from, to, stride);
    }

    private static long clamp(long bound, int length, long lowest, long highest) {
        long fromStart = bound < 0 ? bound + length : bound;
        return Math.max(lowest, Math.min(highest, fromStart));
    }

    private static long bound(Object value) {
        if (value instanceof Undefined undefined) {
            throw undefined.failure();
        }
        if (!Types.isInteger(value)) {
            throw new TemplateException("slice indices must be integers or None or have an __index__ method");
        }
        return saturated(value);
    }

    /** No text or list is so long that a larger number makes a difference. */
    private static long saturated(Object integer) {
        return Numbers.big(integer)
                .max(BigInteger.valueOf(Integer.MIN_VALUE))
                .min(BigInteger.valueOf(Integer.MAX_VALUE))
                .longValue();
    }

    private static String text(String text, Bounds bounds, Budget budget) {
        budget.text(bounds.count());
        if (bounds.step == 1) {
            return bounds.stop <= bounds.start ? "" : Text.part(text, (int) bounds.start, (int) bounds.stop);
        }
        int[] codePoints = text.codePoints().toArray();
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < bounds.count(); i++) {
            out.appendCodePoint(codePoints[bounds.index(i)]);
        }
        return out.toString();
    }

    private static List<Object> items(List<?> items, Bounds bounds, Budget budget) {
        int count = bounds.count();
        budget.step(count);
        List<Object> out = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            out.add(items.get(bounds.index(i)));
        }
        return out;
    }
}
