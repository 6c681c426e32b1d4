package io.glyphgate.jinja.builtin;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.value.Dict;
import io.glyphgate.jinja.value.DictView;
import io.glyphgate.jinja.value.Equality;
import io.glyphgate.jinja.value.Iterating;
import io.glyphgate.jinja.value.Numbers;
import io.glyphgate.jinja.value.Range;
import io.glyphgate.jinja.value.Repr;
import io.glyphgate.jinja.value.Tuple;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The methods of dicts, lists, tuples and ranges that change nothing. Those that would are refused by the sandbox. */
final class CollectionMethods {
    private static final Set<String> CHANGE_DICTS = Set.of("clear", "pop", "popitem", "setdefault", "update");
    private static final Set<String> CHANGE_LISTS =
            Set.of("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort");

    private static final Functions OF_DICTS = new Functions()
            .define("get(self, key, default=)", (in, budget) -> {
                Object found = ((Dict) in.value(0)).find(in.value(1));
                return found == null ? in.value(2) : found;
            })
            .define("keys(self)", (in, budget) -> new DictView((Dict) in.value(0), DictView.Part.KEYS))
            .define("values(self)", (in, budget) -> new DictView((Dict) in.value(0), DictView.Part.VALUES))
            .define("items(self)", (in, budget) -> new DictView((Dict) in.value(0), DictView.Part.ITEMS))
            .define("copy(self)", (in, budget) -> {
                Dict dict = (Dict) in.value(0);
                budget.step(dict.size());
                return new Dict(dict);
            })
            .define("fromkeys(self, iterable, value=)", (in, budget) -> {
                Dict dict = new Dict();
                Iterating.list(in.value(1), budget).forEach(key -> dict.put(key, in.value(2)));
                return dict;
            });

    private static final Functions OF_SEQUENCES = new Functions()
            .define("count(self, value)", (in, budget) -> {
                long count = 0;
                for (Object item : Iterating.list(in.value(0), budget)) {
                    count += Equality.equal(item, in.value(1), budget) ? 1 : 0;
                }
                return count;
            })
            .define("index(self, value, start=, stop=)", CollectionMethods::index);

    private static final Functions OF_LISTS = new Functions()
            .include(OF_SEQUENCES)
            .define("copy(self)", (in, budget) -> Iterating.list(in.value(0), budget));

    private CollectionMethods() {}

    /** Whether a method would change a value. */
    static boolean changes(Object value, String name) {
        return (value instanceof Dict && CHANGE_DICTS.contains(name))
                || (value instanceof List<?> && CHANGE_LISTS.contains(name));
    }

    /**
     * A method or attribute of a collection.
     *
     * @return null if there is none of that name
     */
    static @Nullable Object find(Object value, String name) {
        return switch (value) {
            case Dict dict -> OF_DICTS.method(dict, name);
            case List<?> list -> OF_LISTS.method(list, name);
            case Tuple tuple -> {
                int named = tuple.names().indexOf(name);
                yield named < 0 ? OF_SEQUENCES.method(tuple, name) : tuple.items().get(named);
            }
            case Range range -> switch (name) {
                case "start" -> range.start();
                case "stop" -> range.stop();
                case "step" -> range.step();
                default -> OF_SEQUENCES.method(range, name);
            };
            default -> null;
        };
    }

    private static Object index(Inputs in, Budget budget) {
        int length = Iterating.length(in.value(0));
        long start = in.has(2) ? bound(in.value(2), length) : 0;
        long stop = in.has(3) ? bound(in.value(3), length) : length;
        Iterator<Object> items = Iterating.iterator(in.value(0));
        for (long i = 0; items.hasNext(); i++) {
            Object item = items.next();
            if (i >= start && i < stop && Equality.equal(item, in.value(1), budget)) {
                return i;
            }
        }
        throw new TemplateException(Repr.of(in.value(1), budget) + " is not in list");
    }

    private static long bound(Object value, int length) {
        long index = Numbers.index(value);
        return index < 0 ? Math.max(0, index + length) : index;
    }
}
