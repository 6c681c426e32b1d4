package io.glyphgate.proxy.pool;

import java.util.Comparator;

/**
 * When a request goes that waits.
 *
 * @param priority who has a lower one goes first. Source: {@code priority} of a request to vLLM
 * @param arrival of the same priority, who came first; {@link System#nanoTime()}
 */
public record Turn(long priority, long arrival) implements Comparable<Turn> {
    private static final Comparator<Turn> ORDER =
            Comparator.comparingLong(Turn::priority).thenComparing((a, b) -> Long.signum(a.arrival - b.arrival));

    @Override
    public int compareTo(Turn other) {
        return ORDER.compare(this, other);
    }
}
