package io.glyphgate.jinja.value;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Iterator;
import java.util.List;

/** Python's {@code ==}: numbers by what they are worth, collections by what they hold. */
public final class Equality {
    /** How many parts a key of a dict may have. */
    private static final int MAX_KEY_PARTS = 64;

    private Equality() {}

    /** Whether two values are equal; each part that is compared is a step. */
    public static boolean equal(Object a, Object b, Budget budget) {
        if (a == b) {
            return !(a instanceof Double number && number.isNaN());
        }
        if (Types.isText(a)) {
            budget.read(Text.of(a));
            return Types.isText(b) && Text.of(a).equals(Text.of(b));
        }
        if (Types.isNumber(a)) {
            return Types.isNumber(b) && equalNumbers(a, b);
        }
        budget.enter();
        boolean equal =
                switch (a) {
                    case List<?> list -> b instanceof List<?> other && equalItems(list, other, budget);
                    case Tuple tuple -> b instanceof Tuple other && equalItems(tuple.items(), other.items(), budget);
                    case Dict dict -> b instanceof Dict other && equalDicts(dict, other, budget);
                    case Range range -> b instanceof Range other && equalRanges(range, other);
                    case Undefined undefined -> b instanceof Undefined;
                    default -> a.equals(b);
                };
        budget.leave();
        return equal;
    }

    private static boolean equalNumbers(Object a, Object b) {
        if (a instanceof Long x && b instanceof Long y) {
            return x.longValue() == y.longValue();
        }
        return Numbers.compare(a, b) == 0;
    }

    private static boolean equalItems(List<?> a, List<?> b, Budget budget) {
        if (a.size() != b.size()) {
            return false;
        }
        for (int i = 0; i < a.size(); i++) {
            if (!equal(a.get(i), b.get(i), budget)) {
                return false;
            }
        }
        return true;
    }

    private static boolean equalDicts(Dict a, Dict b, Budget budget) {
        if (a.size() != b.size()) {
            return false;
        }
        Iterator<Object> keys = a.keys();
        Iterator<Object> values = a.values();
        while (keys.hasNext()) {
            Object other = b.find(keys.next());
            if (other == null || !equal(values.next(), other, budget)) {
                return false;
            }
        }
        return true;
    }

    private static boolean equalRanges(Range a, Range b) {
        int length = a.length();
        return length == b.length()
                && (length == 0 || (a.start() == b.start() && (length == 1 || a.step() == b.step())));
    }

    /** Refuses what cannot be the key of a dict. */
    static void checkKey(Object key) {
        checkKey(key, MAX_KEY_PARTS);
    }

    private static int checkKey(Object key, int partsLeft) {
        if (partsLeft == 0) {
            throw new TemplateException("the key of a dict has more than " + MAX_KEY_PARTS + " parts");
        }
        int left = partsLeft - 1;
        switch (key) {
            case List<?> list -> throw unhashable(key);
            case Dict dict -> throw unhashable(key);
            case DictView view -> throw unhashable(key);
            case Tuple tuple -> {
                for (Object item : tuple.items()) {
                    left = checkKey(item, left);
                }
            }
            default -> {}
        }
        return left;
    }

    private static TemplateException unhashable(Object key) {
        return new TemplateException("unhashable type: '" + Types.name(key) + "'");
    }

    /** The same for equal keys. */
    static int hash(Object key) {
        if (key instanceof Tuple tuple) {
            int hash = 1;
            for (Object item : tuple.items()) {
                hash = 31 * hash + hash(item);
            }
            return hash;
        }
        return switch (key) {
            case Boolean truth -> Long.hashCode(truth ? 1 : 0);
            case Long integer -> integer.hashCode();
            case BigInteger integer -> integer.hashCode();
            case Double number -> hash(number.doubleValue());
            case Markup markup -> markup.text().hashCode();
            case Undefined undefined -> 0;
            default -> key.hashCode();
        };
    }

    private static int hash(double number) {
        if (number != Math.rint(number) || Double.isInfinite(number)) {
            return Double.hashCode(number);
        }
        return hash(Numbers.shrink(new BigDecimal(number).toBigInteger()));
    }
}
