package io.glyphgate.jinja.builtin;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.value.Arithmetic;
import io.glyphgate.jinja.value.FloatText;
import io.glyphgate.jinja.value.Numbers;
import io.glyphgate.jinja.value.Text;
import io.glyphgate.jinja.value.Types;
import io.glyphgate.jinja.value.Undefined;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The filters for numbers. */
final class NumberFilters {
    private static final List<String> PREFIXES = List.of("k", "M", "G", "T", "P", "E", "Z", "Y");

    static final Functions FILTERS = new Functions()
            .define("abs(x)", (in, budget) -> absolute(in.value(0)))
            .define("int(value, default=, base=)", (in, budget) -> toInteger(in))
            .define("float(value, default=)", (in, budget) -> toFloat(in))
            .define("round(value, precision=, method=)", NumberFilters::round)
            .define("filesizeformat(value, binary=)", (in, budget) -> fileSize(in));

    private NumberFilters() {}

    private static Object absolute(Object value) {
        if (value instanceof Double number) {
            return Math.abs(number);
        }
        if (!Types.isInteger(value)) {
            throw new TemplateException("bad operand type for abs(): '" + Types.name(value) + "'");
        }
        return Numbers.shrink(Numbers.big(value).abs());
    }

    private static Object toInteger(Inputs in) {
        Object value = in.value(0);
        Object preset = in.value(1, 0L);
        if (value instanceof Undefined undefined) {
            throw undefined.failure();
        }
        if (Types.isText(value)) {
            return NumberText.integer(Text.of(value), (int) in.number(2, 10))
                    .or(() -> NumberText.decimal(Text.of(value)).filter(Double::isFinite).map(Numbers::truncate))
                    .orElse(preset);
        }
        if (value instanceof Double number) {
            return number.isNaN() ? preset : Numbers.truncate(number);
        }
        return Types.isInteger(value) ? Numbers.shrink(Numbers.big(value)) : preset;
    }

    private static Object toFloat(Inputs in) {
        Object value = in.value(0);
        if (Types.isText(value)) {
            Optional<Double> number = NumberText.decimal(Text.of(value));
            return number.isPresent() ? number.get() : in.value(1, 0.0);
        }
        boolean number = Types.isNumber(value) || value instanceof Undefined;
        return number ? (Object) Numbers.toDouble(value) : in.value(1, 0.0);
    }

    private static Object round(Inputs in, Budget budget) {
        Object value = in.value(0);
        long precision = in.number(1, 0);
        String method = Text.str(in.value(2, "common"), budget);
        if (!Types.isNumber(value)) {
            throw new TemplateException("type " + Types.name(value) + " doesn't define __round__ method");
        }
        return switch (method) {
            case "common" -> value instanceof Double number
                    ? (Object) roundDouble(number, precision)
                    : roundInteger(Numbers.big(value), precision);
            case "ceil", "floor" -> {
                Object scale = power10(precision, budget);
                Object scaled = Arithmetic.apply(Arithmetic.Operator.MULTIPLY, value, scale, budget);
                Object whole = scaled instanceof Double number
                        ? Numbers.truncate(method.equals("ceil") ? Math.ceil(number) : Math.floor(number))
                        : scaled;
                yield Arithmetic.apply(Arithmetic.Operator.DIVIDE, whole, scale, budget);
            }
            default -> throw new TemplateException("method must be common, ceil or floor");
        };
    }

    private static Object power10(long precision, Budget budget) {
        return Arithmetic.apply(Arithmetic.Operator.POWER, 10L, precision, budget);
    }

    private static double roundDouble(double number, long precision) {
        if (!Double.isFinite(number) || precision > 400) {
            return number;
        }
        int digits = (int) Math.max(precision, -400);
        double rounded = new BigDecimal(number).setScale(digits, RoundingMode.HALF_EVEN).doubleValue();
        return Math.copySign(rounded, number);
    }

    private static Object roundInteger(BigInteger number, long precision) {
        if (precision >= 0) {
            return Numbers.shrink(number);
        }
        int digits = (int) Math.max(precision, -Budget.MAX_INTEGER_BITS);
        return Numbers.shrink(
                new BigDecimal(number).setScale(digits, RoundingMode.HALF_EVEN).toBigInteger());
    }

    private static String fileSize(Inputs in) {
        boolean binary = in.flag(1);
        Object value = in.value(0);
        double bytes = Types.isText(value)
                ? NumberText.decimal(Text.of(value)).orElseThrow(
                        () -> new TemplateException("could not convert string to float: '" + Text.of(value) + "'"))
                : Numbers.toDouble(value);
        int base = binary ? 1024 : 1000;
        if (bytes == 1) {
            return "1 Byte";
        }
        if (bytes < base) {
            return (long) bytes + " Bytes";
        }
        double unit = base;
        int power = 0;
        while (power < PREFIXES.size() - 1 && bytes >= unit * base) {
            unit *= base;
            power++;
        }
        String prefix = binary ? PREFIXES.get(power).toUpperCase(Locale.ROOT) + "i" : PREFIXES.get(power);
        return FloatText.format(bytes / unit, 'f', 1, false) + " " + prefix + "B";
    }
}
