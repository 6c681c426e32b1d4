package io.glyphgate.jinja.builtin;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.value.Numbers;
import io.glyphgate.jinja.value.Text;
import java.math.BigInteger;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Numbers out of text, in Python's spelling. */
final class NumberText {
    private static final Pattern DECIMAL =
            Pattern.compile("[+-]?(?:\\d+(?:_\\d+)*\\.?(?:\\d+(?:_\\d+)*)?|\\.\\d+(?:_\\d+)*)(?:[eE][+-]?\\d+(?:_\\d+)*)?");
    private static final Pattern SPECIAL = Pattern.compile("([+-]?)(?:(inf|infinity)|nan)");

    private NumberText() {}

    /**
     * An integer.
     *
     * @param base 2 to 36, or 0 to go by the prefix
     * @return empty if the text is none
     */
    static Optional<Object> integer(String text, int base) {
        String digits = Text.stripStart(Text.stripEnd(text)).toLowerCase(Locale.ROOT);
        boolean negative = digits.startsWith("-");
        if (negative || digits.startsWith("+")) {
            digits = digits.substring(1);
        }
        int radix = base;
        int prefixed = digits.startsWith("0x") ? 16 : digits.startsWith("0o") ? 8 : digits.startsWith("0b") ? 2 : 0;
        if (prefixed != 0 && (base == 0 || base == prefixed)) {
            radix = prefixed;
            digits = digits.substring(2);
            digits = digits.startsWith("_") ? digits.substring(1) : digits;
        } else if (base == 0) {
            radix = 10;
        }
        boolean plain = radix >= Character.MIN_RADIX && radix <= Character.MAX_RADIX && isDigits(digits, radix);
        if (!plain || digits.length() > Budget.MAX_INTEGER_BITS) {
            return Optional.empty();
        }
        BigInteger value = new BigInteger(digits.replace("_", ""), radix);
        return Optional.of(Numbers.shrink(negative ? value.negate() : value));
    }

    private static boolean isDigits(String text, int radix) {
        char before = '_';
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '_' ? before == '_' : Character.digit(c, radix) < 0) {
                return false;
            }
            before = c;
        }
        return before != '_';
    }

    /** A floating point number; empty if the text is none. */
    static Optional<Double> decimal(String text) {
        String number = Text.stripStart(Text.stripEnd(text)).toLowerCase(Locale.ROOT);
        if (number.length() <= Budget.MAX_INTEGER_BITS && DECIMAL.matcher(number).matches()) {
            return Optional.of(Double.valueOf(number.replace("_", "")));
        }
        var special = SPECIAL.matcher(number);
        if (!special.matches()) {
            return Optional.empty();
        }
        double value = special.group(2) == null ? Double.NaN : Double.POSITIVE_INFINITY;
        return Optional.of(special.group(1).equals("-") ? -value : value);
    }
}
