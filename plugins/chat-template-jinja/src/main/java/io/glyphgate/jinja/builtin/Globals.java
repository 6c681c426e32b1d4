package io.glyphgate.jinja.builtin;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.value.Arguments;
import io.glyphgate.jinja.value.Dict;
import io.glyphgate.jinja.value.Function;
import io.glyphgate.jinja.value.Iterating;
import io.glyphgate.jinja.value.Numbers;
import io.glyphgate.jinja.value.Range;
import io.glyphgate.jinja.value.Text;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The functions that every template finds. */
public final class Globals {
    private static final Map<String, Function> FUNCTIONS = Map.of(
            "range", Globals::range,
            "dict", Globals::dict,
            "namespace", (arguments, budget) -> new Namespace(dict(arguments, budget)),
            "cycler", (arguments, budget) -> new Cycler(arguments.positional()),
            "joiner", Globals::joiner,
            "lipsum", (arguments, budget) -> {
                throw new TemplateException("lipsum() makes random text and is not supported");
            },
            "raise_exception", Globals::raise);
    private static final Signature JOINER = new Signature("joiner(sep=)");
    private static final Signature RAISE = new Signature("raise_exception(message)");
    private static final Signature NOW = new Signature("strftime_now(format)");

    private Globals() {}

    /**
     * A global by its name.
     *
     * @param now what {@code strftime_now} shows
     * @return null if there is none
     */
    public static @Nullable Function find(String name, LocalDateTime now) {
        if (name.equals("strftime_now")) {
            return (arguments, budget) -> Strftime.format(now, NOW.bind(arguments).text(0));
        }
        return FUNCTIONS.get(name);
    }

    private static Object range(Arguments arguments, Budget budget) {
        List<Object> numbers = arguments.positional();
        if (!arguments.keywords().isEmpty()) {
            throw new TemplateException("range() takes no keyword arguments");
        }
        return switch (numbers.size()) {
            case 1 -> new Range(0, Numbers.index(numbers.get(0)), 1);
            case 2 -> new Range(Numbers.index(numbers.get(0)), Numbers.index(numbers.get(1)), 1);
            case 3 -> new Range(
                    Numbers.index(numbers.get(0)), Numbers.index(numbers.get(1)), Numbers.index(numbers.get(2)));
            case 0 -> throw new TemplateException("range expected at least 1 argument, got 0");
            default -> throw new TemplateException("range expected at most 3 arguments, got " + numbers.size());
        };
    }

    private static Dict dict(Arguments arguments, Budget budget) {
        if (arguments.positional().size() > 1) {
            throw new TemplateException(
                    "dict expected at most 1 argument, got " + arguments.positional().size());
        }
        Dict dict = new Dict();
        for (Object source : arguments.positional()) {
            if (source instanceof Dict other) {
                budget.step(other.size());
                dict.putAll(other);
            } else {
                Iterating.list(source, budget).forEach(pair -> putPair(dict, pair, budget));
            }
        }
        arguments.keywords().forEach(dict::put);
        return dict;
    }

    private static void putPair(Dict dict, Object pair, Budget budget) {
        List<Object> parts = Iterating.list(pair, budget);
        if (parts.size() != 2) {
            throw new TemplateException("dictionary update sequence element #" + dict.size() + " has length "
                    + parts.size() + "; 2 is required");
        }
        dict.put(parts.get(0), parts.get(1));
    }

    private static Object joiner(Arguments arguments, Budget budget) {
        Object separator = JOINER.bind(arguments).value(0, ", ");
        return new Function() {
            private boolean used;

            @Override
            public Object call(Arguments none, Budget sameBudget) {
                Object text = used ? separator : "";
                used = true;
                return text;
            }
        };
    }

    private static Object raise(Arguments arguments, Budget budget) {
        Object message = RAISE.bind(arguments).value(0);
        throw new TemplateException(Text.str(message, budget));
    }
}
