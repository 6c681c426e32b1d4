package io.glyphgate.jinja.value;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import java.math.BigInteger;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What stands after the colon of a field of {@code str.format}: how its value is written. */
final class FormatSpec {
    private static final Pattern SYNTAX = Pattern.compile(
            "(?:(?<fill>.)?(?<align>[<>=^]))?(?<sign>[-+ ])?(?<z>z)?(?<alternate>#)?(?<zero>0)?(?<width>\\d{1,9})?"
                    + "(?<grouping>[,_])?(?:\\.(?<precision>\\d{1,9}))?(?<type>[a-zA-Z%])?",
            Pattern.DOTALL);

    private final String fill;
    private final char align;
    private final String sign;
    private final boolean alternate;
    private final int width;
    private final String grouping;
    private final int precision;
    private final char type;
    private final Budget budget;

    private FormatSpec(Matcher spec, Budget budget) {
        this.budget = budget;
        boolean zero = spec.group("zero") != null && spec.group("align") == null;
        fill = zero ? "0" : text(spec, "fill", " ");
        align = zero ? '=' : text(spec, "align", "\0").charAt(0);
        sign = text(spec, "sign", "-");
        alternate = spec.group("alternate") != null;
        width = Integer.parseInt(text(spec, "width", "0"));
        grouping = text(spec, "grouping", "");
        precision = Integer.parseInt(text(spec, "precision", "-1"));
        type = text(spec, "type", "\0").charAt(0);
    }

    private static String text(Matcher spec, String group, String otherwise) {
        String text = spec.group(group);
        return text == null ? otherwise : text;
    }

    /** A value written by a spec. */
    static String apply(Object value, String spec, Budget budget) {
        if (spec.isEmpty()) {
            return Text.str(value, budget);
        }
        boolean formats = Types.isText(value) || Types.isNumber(value);
        if (!formats) {
            throw new TemplateException("unsupported format string passed to " + Types.name(value) + ".__format__");
        }
        Matcher matcher = SYNTAX.matcher(spec);
        if (!matcher.matches()) {
            throw new TemplateException("Invalid format specifier '" + spec + "' for object of type '"
                    + Types.name(value) + "'");
        }
        return new FormatSpec(matcher, budget).write(value);
    }

    private String write(Object value) {
        budget.text((long) width + Math.max(0, precision));
        if (Types.isText(value)) {
            require("s", value);
            String text = Text.of(value);
            return pad("", precision >= 0 && precision < Text.length(text) ? Text.part(text, 0, precision) : text, '<');
        }
        if (value instanceof Double || "eEfFgG%".indexOf(type) >= 0) {
            return decimal(value);
        }
        return integer(value);
    }

    private String integer(Object value) {
        require("bcdoxXn", value);
        BigInteger number = Numbers.big(value);
        if (type == 'c') {
            return pad("", Character.toString(number.intValueExact()), '<');
        }
        int radix = switch (type) {
            case 'b' -> 2;
            case 'o' -> 8;
            case 'x', 'X' -> 16;
            default -> 10;
        };
        String digits = group(number.abs().toString(radix), radix == 10 ? 3 : 4);
        String prefix = alternate && radix != 10 ? "0" + type : "";
        if (type == 'X') {
            digits = digits.toUpperCase(Locale.ROOT);
        }
        return pad(signOf(number.signum() < 0) + prefix, digits, '>');
    }

    private String decimal(Object value) {
        require("eEfFgGn%", value);
        double number = Numbers.toDouble(value);
        double shown = type == '%' ? number * 100 : number;
        boolean negative = FloatText.isNegative(shown);
        if (!Double.isFinite(shown)) {
            String text = FloatText.notFinite(Math.abs(shown), "nan", "inf");
            return pad(
                    signOf(negative),
                    (Character.isUpperCase(type) ? text.toUpperCase(Locale.ROOT) : text) + (type == '%' ? "%" : ""),
                    '>');
        }
        String text = decimalText(shown);
        int end = 0;
        while (end < text.length() && Character.isDigit(text.charAt(end))) {
            end++;
        }
        return pad(
                signOf(negative),
                group(text.substring(0, end), 3) + text.substring(end) + (type == '%' ? "%" : ""),
                '>');
    }

    private String decimalText(double number) {
        if (type == '\0' && precision < 0) {
            return FloatText.repr(Math.abs(number));
        }
        if (type == '\0') {
            String text = FloatText.format(number, 'g', precision, alternate);
            return text.chars().allMatch(Character::isDigit) && text.length() < Math.max(1, precision)
                    ? text + ".0"
                    : text;
        }
        char style = type == '%' ? 'f' : type == 'n' ? 'g' : type;
        return FloatText.format(number, style, precision < 0 ? 6 : precision, alternate);
    }

    private String group(String digits, int size) {
        if (grouping.isEmpty()) {
            return digits;
        }
        StringBuilder out = new StringBuilder(digits);
        for (int i = digits.length() - size; i > 0; i -= size) {
            out.insert(i, grouping);
        }
        return out.toString();
    }

    private String signOf(boolean negative) {
        return negative ? "-" : sign.equals("-") ? "" : sign;
    }

    private String pad(String prefix, String body, char naturalAlign) {
        int missing = width - Text.length(prefix) - Text.length(body);
        if (missing <= 0) {
            return prefix + body;
        }
        return switch (align == '\0' ? naturalAlign : align) {
            case '<' -> prefix + body + fill.repeat(missing);
            case '^' -> fill.repeat(missing / 2) + prefix + body + fill.repeat(missing - missing / 2);
            case '=' -> prefix + fill.repeat(missing) + body;
            default -> fill.repeat(missing) + prefix + body;
        };
    }

    private void require(String types, Object value) {
        if (type != '\0' && types.indexOf(type) < 0) {
            throw new TemplateException(
                    "Unknown format code '" + type + "' for object of type '" + Types.name(value) + "'");
        }
    }
}
