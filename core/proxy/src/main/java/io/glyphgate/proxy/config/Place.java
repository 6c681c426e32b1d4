package io.glyphgate.proxy.config;

import java.util.Comparator;

/**
 * Where a value was written.
 *
 * @param source the file, or the environment variable
 * @param line the line in the file, from 1; 0 where there are no lines
 */
public record Place(String source, int line) implements Comparable<Place> {
    private static final Comparator<Place> ORDER = Comparator.comparing(Place::source).thenComparing(Place::line);

    @Override
    public int compareTo(Place other) {
        return ORDER.compare(this, other);
    }

    /** The place as an editor understands it, {@code file:line}. */
    @Override
    public String toString() {
        return line == 0 ? source : source + ":" + line;
    }
}
