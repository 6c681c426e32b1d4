package io.glyphgate.jinja.value;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Floating point numbers as Python writes them. */
public final class FloatText {
    private static final int REPR_SMALLEST_EXPONENT = -4;
    private static final int REPR_LARGEST_EXPONENT = 16;

    private FloatText() {}

    /** The shortest text that reads back as the same number. */
    public static String repr(double number) {
        if (!Double.isFinite(number)) {
            return notFinite(number, "nan", "inf");
        }
        if (number == 0) {
            return isNegative(number) ? "-0.0" : "0.0";
        }
        BigDecimal decimal = shortest(number);
        int exponent = exponent(decimal);
        if (exponent >= REPR_SMALLEST_EXPONENT && exponent < REPR_LARGEST_EXPONENT) {
            String plain = decimal.toPlainString();
            return plain.indexOf('.') < 0 ? plain + ".0" : plain;
        }
        return scientific(decimal, 'e');
    }

    /** The fewest digits that read back as the same number. Java writes two where one would do. */
    private static BigDecimal shortest(double number) {
        BigDecimal decimal = new BigDecimal(Double.toString(number)).stripTrailingZeros();
        BigDecimal shorter = decimal.round(new MathContext(1, RoundingMode.HALF_EVEN));
        return decimal.precision() == 2 && shorter.doubleValue() == number ? shorter : decimal;
    }

    /** A number that is none, or has no end. */
    public static String notFinite(double number, String nan, String infinity) {
        return Double.isNaN(number) ? nan : number < 0 ? "-" + infinity : infinity;
    }

    /** Whether there is a sign to write: -0.0 has one. */
    public static boolean isNegative(double number) {
        return Double.doubleToRawLongBits(number) < 0 && !Double.isNaN(number);
    }

    /**
     * {@code %f} and its like of a finite number without its sign.
     *
     * @param type one of {@code e f g}, or the capital letter
     * @param precision digits after the point; for {@code g} digits in all
     * @param alternate whether the point and the zeros at the end stay
     */
    public static String format(double number, char type, int precision, boolean alternate) {
        BigDecimal exact = new BigDecimal(Math.abs(number));
        String text =
                switch (Character.toLowerCase(type)) {
                    case 'f' -> exact.setScale(precision, RoundingMode.HALF_EVEN).toPlainString();
                    case 'e' -> exponential(exact, precision);
                    default -> general(exact, Math.max(precision, 1), alternate);
                };
        if (alternate && text.indexOf('.') < 0) {
            int end = text.indexOf('e') < 0 ? text.length() : text.indexOf('e');
            text = text.substring(0, end) + '.' + text.substring(end);
        }
        return Character.isUpperCase(type) ? text.toUpperCase(Locale.ROOT) : text;
    }

    private static String exponential(BigDecimal exact, int precision) {
        if (exact.signum() == 0) {
            return "0" + (precision > 0 ? "." + "0".repeat(precision) : "") + "e+00";
        }
        BigDecimal rounded = exact.round(new MathContext(precision + 1, RoundingMode.HALF_EVEN));
        int exponent = exponent(rounded);
        String mantissa = rounded.movePointLeft(exponent)
                .setScale(precision, RoundingMode.HALF_EVEN)
                .toPlainString();
        return mantissa + 'e' + exponentText(exponent);
    }

    private static String general(BigDecimal exact, int precision, boolean alternate) {
        BigDecimal rounded = exact.round(new MathContext(precision, RoundingMode.HALF_EVEN));
        int exponent = exact.signum() == 0 ? 0 : exponent(rounded);
        if (exponent >= REPR_SMALLEST_EXPONENT && exponent < precision) {
            BigDecimal plain = rounded.setScale(precision - 1 - exponent, RoundingMode.HALF_EVEN);
            return alternate ? plain.toPlainString() : withoutZeros(plain.toPlainString());
        }
        String text = exponential(exact, precision - 1);
        if (alternate) {
            return text;
        }
        int e = text.indexOf('e');
        return withoutZeros(text.substring(0, e)) + text.substring(e);
    }

    private static String withoutZeros(String text) {
        if (text.indexOf('.') < 0) {
            return text;
        }
        int end = text.length();
        while (text.charAt(end - 1) == '0') {
            end--;
        }
        return text.substring(0, text.charAt(end - 1) == '.' ? end - 1 : end);
    }

    private static String scientific(BigDecimal decimal, char mark) {
        int exponent = exponent(decimal);
        return decimal.movePointLeft(exponent).stripTrailingZeros().toPlainString() + mark + exponentText(exponent);
    }

    private static int exponent(BigDecimal decimal) {
        return decimal.precision() - decimal.scale() - 1;
    }

    private static String exponentText(int exponent) {
        String digits = Integer.toString(Math.abs(exponent));
        return (exponent < 0 ? "-" : "+") + (digits.length() < 2 ? "0" : "") + digits;
    }
}
