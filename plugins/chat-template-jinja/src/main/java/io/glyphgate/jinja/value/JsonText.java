package io.glyphgate.jinja.value;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Values as JSON, in the spelling of Python's {@code json.dumps}. */
public final class JsonText {
    /**
     * How it is written.
     *
     * @param asciiOnly whether other characters are escaped
     * @param indent what one level is indented by; null for all on one line
     * @param betweenItems what stands between items
     * @param betweenKeyAndValue what stands between key and value
     * @param sortKeys whether the keys are put in order
     */
    public record Style(
            boolean asciiOnly,
            @Nullable String indent,
            String betweenItems,
            String betweenKeyAndValue,
            boolean sortKeys) {}

    private final Style style;
    private final Budget budget;
    private final StringBuilder out = new StringBuilder();
    private int level;

    private JsonText(Style style, Budget budget) {
        this.style = style;
        this.budget = budget;
    }

    /** The JSON of a value; fails for what JSON has no form for. */
    public static String of(Object value, Style style, Budget budget) {
        JsonText json = new JsonText(style, budget);
        json.append(value);
        budget.text(json.out.length());
        return json.out.toString();
    }

    private void append(Object value) {
        budget.enter();
        budget.growing(out.length());
        switch (value) {
            case String text -> appendText(text);
            case Markup markup -> appendText(markup.text());
            case None none -> out.append("null");
            case Boolean truth -> out.append(truth.booleanValue());
            case Long integer -> out.append(integer);
            case BigInteger integer -> out.append(Repr.digits(integer));
            case Double number -> out.append(number(number));
            case List<?> list -> appendItems(list);
            case Tuple tuple -> appendItems(tuple.items());
            case Dict dict -> appendEntries(dict);
            default -> throw new TemplateException(
                    "Object of type " + Types.name(value) + " is not JSON serializable");
        }
        budget.leave();
    }

    private static String number(double number) {
        return Double.isFinite(number)
                ? FloatText.repr(number)
                : FloatText.notFinite(number, "NaN", "Infinity");
    }

    private void appendItems(List<?> items) {
        if (items.isEmpty()) {
            out.append("[]");
            return;
        }
        out.append('[');
        level++;
        for (int i = 0; i < items.size(); i++) {
            startItem(i == 0);
            append(items.get(i));
        }
        end(']');
    }

    private void appendEntries(Dict dict) {
        if (dict.size() == 0) {
            out.append("{}");
            return;
        }
        out.append('{');
        level++;
        boolean first = true;
        for (Iterator<Object> entries = entries(dict); entries.hasNext(); first = false) {
            Tuple entry = (Tuple) entries.next();
            startItem(first);
            appendText(key(entry.items().get(0)));
            out.append(style.betweenKeyAndValue);
            append(entry.items().get(1));
        }
        end('}');
    }

    private Iterator<Object> entries(Dict dict) {
        if (!style.sortKeys) {
            return dict.items();
        }
        List<Object> entries = new ArrayList<>();
        dict.items().forEachRemaining(entries::add);
        return Ordering.sorted(entries, entry -> ((Tuple) entry).items().get(0), false, budget).iterator();
    }

    private static String key(Object key) {
        return switch (key) {
            case String text -> text;
            case Boolean truth -> truth ? "true" : "false";
            case None none -> "null";
            case Long integer -> integer.toString();
            case BigInteger integer -> Repr.digits(integer);
            case Double number -> number(number);
            default -> throw new TemplateException(
                    "keys must be str, int, float, bool or None, not " + Types.name(key));
        };
    }

    private void startItem(boolean first) {
        if (!first) {
            out.append(style.betweenItems);
        }
        newLine();
    }

    private void end(char bracket) {
        level--;
        newLine();
        out.append(bracket);
    }

    private void newLine() {
        if (style.indent != null) {
            out.append('\n');
            for (int i = 0; i < level; i++) {
                out.append(style.indent);
                budget.growing(out.length());
            }
        }
    }

    private void appendText(String text) {
        out.append('"');
        int plainFrom = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c != '"' && c != '\\' && (c < 0x7f || !style.asciiOnly)) {
                continue;
            }
            out.append(text, plainFrom, i);
            plainFrom = i + 1;
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                case '\f' -> out.append("\\f");
                case '\b' -> out.append("\\b");
                default -> out.append(String.format("\\u%04x", (int) c));
            }
        }
        out.append(text, plainFrom, text.length()).append('"');
    }
}
