package io.glyphgate.jinja.builtin;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.value.Arguments;
import io.glyphgate.jinja.value.BraceFormat;
import io.glyphgate.jinja.value.Dict;
import io.glyphgate.jinja.value.Function;
import io.glyphgate.jinja.value.Iterating;
import io.glyphgate.jinja.value.Markup;
import io.glyphgate.jinja.value.Numbers;
import io.glyphgate.jinja.value.Repr;
import io.glyphgate.jinja.value.Text;
import io.glyphgate.jinja.value.Tuple;
import io.glyphgate.jinja.value.Types;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The methods of text. */
final class TextMethods {
    /** Methods that give text again: on markup their texts are escaped and what they give is markup. */
    private static final Set<String> GIVE_TEXT = Set.of(
            "capitalize", "casefold", "center", "expandtabs", "ljust", "lower", "lstrip", "partition", "removeprefix",
            "removesuffix", "replace", "rjust", "rpartition", "rsplit", "rstrip", "split", "splitlines", "strip",
            "swapcase", "title", "upper", "zfill");

    private static final Functions METHODS = new Functions()
            .define("capitalize(self)", (in, budget) -> Casing.capitalize(in.text(0)))
            .define("casefold(self)", (in, budget) -> Casing.fold(in.text(0)))
            .define("lower(self)", (in, budget) -> Casing.lower(in.text(0)))
            .define("upper(self)", (in, budget) -> Casing.upper(in.text(0)))
            .define("title(self)", (in, budget) -> Casing.title(in.text(0)))
            .define("swapcase(self)", (in, budget) -> Casing.swap(in.text(0)))
            .define("strip(self, chars=)", (in, budget) -> strip(in, true, true))
            .define("lstrip(self, chars=)", (in, budget) -> strip(in, true, false))
            .define("rstrip(self, chars=)", (in, budget) -> strip(in, false, true))
            .define("removeprefix(self, prefix)", (in, budget) -> {
                String text = in.text(0);
                return text.startsWith(in.text(1)) ? text.substring(in.text(1).length()) : text;
            })
            .define("removesuffix(self, suffix)", (in, budget) -> {
                String text = in.text(0);
                return text.endsWith(in.text(1)) ? text.substring(0, text.length() - in.text(1).length()) : text;
            })
            .define("split(self, sep=, maxsplit=)", (in, budget) -> in.has(1)
                    ? Splitting.at(in.text(0), in.text(1), in.number(2, -1), budget)
                    : Splitting.atSpace(in.text(0), in.number(2, -1), budget))
            .define("rsplit(self, sep=, maxsplit=)", (in, budget) -> in.has(1)
                    ? Splitting.atFromEnd(in.text(0), in.text(1), in.number(2, -1), budget)
                    : Splitting.atSpaceFromEnd(in.text(0), in.number(2, -1), budget))
            .define("splitlines(self, keepends=)", (in, budget) -> Splitting.lines(in.text(0), in.flag(1), budget))
            .define("partition(self, sep)", (in, budget) -> {
                Splitting.requireSeparator(in.text(1));
                int found = in.text(0).indexOf(in.text(1));
                return found < 0 ? Tuple.of(in.text(0), "", "") : parted(in, found);
            })
            .define("rpartition(self, sep)", (in, budget) -> {
                Splitting.requireSeparator(in.text(1));
                int found = in.text(0).lastIndexOf(in.text(1));
                return found < 0 ? Tuple.of("", "", in.text(0)) : parted(in, found);
            })
            .define("replace(self, old, new, count=)", (in, budget) -> Searching.replace(
                    in.text(0), in.text(1), in.text(2), in.number(3, -1), budget))
            .define("find(self, sub, start=, end=)", (in, budget) -> search(in).first(in.text(1)))
            .define("rfind(self, sub, start=, end=)", (in, budget) -> search(in).last(in.text(1)))
            .define("index(self, sub, start=, end=)", (in, budget) -> found(search(in).first(in.text(1))))
            .define("rindex(self, sub, start=, end=)", (in, budget) -> found(search(in).last(in.text(1))))
            .define("count(self, sub, start=, end=)", (in, budget) -> search(in).count(in.text(1)))
            .define("startswith(self, prefix, start=, end=)", (in, budget) ->
                    affixes(in, "startswith").stream().anyMatch(search(in)::startsWith))
            .define("endswith(self, suffix, start=, end=)", (in, budget) ->
                    affixes(in, "endswith").stream().anyMatch(search(in)::endsWith))
            .define("join(self, iterable)", TextMethods::join)
            .define("center(self, width, fillchar=)", (in, budget) -> {
                long missing = missing(in);
                long left = missing / 2 + (missing & in.number(1, 0) & 1);
                return padded(in, left, missing - left, budget);
            })
            .define("ljust(self, width, fillchar=)", (in, budget) -> padded(in, 0, missing(in), budget))
            .define("rjust(self, width, fillchar=)", (in, budget) -> padded(in, missing(in), 0, budget))
            .define("zfill(self, width)", (in, budget) -> {
                String text = in.text(0);
                int sign = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
                return text.substring(0, sign) + Text.repeat("0", missing(in), budget) + text.substring(sign);
            })
            .define("expandtabs(self, tabsize=)", (in, budget) -> expandTabs(in.text(0), in.number(1, 8), budget))
            .define("format_map(self, mapping)", (in, budget) -> {
                if (!(in.value(1) instanceof Dict dict)) {
                    throw new TemplateException("format requires a mapping");
                }
                Arguments arguments = new Arguments(List.of(), keywords(dict));
                return BraceFormat.format(in.value(0), arguments, Access.FORMAT, budget);
            })
            .define("isalnum(self)", (in, budget) -> Casing.all(in.text(0), Casing::isAlphanumeric))
            .define("isalpha(self)", (in, budget) -> Casing.all(in.text(0), Character::isLetter))
            .define("isascii(self)", (in, budget) -> in.text(0).chars().allMatch(c -> c < 0x80))
            .define("isdecimal(self)", (in, budget) -> Casing.all(in.text(0), Casing::isDecimal))
            .define("isdigit(self)", (in, budget) -> Casing.all(in.text(0), Casing::isDigit))
            .define("isnumeric(self)", (in, budget) -> Casing.all(in.text(0), Casing::isNumeric))
            .define("isidentifier(self)", (in, budget) -> Casing.isIdentifier(in.text(0)))
            .define("islower(self)", (in, budget) -> Casing.isLower(in.text(0)))
            .define("isupper(self)", (in, budget) -> Casing.isUpper(in.text(0)))
            .define("istitle(self)", (in, budget) -> Casing.isTitle(in.text(0)))
            .define("isprintable(self)", (in, budget) -> in.text(0).codePoints().allMatch(Repr::isPrintable))
            .define("isspace(self)", (in, budget) -> Casing.all(in.text(0), Text::isSpace));

