package io.glyphgate.jinja.builtin;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.value.Arithmetic;
import io.glyphgate.jinja.value.Dict;
import io.glyphgate.jinja.value.Equality;
import io.glyphgate.jinja.value.Function;
import io.glyphgate.jinja.value.Iterating;
import io.glyphgate.jinja.value.Markup;
import io.glyphgate.jinja.value.None;
import io.glyphgate.jinja.value.Ordering;
import io.glyphgate.jinja.value.Range;
import io.glyphgate.jinja.value.Text;
import io.glyphgate.jinja.value.Tuple;
import io.glyphgate.jinja.value.Types;
import io.glyphgate.jinja.value.Undefined;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tests, which stand after {@code is}. */
public final class Tests {
    private static final Functions TESTS = new Functions()
            .define("defined(value)", (in, budget) -> !(in.value(0) instanceof Undefined))
            .define("undefined(value)", (in, budget) -> in.value(0) instanceof Undefined)
            .define("none(value)", (in, budget) -> in.value(0) == None.NONE)
            .define("boolean(value)", (in, budget) -> in.value(0) instanceof Boolean)
            .define("true(value)", (in, budget) -> in.value(0).equals(true))
            .define("false(value)", (in, budget) -> in.value(0).equals(false))
            .define("integer(value)", (in, budget) ->
                    Types.isInteger(in.value(0)) && !(in.value(0) instanceof Boolean))
            .define("float(value)", (in, budget) -> in.value(0) instanceof Double)
            .define("number(value)", (in, budget) -> Types.isNumber(in.value(0)))
            .define("string(value)", (in, budget) -> Types.isText(in.value(0)))
            .define("mapping(value)", (in, budget) -> in.value(0) instanceof Dict)
            .define("sequence(value)", (in, budget) -> isSequence(in.value(0)))
            .define("iterable(value)", (in, budget) -> Iterating.iteratorOrNull(in.value(0)) != null)
            .define("callable(value)", (in, budget) ->
                    in.value(0) instanceof Function || in.value(0) instanceof Undefined)
            .define("escaped(value)", (in, budget) -> in.value(0) instanceof Markup)
            .define("lower(value)", (in, budget) -> Casing.isLower(Text.str(in.value(0), budget)))
            .define("upper(value)", (in, budget) -> Casing.isUpper(Text.str(in.value(0), budget)))
            .define("odd(value)", (in, budget) -> remainder(in.value(0), 2L, 1L, budget))
            .define("even(value)", (in, budget) -> remainder(in.value(0), 2L, 0L, budget))
            .define("divisibleby(value, num)", (in, budget) -> remainder(in.value(0), in.value(1), 0L, budget))
            .define("filter(value)", (in, budget) -> names(in.value(0), Filters::find))
            .define("test(value)", (in, budget) -> names(in.value(0), Tests::find))
            .define("sameas(value, other)", (in, budget) -> isSame(in.value(0), in.value(1), budget))
            .define("in(value, seq)", (in, budget) -> Iterating.contains(in.value(1), in.value(0), budget))
            .define(
                    "eq(value, other)",
                    (in, budget) -> Equality.equal(in.value(0), in.value(1), budget),
                    "==",
                    "equalto")
            .define("ne(value, other)", (in, budget) -> !Equality.equal(in.value(0), in.value(1), budget), "!=")
            .define("lt(value, other)", ordered(Ordering.Operator.LESS), "<", "lessthan")
            .define("le(value, other)", ordered(Ordering.Operator.LESS_OR_EQUAL), "<=")
            .define("gt(value, other)", ordered(Ordering.Operator.GREATER), ">", "greaterthan")
            .define("ge(value, other)", ordered(Ordering.Operator.GREATER_OR_EQUAL), ">=");

    private Tests() {}

    /**
     * A test by its name: a function whose first argument is what is tested.
     *
     * @return null if there is none
     */
    public static @Nullable Function find(String name) {
        return TESTS.find(name);
    }

    private static boolean names(Object value, java.util.function.Function<String, @Nullable Function> table) {
        if (!Types.isText(value)) {
            // Python looks the value up in a dict, which refuses what cannot be a key.
            return new Dict().contains(value);
        }
        return table.apply(Text.of(value)) != null;
    }

    private static Functions.Body ordered(Ordering.Operator operator) {
        return (in, budget) -> Ordering.holds(operator, in.value(0), in.value(1), budget);
    }

    private static boolean remainder(Object value, Object divisor, Object wanted, Budget budget) {
        return Equality.equal(Arithmetic.apply(Arithmetic.Operator.MODULO, value, divisor, budget), wanted, budget);
    }

    private static boolean isSequence(Object value) {
        return Types.isText(value)
                || value instanceof List<?>
                || value instanceof Tuple
                || value instanceof Dict
                || value instanceof Range
                || value instanceof Undefined;
    }

    /** Python asks for the same object; equal numbers and texts are taken for that, as they mostly are. */
    private static boolean isSame(Object value, Object other, Budget budget) {
        if (value == other) {
            return true;
        }
        boolean shared = value.getClass() == other.getClass() && (Types.isNumber(value) || Types.isText(value));
        return shared && Equality.equal(value, other, budget);
    }
}
