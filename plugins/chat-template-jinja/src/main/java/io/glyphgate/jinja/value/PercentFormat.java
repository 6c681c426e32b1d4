package io.glyphgate.jinja.value;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Locale;

/** Python's {@code text % values}. */
public final class PercentFormat {
    private final String format;
    private final Object values;
    private final boolean markup;
    private final Budget budget;
    private final StringBuilder out = new StringBuilder();
    private int at;
    private int used;

    private PercentFormat(Object format, Object values, Budget budget) {
        this.format = Text.of(format);
        this.values = values;
        this.markup = format instanceof Markup;
        this.budget = budget;
    }

    /** A text with its conversions filled; values is a tuple, a dict for conversions with names, or the only value. */
    public static Object format(Object format, Object values, Budget budget) {
        PercentFormat run = new PercentFormat(format, values, budget);
        run.fill();
        budget.text(run.out.length());
        return Text.like(format, run.out.toString());
    }

    private void fill() {
        while (at < format.length()) {
            int percent = format.indexOf('%', at);
            if (percent < 0) {
                break;
            }
            out.append(format, at, percent);
            at = percent + 1;
            conversion();
            budget.growing(out.length());
        }
        out.append(format, at, format.length());
        // Python takes whatever has items for a mapping, and a mapping need not be used up.
        boolean mapping = values instanceof Dict
                || values instanceof List<?>
                || values instanceof Range
                || values instanceof Undefined;
        int given = values instanceof Tuple tuple ? tuple.items().size() : 1;
        if (used < given && !mapping) {
            throw new TemplateException("not all arguments converted during string formatting");
        }
    }

    private void conversion() {
        Object value = null;
        if (peek() == '(') {
            value = named();
        }
        boolean left = false;
        boolean plus = false;
        boolean space = false;
        boolean alternate = false;
        boolean zero = false;
        for (boolean more = true; more; ) {
            switch (peek()) {
                case '-' -> left = true;
                case '+' -> plus = true;
                case ' ' -> space = true;
                case '#' -> alternate = true;
                case '0' -> zero = true;
                default -> more = false;
            }
            at += more ? 1 : 0;
        }
        int width = 0;
        if (peek() == '*') {
            at++;
            width = (int) Numbers.index(next());
            left |= width < 0;
            width = Math.abs(width);
        } else {
            width = number();
        }
        int precision = -1;
        if (peek() == '.') {
            at++;
            if (peek() == '*') {
                at++;
                precision = (int) Math.max(0, Numbers.index(next()));
            } else {
                precision = number();
            }
        }
        budget.text((long) width + Math.max(0, precision));
        while (peek() == 'l' || peek() == 'h' || peek() == 'L') {
            at++;
        }
        char type = peek();
        at++;
        if (type == '%') {
            out.append('%');
            return;
        }
        Object argument = value == null ? next() : value;
        boolean numeric = "diuoxXeEfFgG".indexOf(type) >= 0;
        String body = body(type, argument, precision, alternate);
        String sign = "";
        if (numeric) {
            boolean negative = body.startsWith("-");
            sign = negative ? "-" : plus ? "+" : space ? " " : "";
            body = negative ? body.substring(1) : body;
        }
        int missing = width - Text.length(sign) - Text.length(body);
        String padding = missing > 0 ? (zero && numeric && !left ? "0" : " ").repeat(missing) : "";
        if (left) {
            out.append(sign).append(body).append(padding);
        } else if (zero && numeric) {
            int prefix = body.startsWith("0x") || body.startsWith("0X") || body.startsWith("0o") ? 2 : 0;
            out.append(sign).append(body, 0, prefix).append(padding).append(body, prefix, body.length());
        } else {
            out.append(padding).append(sign).append(body);
        }
    }

