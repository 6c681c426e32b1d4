package io.glyphgate.jinja.builtin;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.value.Arithmetic;
import io.glyphgate.jinja.value.Dict;
import io.glyphgate.jinja.value.Equality;
import io.glyphgate.jinja.value.Generator;
import io.glyphgate.jinja.value.Iterating;
import io.glyphgate.jinja.value.None;
import io.glyphgate.jinja.value.Ordering;
import io.glyphgate.jinja.value.Subscripts;
import io.glyphgate.jinja.value.Text;
import io.glyphgate.jinja.value.Truth;
import io.glyphgate.jinja.value.Tuple;
import io.glyphgate.jinja.value.Types;
import io.glyphgate.jinja.value.Undefined;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;

/** The filters for lists, dicts and other things with items. */
final class ListFilters {
    static final Functions FILTERS = new Functions()
            .define("length(obj)", (in, budget) -> (long) Iterating.length(in.value(0)), "count")
            .define("list(value)", (in, budget) -> Iterating.list(in.value(0), budget))
            .define("items(value)", (in, budget) -> items(in.value(0)))
            .define("first(seq)", (in, budget) -> first(in.value(0)))
            .define("last(seq)", (in, budget) -> last(in.value(0), budget))
            .define("reverse(value)", (in, budget) -> reverse(in.value(0), budget))
            .define("join(value, d=, attribute=)", ListFilters::join)
            .define("sort(value, reverse=, case_sensitive=, attribute=)", ListFilters::sort)
            .define("dictsort(value, case_sensitive=, by=, reverse=)", ListFilters::dictSort)
            .define("unique(value, case_sensitive=, attribute=)", ListFilters::unique)
            .define("groupby(value, attribute, default=, case_sensitive=)", ListFilters::groupBy)
            .define("min(value, case_sensitive=, attribute=)", (in, budget) -> extreme(in, true, budget))
            .define("max(value, case_sensitive=, attribute=)", (in, budget) -> extreme(in, false, budget))
            .define("sum(iterable, attribute=, start=)", ListFilters::sum)
            .define("batch(value, linecount, fill_with=)", (in, budget) ->
                    new Generator(Iterating.lazily(() -> batches(in, budget).iterator())))
            .define("slice(value, slices, fill_with=)", (in, budget) ->
                    new Generator(Iterating.lazily(() -> slices(in, budget).iterator())))
            .define("attr(obj, name)", (in, budget) -> {
                if (in.value(0) instanceof Undefined undefined) {
                    throw undefined.failure();
                }
                Object attribute = Access.find(in.value(0), in.text(1));
                return attribute == null ? Undefined.member(in.value(0), in.text(1)) : attribute;
            })
            .define(
                    "default(value, default_value=, boolean=)",
                    (in, budget) -> {
                        Object value = in.value(0);
                        boolean missing = value instanceof Undefined || (in.flag(2) && !Truth.of(value));
                        return missing ? in.value(1, "") : value;
                    },
                    "d");

    private ListFilters() {}

    private static Object items(Object value) {
        return new Generator(Iterating.lazily(() -> switch (value) {
            case Dict dict -> dict.items();
            case Undefined undefined -> Collections.emptyIterator();
            default -> throw new TemplateException("Can only get item pairs from a mapping.");
        }));
    }

    private static Object first(Object value) {
        Iterator<Object> items = Iterating.iterator(value);
        return items.hasNext() ? items.next() : Undefined.because("No first item, sequence was empty.");
    }

    private static Object last(Object value, Budget budget) {
        requireReversible(value);
        Object last = Types.isText(value) ? Subscripts.item(value, -1L) : lastOf(Iterating.list(value, budget));
        return last == null ? Undefined.because("No last item, sequence was empty.") : last;
    }

    private static Object lastOf(List<Object> items) {
        return items.isEmpty() ? Undefined.because("No last item, sequence was empty.") : items.getLast();
    }

    private static void requireReversible(Object value) {
        if (Iterating.lengthIfKnown(value).isEmpty()) {
            throw new TemplateException("'" + Types.name(value) + "' object is not reversible");
        }
    }

    private static Object reverse(Object value, Budget budget) {
        if (Types.isText(value)) {
            return Subscripts.slice(value, None.NONE, None.NONE, -1L, budget);
        }
        if (Iterating.iteratorOrNull(value) == null) {
            throw new TemplateException("argument must be iterable");
        }
        List<Object> items = Iterating.list(value, budget);
        Collections.reverse(items);
        return value instanceof Generator
                ? items
                : new Generator(items.iterator(), Types.name(value) + "_reverseiterator");
    }

    private static Object join(Inputs in, Budget budget) {
        AttributePath path = AttributePath.of(in.value(2));
        List<String> texts = new ArrayList<>();
        for (Object item : Iterating.list(in.value(0), budget)) {
            texts.add(Text.str(path.apply(item), budget));
        }
        return Text.join(Text.str(in.value(1, ""), budget), texts, budget);
    }

    private static Object sort(Inputs in, Budget budget) {
        List<AttributePath> paths = new ArrayList<>();
        if (Types.isText(in.value(3))) {
            for (String attribute : in.text(3).split(",", -1)) {
                paths.add(AttributePath.of(attribute));
            }
        } else {
            paths.add(AttributePath.of(in.value(3)));
        }
        boolean caseSensitive = in.flag(2);
        return Ordering.sorted(
                Iterating.list(in.value(0), budget),
                item -> paths.stream().map(path -> folded(path.apply(item), caseSensitive)).toList(),
                in.flag(1),
                budget);
    }

