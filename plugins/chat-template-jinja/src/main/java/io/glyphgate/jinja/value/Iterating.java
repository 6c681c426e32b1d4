package io.glyphgate.jinja.value;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Walking over values. */
public final class Iterating {
    private Iterating() {}

    /**
     * The items of a value.
     *
     * @return null if it has none to give
     */
    public static @Nullable Iterator<Object> iteratorOrNull(Object value) {
        return switch (value) {
            case String text -> characters(text);
            case Markup markup -> characters(markup.text());
            case List<?> list -> map(list.iterator(), item -> item);
            case Tuple tuple -> tuple.items().iterator();
            case Dict dict -> dict.keys();
            case DictView view -> view.iterator();
            case Range range -> range.iterator();
            case Generator generator -> generator.items();
            case Undefined undefined -> List.of().iterator();
            default -> null;
        };
    }

    /** The items of a value; fails if it has none to give. */
    public static Iterator<Object> iterator(Object value) {
        Iterator<Object> items = iteratorOrNull(value);
        if (items == null) {
            throw new TemplateException("'" + Types.name(value) + "' object is not iterable");
        }
        return items;
    }

    /** The items of a value as a new list; each is a step. */
    public static List<Object> list(Object value, Budget budget) {
        List<Object> items = new ArrayList<>();
        iterator(value).forEachRemaining(item -> {
            budget.step(1);
            items.add(item);
        });
        return items;
    }

    /** How many items a value has; empty if it does not know. */
    public static OptionalInt lengthIfKnown(Object value) {
        return switch (value) {
            case String text -> OptionalInt.of(Text.length(text));
            case Markup markup -> OptionalInt.of(Text.length(markup.text()));
            case List<?> list -> OptionalInt.of(list.size());
            case Tuple tuple -> OptionalInt.of(tuple.items().size());
            case Dict dict -> OptionalInt.of(dict.size());
            case DictView view -> OptionalInt.of(view.dict().size());
            case Range range -> OptionalInt.of(range.length());
            case Undefined undefined -> OptionalInt.of(0);
            default -> OptionalInt.empty();
        };
    }

    /** How many items a value has; fails if it does not know. */
    public static int length(Object value) {
        return lengthIfKnown(value).orElseThrow(
                () -> new TemplateException("object of type '" + Types.name(value) + "' has no len()"));
    }

    /** Whether a container holds an item: Python's {@code in}. */
    public static boolean contains(Object container, Object item, Budget budget) {
        if (Types.isText(container)) {
            if (!Types.isText(item)) {
                throw new TemplateException(
                        "'in <string>' requires string as left operand, not " + Types.name(item));
            }
            budget.read(Text.of(container));
            return Text.of(container).contains(Text.of(item));
        }
        if (container instanceof Dict dict) {
            return dict.contains(item);
        }
        if (container instanceof DictView view && view.part() == DictView.Part.KEYS) {
            return view.dict().contains(item);
        }
        Iterator<Object> items = iteratorOrNull(container);
        if (items == null) {
            throw new TemplateException("argument of type '" + Types.name(container) + "' is not iterable");
        }
        while (items.hasNext()) {
            budget.step(1);
            if (Equality.equal(items.next(), item, budget)) {
                return true;
            }
        }
        return false;
    }

    /** Items, each changed when it is asked for. */
    public static <T, R> Iterator<R> map(Iterator<T> items, Function<? super T, ? extends R> change) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return items.hasNext();
            }

            @Override
            public R next() {
                return change.apply(items.next());
            }
        };
    }

    /** The items that pass, each tried when it is asked for. */
    public static Iterator<Object> filter(Iterator<Object> items, Predicate<Object> test) {
        return new Iterator<>() {
            private @Nullable Object next;

            @Override
            public boolean hasNext() {
                while (next == null && items.hasNext()) {
                    Object item = items.next();
                    if (test.test(item)) {
                        next = item;
                    }
                }
                return next != null;
            }

            @Override
            public Object next() {
                if (!hasNext() || next == null) {
                    throw new NoSuchElementException();
                }
                Object item = next;
                next = null;
                return item;
            }
        };
    }

    /** Items that are made when the first of them is asked for. */
    public static Iterator<Object> lazily(Supplier<Iterator<Object>> start) {
        return new Iterator<>() {
            private @Nullable Iterator<Object> items;

            private Iterator<Object> items() {
                Iterator<Object> known = items;
                if (known == null) {
                    known = start.get();
                    items = known;
                }
                return known;
            }

            @Override
            public boolean hasNext() {
                return items().hasNext();
            }

            @Override
            public Object next() {
                return items().next();
            }
        };
    }

    private static Iterator<Object> characters(String text) {
        return new Iterator<>() {
            private int at;

            @Override
            public boolean hasNext() {
                return at < text.length();
            }

            @Override
            public Object next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                int end = text.offsetByCodePoints(at, 1);
                String character = text.substring(at, end);
                at = end;
                return character;
            }
        };
    }
}
