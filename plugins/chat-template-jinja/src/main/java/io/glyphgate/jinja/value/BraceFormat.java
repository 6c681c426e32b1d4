package io.glyphgate.jinja.value;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import java.util.ArrayList;
import java.util.List;

/** Python's {@code text.format(...)}, as the sandbox does it. */
public final class BraceFormat {
    /** How a field reaches into a value. */
    public interface Access {
        /** {@code object.name}. */
        Object attribute(Object object, String name);

        /** {@code object[key]}. */
        Object item(Object object, Object key);
    }

    private static final int MAX_NESTING = 2;

    private final Arguments arguments;
    private final Access access;
    private final boolean markup;
    private final Budget budget;
    private int next;

    private BraceFormat(Arguments arguments, Access access, boolean markup, Budget budget) {
        this.arguments = arguments;
        this.access = access;
        this.markup = markup;
        this.budget = budget;
    }

    /** A text with its fields filled. */
    public static Object format(Object format, Arguments arguments, Access access, Budget budget) {
        String text = new BraceFormat(arguments, access, format instanceof Markup, budget).fill(Text.of(format), MAX_NESTING);
        budget.text(text.length());
        return Text.like(format, text);
    }

    private String fill(String format, int nesting) {
        if (nesting == 0) {
            throw new TemplateException("Max string recursion exceeded");
        }
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < format.length(); i++) {
            char c = format.charAt(i);
            boolean doubled = i + 1 < format.length() && format.charAt(i + 1) == c;
            if (c != '{' && c != '}') {
                out.append(c);
            } else if (doubled) {
                out.append(c);
                i++;
            } else if (c == '}') {
                throw new TemplateException("Single '}' encountered in format string");
            } else {
                int end = endOfField(format, i + 1);
                out.append(field(format.substring(i + 1, end), nesting));
                budget.growing(out.length());
                i = end;
            }
        }
        return out.toString();
    }

    private static int endOfField(String format, int start) {
        int depth = 1;
        for (int i = start; i < format.length(); i++) {
            char c = format.charAt(i);
            depth += c == '{' ? 1 : c == '}' ? -1 : 0;
            if (depth == 0) {
                return i;
            }
        }
        throw new TemplateException(start >= format.length()
                ? "Single '{' encountered in format string"
                : "expected '}' before end of string");
    }

    private String field(String field, int nesting) {
        int end = 0;
        boolean bracket = false;
        while (end < field.length() && (bracket || (field.charAt(end) != '!' && field.charAt(end) != ':'))) {
            bracket = field.charAt(end) == '[' || (bracket && field.charAt(end) != ']');
            end++;
        }
        Object value = value(field.substring(0, end));
        if (end < field.length() && field.charAt(end) == '!') {
            if (end + 1 >= field.length()) {
                throw new TemplateException("unmatched '{' in format spec");
            }
            value = convert(value, field.charAt(end + 1));
            end += 2;
            if (end < field.length() && field.charAt(end) != ':') {
                throw new TemplateException("expected ':' after conversion specifier");
            }
        }
        String spec = end < field.length() ? fill(field.substring(end + 1), nesting - 1) : "";
        if (markup && value instanceof Markup text) {
            return text.text();
        }
        String text = FormatSpec.apply(value, spec, budget);
        return markup ? Markup.escape(text, budget).text() : text;
    }

    private Object convert(Object value, char conversion) {
        return switch (conversion) {
            case 's' -> Text.str(value, budget);
            case 'r', 'a' -> Repr.of(value, budget);
            default -> throw new TemplateException("Unknown conversion specifier " + conversion);
        };
    }

    private Object value(String path) {
        int end = 0;
        while (end < path.length() && path.charAt(end) != '.' && path.charAt(end) != '[') {
            end++;
        }
        Object value = argument(path.substring(0, end));
        for (Object step : steps(path.substring(end))) {
            value = step instanceof Attribute attribute
                    ? access.attribute(value, attribute.name())
                    : access.item(value, step);
        }
        return value;
    }

    private record Attribute(String name) {}

    private static List<Object> steps(String path) {
        List<Object> steps = new ArrayList<>();
        int i = 0;
        while (i < path.length()) {
            boolean bracket = path.charAt(i) == '[';
            int end = i + 1;
            while (end < path.length() && (bracket ? path.charAt(end) != ']' : !isStep(path.charAt(end)))) {
                end++;
            }
            String name = path.substring(i + 1, end);
            if (name.isEmpty()) {
                throw new TemplateException("Empty attribute in format string");
            }
            if (bracket && end == path.length()) {
                throw new TemplateException("Missing ']' in format string");
            }
            steps.add(!bracket ? new Attribute(name) : isNumber(name) ? (Object) Long.valueOf(name) : name);
            i = bracket ? end + 1 : end;
        }
        return steps;
    }

    private static boolean isStep(char c) {
        return c == '.' || c == '[';
    }

    private static boolean isNumber(String text) {
        return text.length() < 10 && !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private Object argument(String name) {
        if (name.isEmpty() || isNumber(name)) {
            int index = name.isEmpty() ? next++ : Integer.parseInt(name);
            if (index >= arguments.positional().size()) {
                throw new TemplateException(
                        "Replacement index " + index + " out of range for positional args tuple");
            }
            return arguments.positional().get(index);
        }
        Object value = arguments.keywords().get(name);
        if (value == null) {
            throw new TemplateException(Repr.brief(name));
        }
        return value;
    }
}