    private static Object folded(Object value, boolean caseSensitive) {
        return !caseSensitive && Types.isText(value) ? Casing.lower(Text.of(value)) : value;
    }

    private static Object dictSort(Inputs in, Budget budget) {
        if (!(in.value(0) instanceof Dict dict)) {
            throw in.value(0) instanceof Undefined undefined
                    ? undefined.failure()
                    : new TemplateException("'" + Types.name(in.value(0)) + "' object has no attribute 'items'");
        }
        String by = Text.str(in.value(2, "key"), budget);
        if (!by.equals("key") && !by.equals("value")) {
            throw new TemplateException("You can only sort by either \"key\" or \"value\"");
        }
        int position = by.equals("key") ? 0 : 1;
        List<Object> entries = new ArrayList<>();
        dict.items().forEachRemaining(entries::add);
        boolean caseSensitive = in.flag(1);
        return Ordering.sorted(
                entries,
                entry -> folded(((Tuple) entry).items().get(position), caseSensitive),
                in.flag(3),
                budget);
    }

    private static Object unique(Inputs in, Budget budget) {
        Function<Object, Object> key = key(in, 2, in.flag(1));
        Dict seen = new Dict();
        return new Generator(Iterating.lazily(() -> Iterating.filter(Iterating.iterator(in.value(0)), item -> {
            budget.step(1);
            Object itemKey = key.apply(item);
            boolean fresh = !seen.contains(itemKey);
            seen.put(itemKey, true);
            return fresh;
        })));
    }

    private static Function<Object, Object> key(Inputs in, int attribute, boolean caseSensitive) {
        AttributePath path = AttributePath.of(in.value(attribute));
        return item -> folded(path.apply(item), caseSensitive);
    }

    private static Object groupBy(Inputs in, Budget budget) {
        AttributePath path = AttributePath.of(in.value(1), in.value(2));
        boolean caseSensitive = in.flag(3);
        Function<Object, Object> key = item -> folded(path.apply(item), caseSensitive);
        List<Object> groups = new ArrayList<>();
        List<Object> group = new ArrayList<>();
        for (Object item : Ordering.sorted(Iterating.list(in.value(0), budget), key, false, budget)) {
            boolean same = !group.isEmpty() && Equality.equal(key.apply(group.getFirst()), key.apply(item), budget);
            if (!same) {
                group = new ArrayList<>();
                groups.add(new Tuple(List.of(path.apply(item), group), List.of("grouper", "list")));
            }
            group.add(item);
        }
        return groups;
    }

    private static Object extreme(Inputs in, boolean smallest, Budget budget) {
        Function<Object, Object> key = key(in, 2, in.flag(1));
        List<Object> items = Iterating.list(in.value(0), budget);
        if (items.isEmpty()) {
            return Undefined.because("No aggregated item, sequence was empty.");
        }
        Object best = items.getFirst();
        Object bestKey = key.apply(best);
        for (Object item : items.subList(1, items.size())) {
            Object itemKey = key.apply(item);
            boolean better = smallest
                    ? Ordering.less(itemKey, bestKey, budget)
                    : Ordering.holds(Ordering.Operator.GREATER, itemKey, bestKey, budget);
            if (better) {
                best = item;
                bestKey = itemKey;
            }
        }
        return best;
    }

    private static Object sum(Inputs in, Budget budget) {
        AttributePath path = AttributePath.of(in.value(1));
        Object sum = in.value(2, 0L);
        if (Types.isText(sum)) {
            throw new TemplateException("sum() can't sum strings [use ''.join(seq) instead]");
        }
        for (Object item : Iterating.list(in.value(0), budget)) {
            sum = Arithmetic.apply(Arithmetic.Operator.ADD, sum, path.apply(item), budget);
        }
        return sum;
    }

    private static List<Object> batches(Inputs in, Budget budget) {
        long size = in.number(1, 0);
        List<Object> batches = new ArrayList<>();
        List<Object> batch = new ArrayList<>();
        for (Object item : Iterating.list(in.value(0), budget)) {
            if (batch.size() == size) {
                batches.add(batch);
                batch = new ArrayList<>();
            }
            batch.add(item);
        }
        if (!batch.isEmpty()) {
            if (in.has(2) && batch.size() < size) {
                budget.step(size - batch.size());
                batch.addAll(Collections.nCopies((int) size - batch.size(), in.value(2)));
            }
            batches.add(batch);
        }
        return batches;
    }

    private static List<Object> slices(Inputs in, Budget budget) {
        List<Object> items = Iterating.list(in.value(0), budget);
        long count = in.number(1, 0);
        if (count == 0) {
            throw new TemplateException("integer division or modulo by zero");
        }
        budget.step(Math.max(0, count));
        List<Object> slices = new ArrayList<>();
        int size = (int) (items.size() / count);
        int larger = (int) (items.size() % count);
        int start = 0;
        for (int i = 0; i < count; i++) {
            int end = start + size + (i < larger ? 1 : 0);
            List<Object> slice = new ArrayList<>(items.subList(start, end));
            if (in.has(2) && i >= larger) {
                slice.add(in.value(2));
            }
            slices.add(slice);
            start = end;
        }
        return slices;
    }
}
