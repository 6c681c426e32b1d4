package io.glyphgate.jinja.builtin;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.value.Arguments;
import io.glyphgate.jinja.value.Function;
import io.glyphgate.jinja.value.Text;
import io.glyphgate.jinja.value.Types;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A table of functions whose first parameter is the value that they work on: filters, tests, methods. */
final class Functions {
    /** What a function does. */
    interface Body {
        Object apply(Inputs in, Budget budget);
    }

    private final Map<String, Function> functions = new HashMap<>();

    /** Adds a function under the name in its signature, and under others. */
    Functions define(String signature, Body body, String... aliases) {
        Signature parameters = new Signature(signature);
        Function function = (arguments, budget) -> {
            Inputs in = parameters.bind(arguments);
            if (Types.isText(in.value(0))) {
                budget.read(Text.of(in.value(0)));
            }
            return body.apply(in, budget);
        };
        functions.put(parameters.name(), function);
        for (String alias : aliases) {
            functions.put(alias, function);
        }
        return this;
    }

    /** Adds all functions of another table. */
    Functions include(Functions other) {
        functions.putAll(other.functions);
        return this;
    }

    Set<String> names() {
        return functions.keySet();
    }

    /**
     * A function by its name.
     *
     * @return null if there is none
     */
    @Nullable Function find(String name) {
        return functions.get(name);
    }

    /**
     * A function by its name, as a method of a value.
     *
     * @return null if there is none
     */
    @Nullable Function method(Object value, String name) {
        Function function = functions.get(name);
        return function == null
                ? null
                : (arguments, budget) -> function.call(withFirst(value, arguments), budget);
    }

    /** Arguments with one more before them. */
    static Arguments withFirst(Object value, Arguments arguments) {
        List<Object> positional = new ArrayList<>(arguments.positional().size() + 1);
        positional.add(value);
        positional.addAll(arguments.positional());
        return new Arguments(positional, arguments.keywords());
    }
}
