package io.glyphgate.proxy.choice;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** The grammar of JSON's numbers. */
final class JsonNumber {
    /** More would not fit what holds an exponent here; no reader takes such a number. */
    private static final int MOST_EXPONENT_DIGITS = 9;

    private JsonNumber() {}

    /** {@link JsonType#INTEGER} or {@link JsonType#NUMBER}; null if a text is no number. */
    static @Nullable JsonType type(CharSequence text) {
        int start = text.length() > 0 && text.charAt(0) == '-' ? 1 : 0;
        int whole = digits(text, start);
        if (whole == start || (whole > start + 1 && text.charAt(start) == '0')) {
            return null;
        }
        int at = whole;
        if (at < text.length() && text.charAt(at) == '.') {
            int fraction = digits(text, at + 1);
            if (fraction == at + 1) {
                return null;
            }
            at = fraction;
        }
        if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
            int sign = at + 1;
            if (sign < text.length() && (text.charAt(sign) == '+' || text.charAt(sign) == '-')) {
                sign++;
            }
            at = digits(text, sign);
            if (at == sign || at - sign > MOST_EXPONENT_DIGITS) {
                return null;
            }
        }
        if (at < text.length()) {
            return null;
        }
        return whole == at || isWhole(text) ? JsonType.INTEGER : JsonType.NUMBER;
    }

    private static boolean isWhole(CharSequence text) {
        return new BigDecimal(text.toString()).stripTrailingZeros().scale() <= 0;
    }

    private static int digits(CharSequence text, int from) {
        int at = from;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        return at;
    }
}