    private TextMethods() {}

    /**
     * A method of a text.
     *
     * @return null if there is none of that name
     */
    static @Nullable Function find(Object text, String name) {
        if (name.equals("format")) {
            return (arguments, budget) -> BraceFormat.format(text, arguments, Access.FORMAT, budget);
        }
        boolean markup = text instanceof Markup && (GIVE_TEXT.contains(name) || name.equals("join"));
        Function method = METHODS.method(markup ? Text.of(text) : text, name);
        if (method == null || !markup) {
            return method;
        }
        return (arguments, budget) -> asMarkup(method.call(escaped(arguments, budget), budget));
    }

    private static Arguments escaped(Arguments arguments, Budget budget) {
        List<Object> positional = new ArrayList<>();
        for (Object argument : arguments.positional()) {
            if (Types.isText(argument)) {
                positional.add(Markup.escape(argument, budget).text());
            } else if (argument instanceof List<?> items) {
                List<Object> texts = new ArrayList<>();
                items.forEach(item -> texts.add(Markup.escape(item, budget).text()));
                positional.add(texts);
            } else {
                positional.add(argument);
            }
        }
        return new Arguments(positional, arguments.keywords());
    }

    private static Object asMarkup(Object value) {
        return switch (value) {
            case String text -> new Markup(text);
            case List<?> items -> items.stream().map(TextMethods::asMarkup).toList();
            case Tuple tuple -> new Tuple(tuple.items().stream().map(TextMethods::asMarkup).toList());
            default -> value;
        };
    }

