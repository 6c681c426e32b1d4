package io.glyphgate.jinja.value;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;

/** Python's operators of arithmetic, texts and lists included. */
public final class Arithmetic {
    /** An operator of two values. */
    public enum Operator {
        /** Addition and concatenation. */
        ADD("+"),
        /** Subtraction. */
        SUBTRACT("-"),
        /** Multiplication and repetition. */
        MULTIPLY("*"),
        /** True division. */
        DIVIDE("/"),
        /** Division rounded down. */
        FLOOR_DIVIDE("//"),
        /** Remainder, and formatting of a text. */
        MODULO("%"),
        /** Power. */
        POWER("** or pow()");

        private final String sign;

        Operator(String sign) {
            this.sign = sign;
        }
    }

    private Arithmetic() {}

    /** What an operator makes of two values. */
    public static Object apply(Operator operator, Object a, Object b, Budget budget) {
        if (Types.isNumber(a) && Types.isNumber(b)) {
            return a instanceof Double || b instanceof Double
                    ? ofFloats(operator, Numbers.toDouble(a), Numbers.toDouble(b))
                    : ofIntegers(operator, a, b);
        }
        if (operator == Operator.MODULO && Types.isText(a)) {
            return PercentFormat.format(a, b, budget);
        }
        if (a instanceof Undefined undefined) {
            throw undefined.failure();
        }
        if (b instanceof Undefined undefined) {
            throw undefined.failure();
        }
        return switch (operator) {
            case ADD -> concatenate(a, b, budget);
            case MULTIPLY -> Types.isInteger(a) ? repeat(b, a, a, b, budget) : repeat(a, b, a, b, budget);
            case SUBTRACT, DIVIDE, FLOOR_DIVIDE, MODULO, POWER -> throw unsupported(operator, a, b);
        };
    }

    /** {@code -value}. */
    public static Object negate(Object value) {
        return switch (value) {
            case Double number -> -number;
            case Undefined undefined -> throw undefined.failure();
            default -> {
                if (!Types.isInteger(value)) {
                    throw new TemplateException("bad operand type for unary -: '" + Types.name(value) + "'");
                }
                yield Numbers.shrink(Numbers.big(value).negate());
            }
        };
    }

    /** {@code +value}. */
    public static Object positive(Object value) {
        return switch (value) {
            case Double number -> number;
            case Undefined undefined -> throw undefined.failure();
            default -> {
                if (!Types.isInteger(value)) {
                    throw new TemplateException("bad operand type for unary +: '" + Types.name(value) + "'");
                }
                yield Numbers.shrink(Numbers.big(value));
            }
        };
    }

    private static Object concatenate(Object a, Object b, Budget budget) {
        if (Types.isText(a) && Types.isText(b)) {
            boolean markup = a instanceof Markup || b instanceof Markup;
            String left = markup ? Markup.escape(a, budget).text() : Text.of(a);
            String right = markup ? Markup.escape(b, budget).text() : Text.of(b);
            budget.text((long) left.length() + right.length());
            return markup ? new Markup(left + right) : left + right;
        }
        if (Types.isText(a)) {
            throw new TemplateException("can only concatenate str (not \"" + Types.name(b) + "\") to str");
        }
        if (a instanceof List<?> x) {
            if (b instanceof List<?> y) {
                return joined(x, y, budget);
            }
            throw new TemplateException("can only concatenate list (not \"" + Types.name(b) + "\") to list");
        }
        if (a instanceof Tuple x) {
            if (b instanceof Tuple y) {
                return new Tuple(joined(x.items(), y.items(), budget));
            }
            throw new TemplateException("can only concatenate tuple (not \"" + Types.name(b) + "\") to tuple");
        }
        throw unsupported(Operator.ADD, a, b);
    }

    private static List<Object> joined(List<?> a, List<?> b, Budget budget) {
        budget.step((long) a.size() + b.size());
        List<Object> items = new ArrayList<>(a.size() + b.size());
        items.addAll(a);
        items.addAll(b);
        return items;
    }

    private static Object repeat(Object sequence, Object times, Object a, Object b, Budget budget) {
        boolean repeatable = Types.isText(sequence) || sequence instanceof List<?> || sequence instanceof Tuple;
        if (!repeatable) {
            throw unsupported(Operator.MULTIPLY, a, b);
        }
        if (!Types.isInteger(times)) {
            throw new TemplateException("can't multiply sequence by non-int of type '" + Types.name(times) + "'");
        }
        long count = Math.max(0, Numbers.index(times));
        return switch (sequence) {
            case List<?> list -> repeated(list, count, budget);
            case Tuple tuple -> new Tuple(repeated(tuple.items(), count, budget));
            default -> Text.like(sequence, Text.repeat(Text.of(sequence), count, budget));
        };
    }

