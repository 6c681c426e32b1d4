package io.glyphgate.jinja.value;

import io.glyphgate.jinja.Budget;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Python's dict: keeps its order, and a key that equals another, such as 1, 1.0 and True, is the same key. */
public final class Dict {
    /** A key that is no text; texts stand for themselves. */
    private record Key(Object value) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && Equality.equal(value, key.value, new Budget());
        }

        @Override
        public int hashCode() {
            return Equality.hash(value);
        }
    }

    private final Map<Object, Object> entries;

    /** An empty dict. */
    public Dict() {
        entries = new LinkedHashMap<>();
    }

    /** A dict with the same entries. */
    public Dict(Dict other) {
        entries = new LinkedHashMap<>(other.entries);
    }

    /**
     * Puts an entry; only whoever makes the dict does so, before anyone else sees it. The first of two equal keys stays.
     */
    public void put(Object key, Object value) {
        entries.put(stored(key), value);
    }

    /** Puts all entries of another dict. */
    public void putAll(Dict other) {
        entries.putAll(other.entries);
    }

    /**
     * The value of a key.
     *
     * @return null if there is none
     */
    public @Nullable Object find(Object key) {
        return entries.get(stored(key));
    }

    /** Whether there is such a key. */
    public boolean contains(Object key) {
        return entries.containsKey(stored(key));
    }

    /** How many entries there are. */
    public int size() {
        return entries.size();
    }

    /** The keys in order. */
    public Iterator<Object> keys() {
        Iterator<Object> stored = entries.keySet().iterator();
        return Iterating.map(stored, Dict::shown);
    }

    /** The values in order. */
    public Iterator<Object> values() {
        return entries.values().iterator();
    }

    /** The entries in order, each a tuple of key and value. */
    public Iterator<Object> items() {
        return Iterating.map(
                entries.entrySet().iterator(), entry -> Tuple.of(shown(entry.getKey()), entry.getValue()));
    }

    private static Object stored(Object key) {
        if (key instanceof String) {
            return key;
        }
        if (key instanceof Markup markup) {
            return markup.text();
        }
        Equality.checkKey(key);
        return new Key(key);
    }

    private static Object shown(Object stored) {
        return stored instanceof Key key ? key.value() : stored;
    }
}