    private static String strip(Inputs in, boolean start, boolean end) {
        String text = in.text(0);
        if (!in.has(1)) {
            String left = start ? Text.stripStart(text) : text;
            return end ? Text.stripEnd(left) : left;
        }
        String characters = in.text(1);
        int from = 0;
        int to = text.length();
        while (start && from < to && characters.indexOf(text.codePointAt(from)) >= 0) {
            from += Character.charCount(text.codePointAt(from));
        }
        while (end && from < to && characters.indexOf(text.codePointBefore(to)) >= 0) {
            to -= Character.charCount(text.codePointBefore(to));
        }
        return text.substring(from, to);
    }

    private static Tuple parted(Inputs in, int found) {
        String text = in.text(0);
        return Tuple.of(text.substring(0, found), in.text(1), text.substring(found + in.text(1).length()));
    }

    private static Searching search(Inputs in) {
        return new Searching(in.text(0), in, 2, 3);
    }

    private static long found(long index) {
        if (index < 0) {
            throw new TemplateException("substring not found");
        }
        return index;
    }

    private static List<String> affixes(Inputs in, String method) {
        if (in.value(1) instanceof Tuple tuple) {
            return tuple.items().stream().map(Text::of).toList();
        }
        if (!Types.isText(in.value(1))) {
            throw new TemplateException(method + " first arg must be str or a tuple of str, not "
                    + Types.name(in.value(1)));
        }
        return List.of(in.text(1));
    }

    private static Object join(Inputs in, Budget budget) {
        List<String> texts = new ArrayList<>();
        for (Object item : Iterating.list(in.value(1), budget)) {
            if (!Types.isText(item)) {
                throw new TemplateException("sequence item " + texts.size() + ": expected str instance, "
                        + Types.name(item) + " found");
            }
            texts.add(Text.of(item));
        }
        return Text.join(in.text(0), texts, budget);
    }

    private static long missing(Inputs in) {
        return Math.max(0, Numbers.index(in.value(1)) - Text.length(in.text(0)));
    }

    private static String padded(Inputs in, long left, long right, Budget budget) {
        String fill = in.has(2) ? in.text(2) : " ";
        if (Text.length(fill) != 1) {
            throw new TemplateException("The fill character must be exactly one character long");
        }
        return Text.repeat(fill, left, budget) + in.text(0) + Text.repeat(fill, right, budget);
    }

    private static String expandTabs(String text, long size, Budget budget) {
        StringBuilder out = new StringBuilder();
        long column = 0;
        for (int c : text.codePoints().toArray()) {
            if (c == '\t') {
                long spaces = size > 0 ? size - column % size : 0;
                out.append(Text.repeat(" ", spaces, budget));
                column += spaces;
                budget.growing(out.length());
            } else {
                out.appendCodePoint(c);
                column = c == '\n' || c == '\r' ? 0 : column + 1;
            }
        }
        budget.text(out.length());
        return out.toString();
    }

    private static Map<String, Object> keywords(Dict dict) {
        Map<String, Object> keywords = new LinkedHashMap<>();
        dict.items().forEachRemaining(entry -> {
            Tuple pair = (Tuple) entry;
            if (Types.isText(pair.items().get(0))) {
                keywords.put(Text.of(pair.items().get(0)), pair.items().get(1));
            }
        });
        return keywords;
    }
}
