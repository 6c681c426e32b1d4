package io.glyphgate.jinja.tree;

import io.glyphgate.jinja.Budget;
import io.glyphgate.jinja.TemplateException;
import io.glyphgate.jinja.value.Arguments;
import io.glyphgate.jinja.value.Attributed;
import io.glyphgate.jinja.value.Equality;
import io.glyphgate.jinja.value.Function;
import io.glyphgate.jinja.value.Tuple;
import io.glyphgate.jinja.value.Undefined;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** What a template knows as {@code loop}: where a loop is. It looks ahead only when it is asked what comes. */
final class Loop implements Attributed, Function {
    /** Runs the body of a recursive loop on other items, one level deeper. */
    interface Recursion {
        Object run(Object items, int depth);
    }

    private final Optional<Recursion> recursion;
    private final int depth;
    private Iterator<Object> items;
    private OptionalInt length;
    private long index = -1;
    private @Nullable Object previous;
    private @Nullable Object current;
    private @Nullable Object ahead;
    private @Nullable Object lastChanged;

    /**
     * A loop before its first round.
     *
     * @param items what it goes over
     * @param length how many they are, if that is known
     * @param recursion how to go deeper, if the loop may
     * @param depth how many loops are around it that it was started from, from 0
     */
    Loop(Iterator<Object> items, OptionalInt length, Optional<Recursion> recursion, int depth) {
        this.items = items;
        this.length = length;
        this.recursion = recursion;
        this.depth = depth;
    }

    /**
     * Goes to the next item.
     *
     * @return the item; null if there is none
     */
    @Nullable Object advance() {
        Object next = peek();
        if (next != null) {
            ahead = null;
            index++;
            previous = current;
            current = next;
        }
        return next;
    }

    private @Nullable Object peek() {
        if (ahead == null && items.hasNext()) {
            ahead = items.next();
        }
        return ahead;
    }

    private int length() {
        if (length.isEmpty()) {
            List<Object> rest = new ArrayList<>();
            items.forEachRemaining(rest::add);
            items = rest.iterator();
            length = OptionalInt.of((int) index + 1 + rest.size() + (ahead == null ? 0 : 1));
        }
        return length.getAsInt();
    }

    @Override
    public @Nullable Object attribute(String name) {
        return switch (name) {
            case "index" -> index + 1;
            case "index0" -> index;
            case "first" -> index == 0;
            case "last" -> peek() == null;
            case "length" -> (long) length();
            case "revindex" -> length() - index;
            case "revindex0" -> length() - index - 1;
            case "depth" -> depth + 1L;
            case "depth0" -> (long) depth;
            case "previtem" -> previous == null ? Undefined.because("there is no previous item") : previous;
            case "nextitem" -> {
                Object next = peek();
                yield next == null ? Undefined.because("there is no next item") : next;
            }
            case "cycle" -> (Function) (arguments, budget) -> cycle(arguments.positional());
            case "changed" -> (Function) (arguments, budget) -> changed(new Tuple(arguments.positional()), budget);
            default -> null;
        };
    }

    private Object cycle(List<Object> values) {
        if (values.isEmpty()) {
            throw new TemplateException("no items for cycling given");
        }
        return values.get((int) (index % values.size()));
    }

    private boolean changed(Object values, Budget budget) {
        boolean changed = lastChanged == null || !Equality.equal(lastChanged, values, budget);
        lastChanged = values;
        return changed;
    }

    @Override
    public Object call(Arguments arguments, Budget budget) {
        if (recursion.isEmpty()) {
            throw new TemplateException("The loop must have the 'recursive' marker to be called recursively.");
        }
        if (arguments.positional().size() != 1) {
            throw new TemplateException("loop() takes 1 argument: the items to go over");
        }
        return recursion.get().run(arguments.positional().getFirst(), depth + 1);
    }

    @Override
    public String type() {
        return "jinja2.runtime.LoopContext";
    }
}
