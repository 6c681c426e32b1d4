package io.glyphgate.jinja.builtin;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.value.Arguments;
import io.glyphgate.jinja.value.Arithmetic;
import io.glyphgate.jinja.value.Dict;
import io.glyphgate.jinja.value.Function;
import io.glyphgate.jinja.value.Iterating;
import io.glyphgate.jinja.value.JsonText;
import io.glyphgate.jinja.value.Markup;
import io.glyphgate.jinja.value.None;
import io.glyphgate.jinja.value.PercentFormat;
import io.glyphgate.jinja.value.Text;
import io.glyphgate.jinja.value.Tuple;
import io.glyphgate.jinja.value.Types;
import io.glyphgate.jinja.value.Undefined;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** The filters that make text. */
final class TextFilters {
    private static final int TRUNCATE_LENGTH = 255;
    private static final int TRUNCATE_LEEWAY = 5;

    static final Functions FILTERS = new Functions()
            .define("string(object)", (in, budget) -> soft(in.value(0), budget))
            .define("upper(s)", (in, budget) -> method("upper", in, budget))
            .define("lower(s)", (in, budget) -> method("lower", in, budget))
            .define("capitalize(s)", (in, budget) -> method("capitalize", in, budget))
            .define("trim(value, chars=)", (in, budget) -> method("strip", in, budget, in.value(1)))
            .define("center(value, width=)", (in, budget) -> method("center", in, budget, in.value(1, 80L)))
            .define("title(s)", (in, budget) -> title(Text.str(in.value(0), budget)))
            .define("escape(s)", (in, budget) -> Markup.escape(in.value(0), budget), "e")
            .define("forceescape(value)", (in, budget) -> Markup.escape(Text.str(in.value(0), budget), budget))
            .define("safe(value)", (in, budget) -> new Markup(Text.str(in.value(0), budget)))
            .define("replace(s, old, new, count=)", (in, budget) -> Searching.replace(
                    Text.str(in.value(0), budget),
                    Text.str(in.value(1), budget),
                    Text.str(in.value(2), budget),
                    in.has(3) ? in.number(3, -1) : -1,
                    budget))
            .define("format(value, *rest)", TextFilters::format)
            .define("indent(s, width=, first=, blank=)", TextFilters::indent)
            .define("truncate(s, length=, killwords=, end=, leeway=)", TextFilters::truncate)
            .define("wordcount(s)", (in, budget) -> wordCount(Text.str(in.value(0), budget)))
            .define("urlencode(value)", (in, budget) -> urlEncode(in.value(0), budget))
            .define("xmlattr(d, autospace=)", TextFilters::xmlAttributes)
            .define("tojson(x, ensure_ascii=, indent=, separators=, sort_keys=)", TextFilters::toJson);

    private TextFilters() {}

    /** A text as it is, anything else as it prints. */
    private static Object soft(Object value, Budget budget) {
        return Types.isText(value) ? value : Text.str(value, budget);
    }

    private static Object method(String name, Inputs in, Budget budget, Object... arguments) {
        Function method = TextMethods.find(soft(in.value(0), budget), name);
        if (method == null) {
            throw new IllegalStateException("text has no method " + name);
        }
        return method.call(new Arguments(List.of(arguments), Map.of()), budget);
    }

    private static String title(String text) {
        StringBuilder out = new StringBuilder(text.length());
        int at = 0;
        while (at < text.length()) {
            int start = at;
            boolean separators = isTitleSeparator(text.charAt(at));
            while (at < text.length() && isTitleSeparator(text.charAt(at)) == separators) {
                at++;
            }
            int second = text.offsetByCodePoints(start, 1);
            out.append(Casing.upper(text.substring(start, second))).append(Casing.lower(text.substring(second, at)));
        }
        return out.toString();
    }

    private static boolean isTitleSeparator(char c) {
        return Text.isSpace(c) || "-({[<".indexOf(c) >= 0;
    }

    private static Object format(Inputs in, Budget budget) {
        List<Object> positional = in.all().positional();
        Dict keywords = new Dict();
        in.all().keywords().forEach(keywords::put);
        List<Object> values = positional.subList(1, positional.size());
        if (!values.isEmpty() && keywords.size() > 0) {
            throw new TemplateException("can't handle positional and keyword arguments at the same time");
        }
        return PercentFormat.format(
                soft(in.value(0), budget), keywords.size() > 0 ? keywords : new Tuple(values), budget);
    }

    private static Object indent(Inputs in, Budget budget) {
        String indention = Types.isText(in.value(1)) ? in.text(1) : Text.repeat(" ", in.number(1, 4), budget);
        Object ended = Arithmetic.apply(Arithmetic.Operator.ADD, in.value(0), "\n", budget);
        if (!Types.isText(ended)) {
            throw new TemplateException("'" + Types.name(ended) + "' object has no attribute 'splitlines'");
        }
        List<Object> lines = Splitting.lines(Text.of(ended), false, budget);
        List<String> indented = new ArrayList<>(lines.size());
        for (Object line : lines) {
            boolean first = indented.isEmpty();
            boolean wanted = first ? in.flag(2) : in.flag(3) || !Text.of(line).isEmpty();
            budget.text((wanted ? indention.length() : 0) + Text.of(line).length());
            indented.add(wanted ? indention + line : (String) line);
        }
        return Text.like(ended, Text.join("\n", indented, budget));
    }

