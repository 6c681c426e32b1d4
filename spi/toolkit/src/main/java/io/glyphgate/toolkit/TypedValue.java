package io.glyphgate.toolkit;

import com.fasterxml.jackson.core.JsonToken;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes JSON of a value that the model wrote as bare text. */
final class TypedValue {
    private TypedValue() {}

    /**
     * The JSON text of a value by the types that its schema allows. The first type that fits wins, in the order of
     * {@link ValueType}; where none fits, a text that is JSON stays what it is.
     *
     * @return null if the value is a string
     */
    static @Nullable String json(String text, Set<ValueType> types) {
        for (ValueType type : types) {
            String json =
                    switch (type) {
                        case NULL -> text.equalsIgnoreCase("null") ? "null" : null;
                        case INTEGER -> integer(text);
                        case NUMBER -> number(text);
                        case BOOLEAN -> bool(text);
                        case OBJECT -> value(text, JsonToken.START_OBJECT);
                        case ARRAY -> value(text, JsonToken.START_ARRAY);
                        case STRING -> null;
                    };
            if (json != null || type == ValueType.STRING) {
                return json;
            }
        }
        return value(text, JsonToken.NOT_AVAILABLE);
    }

    /** The first characters of a value that the end of the output cut short, where its text is JSON already. */
    static @Nullable String openJson(String text, Set<ValueType> types) {
        boolean any = types.isEmpty();
        boolean structured = ((any || types.contains(ValueType.OBJECT)) && text.startsWith("{"))
                || ((any || types.contains(ValueType.ARRAY)) && text.startsWith("["));
        return structured ? text : json(text, types);
    }

    private static @Nullable String value(String text, JsonToken start) {
        return Json.isValue(text, start) ? text.strip() : null;
    }

    private static @Nullable String bool(String text) {
        return switch (Blank.strip(text).toLowerCase(Locale.ROOT)) {
            case "true", "1" -> "true";
            case "false", "0" -> "false";
            default -> null;
        };
    }

    /** An integer of any size as Python reads it: a sign, and {@code _} between digits, are allowed. */
    private static @Nullable String integer(String text) {
        String plain = Blank.strip(text);
        boolean negative = plain.startsWith("-");
        String digits = negative || plain.startsWith("+") ? plain.substring(1) : plain;
        if (!digits(digits, 0, digits.length())) {
            return null;
        }
        String bare = digits.replace("_", "");
        int first = 0;
        while (first < bare.length() - 1 && bare.charAt(first) == '0') {
            first++;
        }
        String value = bare.substring(first);
        return negative && !value.equals("0") ? "-" + value : value;
    }

    private static boolean digits(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            boolean joint = c == '_' && i > from && i + 1 < to && text.charAt(i - 1) != '_';
            if (!joint && (c < '0' || c > '9')) {
                return false;
            }
        }
        return to > from;
    }

    private static @Nullable String number(String text) {
        String whole = integer(text);
        if (whole != null) {
            return whole;
        }
        String plain = Blank.strip(text);
        if (!decimal(plain)) {
            return null;
        }
        double value = Double.parseDouble(plain.replace("_", ""));
        if (!Double.isFinite(value)) {
            return null;
        }
        if (value == Math.rint(value)) {
            return new BigDecimal(value).toBigInteger().toString();
        }
        return python(value);
    }

    /** Whether a text is a decimal number with digits, and perhaps a point and an exponent. */
    private static boolean decimal(String text) {
        int at = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
        int exponent = Math.max(text.indexOf('e'), text.indexOf('E'));
        int end = exponent < 0 ? text.length() : exponent;
        int point = text.indexOf('.');
        if (point >= end) {
            return false;
        }
        int wholeEnd = point < 0 ? end : point;
        boolean whole = digits(text, at, wholeEnd);
        boolean fraction = point >= 0 && digits(text, point + 1, end);
        if (!(whole || wholeEnd == at) || !(fraction || point < 0 || point + 1 == end) || !(whole || fraction)) {
            return false;
        }
        if (exponent < 0) {
            return true;
        }
        int power = exponent + 1;
        boolean signed = power < text.length() && (text.charAt(power) == '-' || text.charAt(power) == '+');
        return digits(text, signed ? power + 1 : power, text.length());
    }

    /** A number that is not whole, as Python writes it. */
    private static String python(double value) {
        BigDecimal shortest = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        int exponent = shortest.precision() - shortest.scale() - 1;
        if (exponent >= -4) {
            return shortest.toPlainString();
        }
        String digits = shortest.unscaledValue().abs().toString();
        String mantissa = digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
        return (value < 0 ? "-" : "") + mantissa + "e-" + (exponent > -10 ? "0" : "") + -exponent;
    }
}
