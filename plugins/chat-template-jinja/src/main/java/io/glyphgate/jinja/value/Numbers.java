package io.glyphgate.jinja.value;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import java.math.BigDecimal;
import java.math.BigInteger;

/** Python's numbers: an integer is a {@link Long} when it fits and a {@link BigInteger} when not; True is 1. */
public final class Numbers {
    /** What {@link #compare} gives when one of them is no number. */
    static final int UNORDERED = 2;

    private static final BigInteger MIN_LONG = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger MAX_LONG = BigInteger.valueOf(Long.MAX_VALUE);

    private Numbers() {}

    /** An integer in its smaller form. */
    public static Object shrink(BigInteger integer) {
        if (integer.compareTo(MIN_LONG) >= 0 && integer.compareTo(MAX_LONG) <= 0) {
            return integer.longValue();
        }
        Budget.integer(integer.bitLength());
        return integer;
    }

    /** An integer of any form in its larger form. */
    public static BigInteger big(Object integer) {
        return switch (integer) {
            case Boolean truth -> truth ? BigInteger.ONE : BigInteger.ZERO;
            case Long value -> BigInteger.valueOf(value);
            case BigInteger value -> value;
            default -> throw notAnInteger(integer);
        };
    }

    /** An integer that must fit where it is used, for example as an index. */
    public static long index(Object integer) {
        return switch (integer) {
            case Boolean truth -> truth ? 1 : 0;
            case Long value -> value;
            case BigInteger value -> throw new TemplateException("cannot fit 'int' into an index-sized integer");
            case Undefined undefined -> throw undefined.failure();
            default -> throw notAnInteger(integer);
        };
    }

    private static TemplateException notAnInteger(Object value) {
        return new TemplateException("'" + Types.name(value) + "' object cannot be interpreted as an integer");
    }

    /** A number as a floating point number. */
    public static double toDouble(Object number) {
        return switch (number) {
            case Boolean truth -> truth ? 1 : 0;
            case Long value -> value;
            case Double value -> value;
            case BigInteger value -> {
                double nearest = value.doubleValue();
                if (Double.isInfinite(nearest)) {
                    throw new TemplateException("int too large to convert to float");
                }
                yield nearest;
            }
            case Undefined undefined -> throw undefined.failure();
            default -> throw new TemplateException("must be real number, not " + Types.name(number));
        };
    }

    /** A floating point number without its fraction; fails for what has no end. */
    public static Object truncate(double number) {
        if (Double.isNaN(number)) {
            throw new TemplateException("cannot convert float NaN to integer");
        }
        if (Double.isInfinite(number)) {
            throw new TemplateException("cannot convert float infinity to integer");
        }
        return shrink(new BigDecimal(number).toBigInteger());
    }

    /** Compares two numbers exactly: less than 0, 0, 1, or {@link #UNORDERED}. */
    static int compare(Object a, Object b) {
        if (a instanceof Long x && b instanceof Long y) {
            return Long.compare(x, y);
        }
        if (a instanceof Double || b instanceof Double) {
            return compareFloats(a, b);
        }
        return big(a).compareTo(big(b));
    }

    private static int compareFloats(Object a, Object b) {
        if (isFinite(a) && isFinite(b)) {
            return exact(a).compareTo(exact(b));
        }
        double x = approximate(a);
        double y = approximate(b);
        return Double.isNaN(x) || Double.isNaN(y) ? UNORDERED : Double.compare(x, y);
    }

    private static boolean isFinite(Object number) {
        return !(number instanceof Double value) || Double.isFinite(value);
    }

    /** Near enough beside a number that has no end. */
    private static double approximate(Object number) {
        return number instanceof Double value ? value : big(number).signum();
    }

    private static BigDecimal exact(Object number) {
        return number instanceof Double value ? new BigDecimal(value) : new BigDecimal(big(number));
    }
}