    private static Object truncate(Inputs in, Budget budget) {
        long length = in.number(1, TRUNCATE_LENGTH);
        String end = in.has(3) ? in.text(3) : "...";
        long leeway = in.has(4) ? in.number(4, 0) : TRUNCATE_LEEWAY;
        if (length < Text.length(end)) {
            throw new TemplateException("expected length >= " + Text.length(end) + ", got " + length);
        }
        if (leeway < 0) {
            throw new TemplateException("expected leeway >= 0, got " + leeway);
        }
        if (Iterating.length(in.value(0)) <= length + leeway) {
            return in.value(0);
        }
        String start = Text.part(in.text(0), 0, (int) length - Text.length(end));
        int space = in.flag(2) ? -1 : start.lastIndexOf(' ');
        Object kept = Text.like(in.value(0), space < 0 ? start : start.substring(0, space));
        return Arithmetic.apply(Arithmetic.Operator.ADD, kept, end, budget);
    }

    private static long wordCount(String text) {
        long count = 0;
        boolean inWord = false;
        for (int c : text.codePoints().toArray()) {
            boolean word = c == '_' || Casing.isAlphanumeric(c);
            count += word && !inWord ? 1 : 0;
            inWord = word;
        }
        return count;
    }

    private static String urlEncode(Object value, Budget budget) {
        Iterator<Object> items = Iterating.iteratorOrNull(value);
        if (Types.isText(value) || items == null) {
            String text = quoted(Text.str(value, budget), "/");
            budget.text(text.length());
            return text;
        }
        Iterator<Object> pairs = value instanceof Dict dict ? dict.items() : items;
        List<String> parts = new ArrayList<>();
        while (pairs.hasNext()) {
            List<Object> pair = Iterating.list(pairs.next(), budget);
            if (pair.size() != 2) {
                throw new TemplateException("expected pairs of key and value");
            }
            String key = quoted(Text.str(pair.get(0), budget), "").replace("%20", "+");
            parts.add(key + "=" + quoted(Text.str(pair.get(1), budget), "").replace("%20", "+"));
        }
        return Text.join("&", parts, budget);
    }

    private static String quoted(String text, String alsoSafe) {
        StringBuilder out = new StringBuilder(text.length());
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean safe = c < 0x80 && (Character.isLetterOrDigit(c) || "_.-~".indexOf(c) >= 0);
            if (safe || alsoSafe.indexOf(c) >= 0) {
                out.append(c);
            } else {
                out.append(String.format("%%%02X", (int) c));
            }
        }
        return out.toString();
    }

    private static String xmlAttributes(Inputs in, Budget budget) {
        if (!(in.value(0) instanceof Dict dict)) {
            throw new TemplateException("'" + Types.name(in.value(0)) + "' object has no attribute 'items'");
        }
        List<String> attributes = new ArrayList<>();
        dict.items().forEachRemaining(entry -> {
            Object key = ((Tuple) entry).items().get(0);
            Object value = ((Tuple) entry).items().get(1);
            if (value == None.NONE || value instanceof Undefined) {
                return;
            }
            if (Text.of(key).chars().anyMatch(c -> c == '/' || c == '>' || c == '=' || (c < 0x80 && Text.isSpace(c)))) {
                throw new TemplateException("Invalid character in attribute name: '" + Text.of(key) + "'");
            }
            attributes.add(Markup.escape(key, budget).text() + "=\"" + Markup.escape(value, budget).text() + "\"");
        });
        String text = Text.join(" ", attributes, budget);
        boolean spaced = in.value(1, true).equals(true) && !text.isEmpty();
        return spaced ? " " + text : text;
    }

    private static String toJson(Inputs in, Budget budget) {
        String indent = !in.has(2)
                ? null
                : Types.isText(in.value(2)) ? in.text(2) : Text.repeat(" ", in.number(2, 0), budget);
        String betweenItems = indent == null ? ", " : ",";
        String betweenKeyAndValue = ": ";
        if (in.has(3)) {
            List<Object> separators = Iterating.list(in.value(3), budget);
            if (separators.size() != 2) {
                throw new TemplateException("separators must be a pair, got " + separators.size() + " values");
            }
            betweenItems = Text.of(separators.get(0));
            betweenKeyAndValue = Text.of(separators.get(1));
        }
        JsonText.Style style =
                new JsonText.Style(in.flag(1), indent, betweenItems, betweenKeyAndValue, in.flag(4));
        return JsonText.of(in.value(0), style, budget);
    }
}