    private String body(char type, Object value, int precision, boolean alternate) {
        return switch (type) {
            case 's' -> cut(markup ? Markup.escape(value, budget).text() : Text.str(value, budget), precision);
            case 'r', 'a' -> cut(ascii(type, Repr.of(value, budget)), precision);
            case 'c' -> character(value);
            case 'd', 'i', 'u' -> digits(whole(type, value), 10, precision, "");
            case 'o' -> digits(exactInteger(type, value), 8, precision, alternate ? "0o" : "");
            case 'x' -> digits(exactInteger(type, value), 16, precision, alternate ? "0x" : "");
            case 'X' -> digits(exactInteger(type, value), 16, precision, alternate ? "0x" : "")
                    .toUpperCase(Locale.ROOT);
            case 'e', 'E', 'f', 'F', 'g', 'G' -> decimal(type, value, precision < 0 ? 6 : precision, alternate);
            default -> throw new TemplateException("unsupported format character '" + type + "' ("
                    + "0x" + Integer.toHexString(type) + ") at index " + (at - 1));
        };
    }

    private static String ascii(char type, String text) {
        if (type == 'r') {
            return text;
        }
        StringBuilder escaped = new StringBuilder();
        text.codePoints().forEach(c -> {
            if (c < 0x80) {
                escaped.append((char) c);
            } else {
                escaped.append(Repr.escaped(c));
            }
        });
        return escaped.toString();
    }

    private static String cut(String text, int precision) {
        return precision >= 0 && precision < Text.length(text) ? Text.part(text, 0, precision) : text;
    }

    private static String character(Object value) {
        if (Types.isText(value) && Text.length(Text.of(value)) == 1) {
            return Text.of(value);
        }
        if (!Types.isInteger(value)) {
            throw new TemplateException('%' + "c requires int or char");
        }
        long codePoint = Numbers.index(value);
        if (codePoint < 0 || codePoint > Character.MAX_CODE_POINT) {
            throw new TemplateException('%' + "c arg not in range(0x110000)");
        }
        return Character.toString((int) codePoint);
    }

    private static BigInteger whole(char type, Object value) {
        if (value instanceof Double number) {
            return Numbers.big(Numbers.truncate(number));
        }
        if (!Types.isInteger(value)) {
            throw new TemplateException(
                    "%" + type + " format: a real number is required, not " + Types.name(value));
        }
        return Numbers.big(value);
    }

    private static BigInteger exactInteger(char type, Object value) {
        if (!Types.isInteger(value)) {
            throw new TemplateException("%" + type + " format: an integer is required, not " + Types.name(value));
        }
        return Numbers.big(value);
    }

    private static String digits(BigInteger value, int radix, int precision, String prefix) {
        String digits = value.abs().toString(radix);
        String zeros = "0".repeat(Math.max(0, precision - digits.length()));
        return (value.signum() < 0 ? "-" : "") + prefix + zeros + digits;
    }

    private static String decimal(char type, Object value, int precision, boolean alternate) {
        double number = Numbers.toDouble(value);
        if (!Double.isFinite(number)) {
            return Character.isUpperCase(type)
                    ? FloatText.notFinite(number, "NAN", "INF")
                    : FloatText.notFinite(number, "nan", "inf");
        }
        return (FloatText.isNegative(number) ? "-" : "") + FloatText.format(number, type, precision, alternate);
    }

    private Object named() {
        int depth = 1;
        int start = ++at;
        while (depth > 0) {
            char c = peek();
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            at++;
        }
        String name = format.substring(start, at - 1);
        if (!(values instanceof Dict dict)) {
            throw new TemplateException("format requires a mapping");
        }
        Object value = dict.find(name);
        if (value == null) {
            throw new TemplateException(Repr.brief(name));
        }
        return value;
    }

    private Object next() {
        if (values instanceof Tuple tuple) {
            if (used < tuple.items().size()) {
                return tuple.items().get(used++);
            }
        } else if (used == 0) {
            used++;
            return values;
        }
        throw new TemplateException("not enough arguments for format string");
    }

    private int number() {
        int start = at;
        while (peekOrEnd() >= '0' && peekOrEnd() <= '9') {
            at++;
        }
        BigDecimal number = at == start ? BigDecimal.ZERO : new BigDecimal(format.substring(start, at));
        return number.min(BigDecimal.valueOf(Integer.MAX_VALUE)).intValue();
    }

    private char peek() {
        if (at >= format.length()) {
            throw new TemplateException("incomplete format");
        }
        return format.charAt(at);
    }

    private char peekOrEnd() {
        return at < format.length() ? format.charAt(at) : 0;
    }
}
