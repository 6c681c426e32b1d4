package io.glyphgate.toolkit;

import java.math.BigInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Numbers and names in Python's notation as JSON. */
final class PythonLiteral {
    // Possessive, because a group that may give back digits costs stack for each of them.
    private static final Pattern INTEGER = Pattern.compile("([+-]?)(0(?:_?0)*+|[1-9](?:_?[0-9])*+)");
    private static final Pattern RADIX = Pattern.compile("([+-]?)0(?:[xX]([0-9a-fA-F_]+)|[oO]([0-7_]+)|[bB]([01_]+))");
    private static final Pattern REAL =
            Pattern.compile("([+-]?)([0-9](?:_?[0-9])*+)?(?:\\.([0-9](?:_?[0-9])*+)?)?([eE][+-]?[0-9]+)?");

    private PythonLiteral() {}

    /** The JSON of a word; null if it is no literal, or none that JSON can write. */
    static @Nullable String json(String word) {
        switch (word) {
            case "True", "true" -> {
                return "true";
            }
            case "False", "false" -> {
                return "false";
            }
            case "None", "null" -> {
                return "null";
            }
            default -> {
                return number(word);
            }
        }
    }

    private static @Nullable String number(String word) {
        Matcher integer = INTEGER.matcher(word);
        if (integer.matches()) {
            String digits = integer.group(2).startsWith("0") ? "0" : integer.group(2);
            return signed(integer.group(1), digits.replace("_", ""));
        }
        Matcher radix = RADIX.matcher(word);
        if (radix.matches()) {
            return radix(radix);
        }
        Matcher real = REAL.matcher(word);
        boolean integral = word.indexOf('.') < 0 && real.matches() && real.group(4) == null;
        if (!real.matches() || integral || (real.group(2) == null && real.group(3) == null)) {
            return null;
        }
        String text =
                signed(real.group(1), whole(part(real.group(2))) + "." + part(real.group(3)) + text(real.group(4)));
        return Double.isFinite(Double.parseDouble(text)) ? text : null;
    }

    private static @Nullable String radix(Matcher radix) {
        int[] bases = {16, 8, 2};
        for (int i = 0; i < bases.length; i++) {
            String digits = text(radix.group(i + 2)).replace("_", "");
            if (!digits.isEmpty()) {
                return signed(radix.group(1), new BigInteger(digits, bases[i]).toString());
            }
        }
        return null;
    }

    private static String signed(String sign, String number) {
        return sign.equals("-") ? "-" + number : number;
    }

    private static String text(@Nullable String group) {
        return group == null ? "" : group;
    }

    /** JSON allows no zeros at the start of a number. */
    private static String whole(String digits) {
        return digits.replaceFirst("^0+(?=[0-9])", "");
    }

    private static String part(@Nullable String digits) {
        if (digits == null) {
            return "0";
        }
        return digits.replace("_", "");
    }
}
