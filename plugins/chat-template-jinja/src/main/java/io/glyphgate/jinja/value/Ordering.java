package io.glyphgate.jinja.value;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import java.util.ArrayList;
import java.util.List;

/** Python's {@code <} and its like, and its sorting. */
public final class Ordering {
    /** A comparison. */
    public enum Operator {
        /** Less than. */
        LESS("<"),
        /** Less than or equal. */
        LESS_OR_EQUAL("<="),
        /** Greater than. */
        GREATER(">"),
        /** Greater than or equal. */
        GREATER_OR_EQUAL(">=");

        private final String sign;

        Operator(String sign) {
            this.sign = sign;
        }

        private boolean holds(int comparison) {
            return comparison != Numbers.UNORDERED
                    && switch (this) {
                        case LESS -> comparison < 0;
                        case LESS_OR_EQUAL -> comparison <= 0;
                        case GREATER -> comparison > 0;
                        case GREATER_OR_EQUAL -> comparison >= 0;
                    };
        }
    }

    private Ordering() {}

    /** Whether a comparison holds; fails for values that have no order. */
    public static boolean holds(Operator operator, Object a, Object b, Budget budget) {
        return operator.holds(compare(operator, a, b, budget));
    }

    /** Whether one value comes before another; fails for values that have no order. */
    public static boolean less(Object a, Object b, Budget budget) {
        return holds(Operator.LESS, a, b, budget);
    }

    /** The same items in order; equal ones stay as they were, also when the order is turned round. */
    public static List<Object> sorted(
            List<Object> items, java.util.function.Function<Object, Object> key, boolean reverse, Budget budget) {
        List<Keyed> keyed = new ArrayList<>(items.size());
        for (Object item : items) {
            keyed.add(new Keyed(key.apply(item), item));
        }
        return mergeSort(keyed, reverse, budget).stream().map(Keyed::item).toList();
    }

    private record Keyed(Object key, Object item) {}

    /** Of our own, because the JDK's refuses an order as odd as that of NaN. */
    private static List<Keyed> mergeSort(List<Keyed> items, boolean reverse, Budget budget) {
        if (items.size() < 2) {
            return items;
        }
        int middle = items.size() / 2;
        List<Keyed> left = mergeSort(items.subList(0, middle), reverse, budget);
        List<Keyed> right = mergeSort(items.subList(middle, items.size()), reverse, budget);
        List<Keyed> merged = new ArrayList<>(items.size());
        int l = 0;
        int r = 0;
        while (l < left.size() && r < right.size()) {
            budget.step(1);
            Object a = left.get(l).key();
            Object b = right.get(r).key();
            boolean rightFirst = reverse ? less(a, b, budget) : less(b, a, budget);
            merged.add(rightFirst ? right.get(r++) : left.get(l++));
        }
        merged.addAll(left.subList(l, left.size()));
        merged.addAll(right.subList(r, right.size()));
        return merged;
    }

    private static int compare(Operator operator, Object a, Object b, Budget budget) {
        if (Types.isNumber(a) && Types.isNumber(b)) {
            return Numbers.compare(a, b);
        }
        if (Types.isText(a) && Types.isText(b)) {
            return compareTexts(Text.of(a), Text.of(b));
        }
        if (a instanceof List<?> x && b instanceof List<?> y) {
            return compareItems(operator, x, y, budget);
        }
        if (a instanceof Tuple x && b instanceof Tuple y) {
            return compareItems(operator, x.items(), y.items(), budget);
        }
        if (a instanceof Undefined undefined) {
            throw undefined.failure();
        }
        if (b instanceof Undefined undefined) {
            throw undefined.failure();
        }
        throw new TemplateException("'" + operator.sign + "' not supported between instances of '" + Types.name(a)
                + "' and '" + Types.name(b) + "'");
    }

    /** By code points, which surrogates in Java's own order are not. */
    private static int compareTexts(String a, String b) {
        int common = Math.min(a.length(), b.length());
        for (int i = 0; i < common; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                boolean bothOrNone = Character.isSurrogate(x) == Character.isSurrogate(y);
                return bothOrNone ? Integer.compare(x, y) : Character.isSurrogate(x) ? 1 : -1;
            }
        }
        return Integer.compare(a.length(), b.length());
    }

    private static int compareItems(Operator operator, List<?> a, List<?> b, Budget budget) {
        int common = Math.min(a.size(), b.size());
        for (int i = 0; i < common; i++) {
            if (!Equality.equal(a.get(i), b.get(i), budget)) {
                budget.enter();
                int comparison = compare(operator, a.get(i), b.get(i), budget);
                budget.leave();
                return comparison;
            }
        }
        return Integer.compare(a.size(), b.size());
    }
}
