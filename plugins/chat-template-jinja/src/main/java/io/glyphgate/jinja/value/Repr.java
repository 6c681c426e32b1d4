package io.glyphgate.jinja.value;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import java.math.BigInteger;
import java.util.Iterator;
import java.util.List;

/** How Python shows a value inside another: {@code repr()}. */
public final class Repr {
    /** How many digits Python turns into text. */
    private static final int MAX_DIGITS = 4300;

    private final StringBuilder out = new StringBuilder();
    private final Budget budget;

    private Repr(Budget budget) {
        this.budget = budget;
    }

    /** The whole value. */
    public static String of(Object value, Budget budget) {
        return switch (value) {
            case Long integer -> integer.toString();
            case None none -> "None";
            case Boolean truth -> truth ? "True" : "False";
            default -> {
                Repr repr = new Repr(budget);
                repr.append(value);
                budget.text(repr.out.length());
                yield repr.out.toString();
            }
        };
    }

    /** A value for a message: only its type if it holds others. */
    static String brief(Object value) {
        return Types.isText(value) || Types.isNumber(value) || value == None.NONE
                ? of(value, new Budget())
                : "<" + Types.name(value) + ">";
    }

    private void append(Object value) {
        budget.enter();
        budget.growing(out.length());
        switch (value) {
            case None none -> out.append("None");
            case Boolean truth -> out.append(truth ? "True" : "False");
            case Long integer -> out.append(integer);
            case BigInteger integer -> out.append(digits(integer));
            case Double number -> out.append(FloatText.repr(number));
            case String text -> appendText(text);
            case Markup markup -> {
                out.append("Markup(");
                appendText(markup.text());
                out.append(')');
            }
            case List<?> list -> appendItems("[", list.iterator(), "]");
            case Tuple tuple -> appendItems("(", tuple.items().iterator(), tuple.items().size() == 1 ? ",)" : ")");
            case Dict dict -> appendEntries(dict);
            case DictView view -> {
                out.append(view.type());
                appendItems("([", view.iterator(), "])");
            }
            case Range range -> {
                out.append("range(").append(range.start()).append(", ").append(range.stop());
                if (range.step() != 1) {
                    out.append(", ").append(range.step());
                }
                out.append(')');
            }
            case Undefined undefined -> out.append("Undefined");
            case Generator generator -> out.append('<').append(generator.type()).append(" object>");
            case Attributed object -> out.append(object);
            default -> out.append("<function>");
        }
        budget.leave();
    }

    /** The digits of an integer, as many as Python prints. */
    static String digits(BigInteger integer) {
        String digits = integer.toString();
        if (digits.length() > MAX_DIGITS) {
            throw new TemplateException("Exceeds the limit (" + MAX_DIGITS
                    + " digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit");
        }
        return digits;
    }

    private void appendItems(String open, Iterator<?> items, String close) {
        out.append(open);
        for (String separator = ""; items.hasNext(); separator = ", ") {
            out.append(separator);
            append(items.next());
        }
        out.append(close);
    }

    private void appendEntries(Dict dict) {
        out.append('{');
        Iterator<Object> keys = dict.keys();
        Iterator<Object> values = dict.values();
        for (String separator = ""; keys.hasNext(); separator = ", ") {
            out.append(separator);
            append(keys.next());
            out.append(": ");
            append(values.next());
        }
        out.append('}');
    }

    private void appendText(String text) {
        char quote = text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
        out.append(quote);
        for (int i = 0; i < text.length(); ) {
            int codePoint = text.codePointAt(i);
            i += Character.charCount(codePoint);
            switch (codePoint) {
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                case '\\' -> out.append("\\\\");
                default -> {
                    if (codePoint == quote) {
                        out.append('\\').append(quote);
                    } else if (isPrintable(codePoint)) {
                        out.appendCodePoint(codePoint);
                    } else {
                        out.append(escaped(codePoint));
                    }
                }
            }
        }
        out.append(quote);
    }

    /** A code point as the escape that Python writes for it. */
    public static String escaped(int codePoint) {
        if (codePoint <= 0xff) {
            return String.format("\\x%02x", codePoint);
        }
        return String.format(codePoint <= 0xffff ? "\\u%04x" : "\\U%08x", codePoint);
    }

    /** Whether Python shows a code point as it is. */
    public static boolean isPrintable(int codePoint) {
        if (codePoint == ' ') {
            return true;
        }
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SPACE_SEPARATOR -> false;
            default -> true;
        };
    }
}