    private static List<Object> repeated(List<?> items, long times, Budget budget) {
        if (items.isEmpty()) {
            return List.of();
        }
        budget.step(Math.min(times, Budget.MAX_STEPS + 1L) * items.size());
        List<Object> all = new ArrayList<>((int) times * items.size());
        for (long i = 0; i < times; i++) {
            all.addAll(items);
        }
        return all;
    }

    private static Object ofIntegers(Operator operator, Object a, Object b) {
        BigInteger x = Numbers.big(a);
        BigInteger y = Numbers.big(b);
        return switch (operator) {
            case ADD -> Numbers.shrink(x.add(y));
            case SUBTRACT -> Numbers.shrink(x.subtract(y));
            case MULTIPLY -> Numbers.shrink(x.multiply(y));
            case DIVIDE -> divide(x, y);
            case FLOOR_DIVIDE -> Numbers.shrink(floorDivide(x, y, "integer division or modulo by zero")[0]);
            case MODULO -> Numbers.shrink(floorDivide(x, y, "integer modulo by zero")[1]);
            case POWER -> power(x, y);
        };
    }

    private static Object divide(BigInteger x, BigInteger y) {
        if (y.signum() == 0) {
            throw new TemplateException("division by zero");
        }
        // Enough digits that the second rounding, to a double, cannot fall on the wrong side in practice.
        double quotient = new BigDecimal(x).divide(new BigDecimal(y), new MathContext(60)).doubleValue();
        if (Double.isInfinite(quotient)) {
            throw new TemplateException("integer division result too large for a float");
        }
        return quotient;
    }

    private static BigInteger[] floorDivide(BigInteger x, BigInteger y, String byZero) {
        if (y.signum() == 0) {
            throw new TemplateException(byZero);
        }
        BigInteger[] result = x.divideAndRemainder(y);
        if (result[1].signum() != 0 && result[1].signum() != y.signum()) {
            result[0] = result[0].subtract(BigInteger.ONE);
            result[1] = result[1].add(y);
        }
        return result;
    }

    private static Object power(BigInteger base, BigInteger exponent) {
        if (exponent.signum() < 0) {
            return ofFloats(Operator.POWER, base.doubleValue(), exponent.doubleValue());
        }
        if (base.abs().bitLength() <= 1) {
            return Numbers.shrink(exponent.testBit(0) || exponent.signum() == 0
                    ? exponent.signum() == 0 ? BigInteger.ONE : base
                    : base.abs());
        }
        Budget.integer(exponent.bitLength() > 31 ? Long.MAX_VALUE : base.bitLength() * exponent.longValue());
        return Numbers.shrink(base.pow(exponent.intValueExact()));
    }

    private static Object ofFloats(Operator operator, double x, double y) {
        return switch (operator) {
            case ADD -> x + y;
            case SUBTRACT -> x - y;
            case MULTIPLY -> x * y;
            case DIVIDE -> x / notZero(y, "float division by zero");
            case FLOOR_DIVIDE -> floorDivide(x, notZero(y, "float floor division by zero"));
            case MODULO -> modulo(x, notZero(y, "float modulo"));
            case POWER -> power(x, y);
        };
    }

    private static double notZero(double divisor, String byZero) {
        if (divisor == 0) {
            throw new TemplateException(byZero);
        }
        return divisor;
    }

    private static double modulo(double x, double y) {
        double remainder = x % y;
        if (remainder == 0) {
            return Math.copySign(0, y);
        }
        return remainder < 0 == y < 0 ? remainder : remainder + y;
    }

    private static double floorDivide(double x, double y) {
        double remainder = x % y;
        double quotient = (x - remainder) / y;
        if (remainder != 0 && remainder < 0 != y < 0) {
            quotient -= 1;
        }
        if (quotient == 0) {
            return Math.copySign(0, x / y);
        }
        double floor = Math.floor(quotient);
        return quotient - floor > 0.5 ? floor + 1 : floor;
    }

    private static double power(double x, double y) {
        if (x == 0 && y < 0) {
            throw new TemplateException("0.0 cannot be raised to a negative power");
        }
        if (x < 0 && Double.isFinite(x) && Double.isFinite(y) && y != Math.rint(y)) {
            throw new TemplateException("complex numbers are not supported");
        }
        double result = x == 1 || y == 0 ? 1 : Math.pow(x, y);
        if (Double.isInfinite(result) && Double.isFinite(x) && Double.isFinite(y)) {
            throw new TemplateException("(34, 'Numerical result out of range')");
        }
        return result;
    }

    private static TemplateException unsupported(Operator operator, Object a, Object b) {
        return new TemplateException("unsupported operand type(s) for " + operator.sign + ": '" + Types.name(a)
                + "' and '" + Types.name(b) + "'");
    }
}
