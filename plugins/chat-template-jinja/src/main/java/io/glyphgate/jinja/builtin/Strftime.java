package io.glyphgate.jinja.builtin;

import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.TextStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.IsoFields;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Python's {@code strftime} of a time without a zone, in the C locale, with the flags of the GNU library. */
final class Strftime {
    private final LocalDateTime time;
    private final StringBuilder out = new StringBuilder();

    private Strftime(LocalDateTime time) {
        this.time = time;
    }

    static String format(LocalDateTime time, String format) {
        Strftime run = new Strftime(time);
        run.append(format);
        return run.out.toString();
    }

    private void append(String format) {
        int at = 0;
        while (at < format.length()) {
            int start = at;
            if (format.charAt(at++) != '%') {
                out.append(format.charAt(start));
                continue;
            }
            char pad = 0;
            boolean upper = false;
            boolean swap = false;
            while (at < format.length() && "-_0^#".indexOf(format.charAt(at)) >= 0) {
                switch (format.charAt(at)) {
                    case '^' -> upper = true;
                    case '#' -> swap = true;
                    default -> pad = format.charAt(at);
                }
                at++;
            }
            int width = 0;
            while (at < format.length() && Character.isDigit(format.charAt(at)) && width < 1000) {
                width = width * 10 + Character.digit(format.charAt(at++), 10);
            }
            while (at < format.length() && (format.charAt(at) == 'E' || format.charAt(at) == 'O')) {
                at++;
            }
            String field = at < format.length() ? field(format.charAt(at++), pad, width) : null;
            if (field == null) {
                out.append(format, start, at);
            } else {
                out.append(upper || swap ? cased(field, upper) : field);
            }
        }
    }

    private static String cased(String field, boolean upper) {
        boolean allUpper = field.equals(field.toUpperCase(Locale.ROOT));
        return upper || !allUpper ? field.toUpperCase(Locale.ROOT) : field.toLowerCase(Locale.ROOT);
    }

    /** What a directive stands for; null if there is no such directive. */
    private @Nullable String field(char directive, char pad, int width) {
        return switch (directive) {
            case '%' -> "%";
            case 'n' -> "\n";
            case 't' -> "\t";
            case 'a' -> text(time.getDayOfWeek().getDisplayName(TextStyle.FULL, Locale.ENGLISH).substring(0, 3), width);
            case 'A' -> text(time.getDayOfWeek().getDisplayName(TextStyle.FULL, Locale.ENGLISH), width);
            case 'b', 'h' -> text(time.getMonth().getDisplayName(TextStyle.FULL, Locale.ENGLISH).substring(0, 3), width);
            case 'B' -> text(time.getMonth().getDisplayName(TextStyle.FULL, Locale.ENGLISH), width);
            case 'p' -> text(time.getHour() < 12 ? "AM" : "PM", width);
            case 'P' -> text(time.getHour() < 12 ? "am" : "pm", width);
            case 'z', 'Z' -> "";
            case 'c' -> text(format(time, "%a %b %e %H:%M:%S %Y"), width);
            case 'x', 'D' -> text(format(time, "%m/%d/%y"), width);
            case 'X', 'T' -> text(format(time, "%H:%M:%S"), width);
            case 'F' -> text(format(time, "%Y-%m-%d"), width);
            case 'R' -> text(format(time, "%H:%M"), width);
            case 'r' -> text(format(time, "%I:%M:%S %p"), width);
            case 'f' -> String.format("%06d", time.getNano() / 1000);
            case 's' -> number(time.atZone(ZoneId.systemDefault()).toEpochSecond(), 1, '0', pad, width);
            case 'Y' -> number(time.getYear(), 1, '0', pad, width);
            case 'C' -> number(time.getYear() / 100, 2, '0', pad, width);
            case 'y' -> number(time.getYear() % 100, 2, '0', pad, width);
            case 'G' -> number(time.get(IsoFields.WEEK_BASED_YEAR), 1, '0', pad, width);
            case 'g' -> number(time.get(IsoFields.WEEK_BASED_YEAR) % 100, 2, '0', pad, width);
            case 'm' -> number(time.getMonthValue(), 2, '0', pad, width);
            case 'd' -> number(time.getDayOfMonth(), 2, '0', pad, width);
            case 'e' -> number(time.getDayOfMonth(), 2, ' ', pad, width);
            case 'H' -> number(time.getHour(), 2, '0', pad, width);
            case 'k' -> number(time.getHour(), 2, ' ', pad, width);
            case 'I' -> number(time.get(ChronoField.CLOCK_HOUR_OF_AMPM), 2, '0', pad, width);
            case 'l' -> number(time.get(ChronoField.CLOCK_HOUR_OF_AMPM), 2, ' ', pad, width);
            case 'M' -> number(time.getMinute(), 2, '0', pad, width);
            case 'S' -> number(time.getSecond(), 2, '0', pad, width);
            case 'j' -> number(time.getDayOfYear(), 3, '0', pad, width);
            case 'u' -> number(time.getDayOfWeek().getValue(), 1, '0', pad, width);
            case 'w' -> number(dayFromSunday(), 1, '0', pad, width);
            case 'U' -> number((time.getDayOfYear() + 6 - dayFromSunday()) / 7, 2, '0', pad, width);
            case 'W' -> number((time.getDayOfYear() + 6 - (dayFromSunday() + 6) % 7) / 7, 2, '0', pad, width);
            case 'V' -> number(time.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR), 2, '0', pad, width);
            default -> null;
        };
    }

    private int dayFromSunday() {
        return time.getDayOfWeek().getValue() % 7;
    }

    private static String text(String text, int width) {
        return " ".repeat(Math.max(0, width - text.length())) + text;
    }

    private static String number(long value, int digits, char usual, char pad, int width) {
        String text = Long.toString(value);
        if (pad == '-') {
            return text;
        }
        char fill = pad == '_' ? ' ' : pad == '0' ? '0' : usual;
        int wanted = width > 0 ? width : digits;
        return String.valueOf(fill).repeat(Math.max(0, wanted - text.length())) + text;
    }
}
