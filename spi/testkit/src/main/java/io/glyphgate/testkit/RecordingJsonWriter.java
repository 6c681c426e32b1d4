package io.glyphgate.testkit;

import io.glyphgate.spi.JsonWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A writer that keeps the value written to it, and fails at the first call that would not make JSON.
 *
 * @since 1.0
 */
public final class RecordingJsonWriter implements JsonWriter {
    /** An object or array that is not closed; {@code name} is the member whose value comes next. */
    private static final class Open {
        private final @Nullable Map<String, Object> members;
        private final @Nullable List<Object> elements;
        private @Nullable String name;

        private Open(@Nullable Map<String, Object> members, @Nullable List<Object> elements) {
            this.members = members;
            this.elements = elements;
        }
    }

    /** What stands for null in a recorded value. */
    public static final Object NULL = new Object() {
        @Override
        public String toString() {
            return "null";
        }
    };

    private final Deque<Open> open = new ArrayDeque<>();
    private @Nullable Object root;

    /** A writer that expects one value. */
    public RecordingJsonWriter() {}

    /**
     * The value: text, numbers, truth values, {@link #NULL}, lists, and maps in the order of their members.
     *
     * @return the one value that was written
     * @throws AssertionError if none was written, or an object or array was not closed
     */
    public Object value() {
        if (root == null) {
            throw new AssertionError("no value was written");
        }
        if (!open.isEmpty()) {
            throw new AssertionError("an object or array was not closed: " + root);
        }
        return root;
    }

    @Override
    public JsonWriter beginObject() {
        Map<String, Object> members = new LinkedHashMap<>();
        put(members);
        open.push(new Open(members, null));
        return this;
    }

    @Override
    public JsonWriter endObject() {
        Open innermost = open.poll();
        if (innermost == null || innermost.members == null || innermost.name != null) {
            throw new AssertionError("endObject() where no object can end");
        }
        return this;
    }

    @Override
    public JsonWriter beginArray() {
        List<Object> elements = new ArrayList<>();
        put(elements);
        open.push(new Open(null, elements));
        return this;
    }

    @Override
    public JsonWriter endArray() {
        Open innermost = open.poll();
        if (innermost == null || innermost.elements == null) {
            throw new AssertionError("endArray() where no array can end");
        }
        return this;
    }

    @Override
    public JsonWriter name(String name) {
        Open innermost = open.peek();
        if (innermost == null || innermost.members == null || innermost.name != null) {
            throw new AssertionError("name(\"" + name + "\") where no member can begin");
        }
        if (innermost.members.containsKey(name)) {
            throw new AssertionError("the object has a member \"" + name + "\" already");
        }
        innermost.name = name;
        return this;
    }

    @Override
    public JsonWriter string(CharSequence value) {
        return put(value.toString());
    }

    @Override
    public JsonWriter number(long value) {
        return put(value);
    }

    @Override
    public JsonWriter number(double value) {
        if (!Double.isFinite(value)) {
            throw new AssertionError("number(" + value + ") is not finite, JSON cannot hold it");
        }
        return put(value);
    }

    @Override
    public JsonWriter bool(boolean value) {
        return put(value);
    }

    @Override
    public JsonWriter nullValue() {
        return put(NULL);
    }

    private JsonWriter put(Object value) {
        Open innermost = open.peek();
        if (innermost == null) {
            if (root != null) {
                throw new AssertionError("a second value was written: " + value);
            }
            root = value;
        } else if (innermost.elements != null) {
            innermost.elements.add(value);
        } else if (innermost.members != null && innermost.name != null) {
            innermost.members.put(innermost.name, value);
            innermost.name = null;
        } else {
            throw new AssertionError("a value in an object without a name before it: " + value);
        }
        return this;
    }
}
