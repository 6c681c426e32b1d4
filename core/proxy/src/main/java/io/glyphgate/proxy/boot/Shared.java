package io.glyphgate.proxy.boot;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/**
 * Things that several generations use: each is made once, and closed when the last one that uses it lets go.
 *
 * @param <K> what tells two things apart
 * @param <V> the things
 */
final class Shared<K, V> {
    private final Consumer<V> closer;
    private final Map<K, Held<V>> held = new HashMap<>();

    private static final class Held<V> {
        private final V value;
        private int users;

        private Held(V value) {
            this.value = value;
        }
    }

    /** Makes a thing. */
    @FunctionalInterface
    interface Maker<V, X extends Exception> {
        V make() throws X;
    }

    Shared(Consumer<V> closer) {
        this.closer = closer;
    }

    /**
     * The thing of a key; {@link #release} must follow.
     *
     * @throws X if there is none yet and it cannot be made
     */
    synchronized <X extends Exception> V take(K key, Maker<V, X> maker) throws X {
        Held<V> known = held.get(key);
        if (known == null) {
            known = new Held<>(maker.make());
            held.put(key, known);
        }
        known.users++;
        return known.value;
    }

    /** Lets the thing of a key go. */
    void release(K key) {
        V last;
        synchronized (this) {
            Held<V> known = held.get(key);
            if (known == null) {
                throw new IllegalStateException("nobody holds " + key);
            }
            if (--known.users > 0) {
                return;
            }
            held.remove(key);
            last = known.value;
        }
        closer.accept(last);
    }

    /** The sum of a count over all things. */
    synchronized int sum(ToIntFunction<V> count) {
        return held.values().stream().mapToInt(known -> count.applyAsInt(known.value)).sum();
    }

    /** How many things there are. */
    synchronized int size() {
        return held.size();
    }
}
