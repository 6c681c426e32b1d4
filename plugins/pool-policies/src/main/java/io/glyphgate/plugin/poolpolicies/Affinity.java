package io.glyphgate.plugin.poolpolicies;

import io.glyphgate.spi.PoolPolicy.Endpoint;
import java.util.List;

/**
 * Keeps requests with the same key on the same endpoint, as far as that is not too busy. Every endpoint draws a number for
 * every key (rendezvous hashing), and the highest one wins: when an endpoint comes or goes, only the keys move that it wins.
 * An endpoint whose load is over its bound passes the request on to the next in this order.
 */
final class Affinity {
    private static final double LEAST_FACTOR = 1;
    private static final double MOST_FACTOR = 100;
    private static final int MOST_FREE = 1_000_000;

    private static final long FNV_START = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private final double loadFactor;
    private final int free;

    private Affinity(double loadFactor, int free) {
        this.loadFactor = loadFactor;
        this.free = free;
    }

    /** Takes the options {@code load-factor} and {@code free-load}. */
    static Affinity of(Options options) {
        return new Affinity(
                options.fraction("load-factor", 1.25, LEAST_FACTOR, MOST_FACTOR),
                options.whole("free-load", 4, 0, MOST_FREE));
    }

    /**
     * Chooses an endpoint.
     *
     * @param key what is to stay on one endpoint, from {@link #start} and {@link #add}
     */
    Endpoint pick(long key, List<? extends Endpoint> endpoints) {
        int count = endpoints.size();
        int[] loads = new int[count]; // asked for once: they change under us
        long total = 0;
        for (int i = 0; i < count; i++) {
            loads[i] = endpoints.get(i).inFlight();
            total += loads[i];
        }
        int bound = bound(total, count);
        int best = -1;
        long highest = 0;
        for (int i = 0; i < count; i++) {
            if (loads[i] < bound) {
                long drawn = draw(key, endpoints.get(i).id());
                if (best < 0 || Long.compareUnsigned(drawn, highest) > 0) {
                    best = i;
                    highest = drawn;
                }
            }
        }
        return endpoints.get(best);
    }

    /**
     * How many requests an endpoint may be serving with one more: its share of all times the factor, rounded up. At least one
     * endpoint serves less, because all together serve less than that.
     */
    int bound(long total, int count) {
        return (int) Math.min(Integer.MAX_VALUE, Math.max(free, Math.ceil(loadFactor * (double) (total + 1) / count)));
    }

    /** The start of a key. */
    static long start() {
        return FNV_START;
    }

    /** A key with a number more. */
    static long add(long key, int number) {
        return (key ^ number) * FNV_PRIME;
    }

    /** A key with a text more. */
    static long add(long key, String text) {
        long longer = key;
        for (int i = 0; i < text.length(); i++) {
            longer = add(longer, text.charAt(i));
        }
        return longer;
    }

    private static long draw(long key, String endpoint) {
        return mix(mix(key) ^ add(FNV_START, endpoint));
    }

    /** Spreads every bit of a number over all bits. */
    private static long mix(long number) {
        long mixed = (number ^ (number >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }
}
