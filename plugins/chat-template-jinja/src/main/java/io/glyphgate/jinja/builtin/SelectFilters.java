package io.glyphgate.jinja.builtin;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.value.Arguments;
import io.glyphgate.jinja.value.Function;
import io.glyphgate.jinja.value.Generator;
import io.glyphgate.jinja.value.Iterating;
import io.glyphgate.jinja.value.None;
import io.glyphgate.jinja.value.Text;
import io.glyphgate.jinja.value.Truth;
import io.glyphgate.jinja.value.Types;
import io.glyphgate.jinja.value.Undefined;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The filters that use a filter or a test on each item. They work, and fail, when their items are asked for. */
final class SelectFilters {
    static final Functions FILTERS = new Functions()
            .define("map(value, *rest)", SelectFilters::map)
            .define("select(value, *rest)", (in, budget) -> select(in, false, true, budget))
            .define("reject(value, *rest)", (in, budget) -> select(in, false, false, budget))
            .define("selectattr(value, *rest)", (in, budget) -> select(in, true, true, budget))
            .define("rejectattr(value, *rest)", (in, budget) -> select(in, true, false, budget));

    private SelectFilters() {}

    private static Object map(Inputs in, Budget budget) {
        return new Generator(lazily(in.value(0), items -> {
            UnaryOperator<Object> change = change(in.all(), budget);
            return Iterating.map(items, item -> {
                budget.step(1);
                return change.apply(item);
            });
        }));
    }

    private static UnaryOperator<Object> change(Arguments all, Budget budget) {
        List<Object> rest = all.positional().subList(1, all.positional().size());
        if (rest.isEmpty() && all.keywords().containsKey("attribute")) {
            Map<String, Object> keywords = new LinkedHashMap<>(all.keywords());
            Object attribute = keywords.remove("attribute");
            Object preset = keywords.containsKey("default") ? keywords.remove("default") : None.NONE;
            if (!keywords.isEmpty()) {
                throw new TemplateException(
                        "Unexpected keyword argument '" + keywords.keySet().iterator().next() + "'");
            }
            return AttributePath.of(attribute, preset);
        }
        if (rest.isEmpty()) {
            throw new TemplateException("map requires a filter argument");
        }
        Function filter = named("filter", rest.getFirst(), Filters::find);
        Arguments arguments = new Arguments(rest.subList(1, rest.size()), all.keywords());
        return item -> filter.call(Functions.withFirst(item, arguments), budget);
    }

    private static Object select(Inputs in, boolean ofAttribute, boolean wanted, Budget budget) {
        return new Generator(lazily(in.value(0), items -> {
            List<Object> rest = in.all().positional().subList(1, in.all().positional().size());
            if (ofAttribute && rest.isEmpty()) {
                throw new TemplateException("Missing parameter for attribute name");
            }
            AttributePath path = AttributePath.of(ofAttribute ? rest.getFirst() : None.NONE);
            List<Object> test = ofAttribute ? rest.subList(1, rest.size()) : rest;
            UnaryOperator<Object> check = check(test, in.all().keywords(), budget);
            return Iterating.filter(items, item -> {
                budget.step(1);
                return Truth.of(check.apply(path.apply(item))) == wanted;
            });
        }));
    }

    private static UnaryOperator<Object> check(List<Object> test, Map<String, Object> keywords, Budget budget) {
        if (test.isEmpty()) {
            return UnaryOperator.identity();
        }
        Function function = named("test", test.getFirst(), Tests::find);
        Arguments arguments = new Arguments(test.subList(1, test.size()), keywords);
        return item -> function.call(Functions.withFirst(item, arguments), budget);
    }

    private static Function named(
            String kind, Object name, java.util.function.Function<String, @Nullable Function> table) {
        Function function = Types.isText(name) ? table.apply(Text.of(name)) : null;
        if (function == null) {
            String hint = name instanceof Undefined undefined
                    ? " (" + undefined.failure().reason() + "; did you forget to quote the callable name?)"
                    : "";
            String shown = Types.isText(name) ? "'" + Text.of(name) + "'" : Types.name(name);
            throw new TemplateException("No " + kind + " named " + shown + "." + hint);
        }
        return function;
    }

    /** Items made of those of a value, and not before they are asked for; none if the value is empty. */
    private static Iterator<Object> lazily(
            Object value, java.util.function.Function<Iterator<Object>, Iterator<Object>> make) {
        return Iterating.lazily(
                () -> Truth.of(value) ? make.apply(Iterating.iterator(value)) : Collections.emptyIterator());
    }
}
