package io.glyphgate.proxy.simulator;

import java.util.Arrays;
import java.util.SplittableRandom;

/** How many tokens each event of a stream carries. */
public interface Chunking {
    /**
     * The size of one event.
     *
     * @param event the number of the event among those of its choice, from 0
     * @return how many tokens it carries at most, 1 or more
     */
    int tokens(int event);

    /**
     * The given sizes, over and over.
     *
     * @param sizes at least one, each 1 or more
     * @return the chunking
     */
    static Chunking of(int... sizes) {
        if (sizes.length == 0 || Arrays.stream(sizes).anyMatch(size -> size < 1)) {
            throw new IllegalArgumentException(
                    "tokens per event must be 1 or more, not " + Arrays.toString(sizes));
        }
        int[] kept = sizes.clone();
        return event -> kept[event % kept.length];
    }

    /**
     * Sizes that look random and depend on nothing but the seed.
     *
     * @param max the largest size
     * @param seed any number
     * @return the chunking
     */
    static Chunking random(int max, long seed) {
        if (max < 1) {
            throw new IllegalArgumentException("tokens per event must be 1 or more, not " + max);
        }
        return event -> new SplittableRandom(seed * 31 + event).nextInt(max) + 1;
    }

    /**
     * Reads a chunking.
     *
     * @param text sizes joined by commas ({@code 1}, {@code 4,1,2}), or {@code random:MAX} or {@code random:MAX:SEED}
     * @return the chunking
     * @throws IllegalArgumentException if the text is none of these; the message says so
     */
    static Chunking parse(String text) {
        try {
            if (text.startsWith("random:")) {
                String[] parts = text.split(":", -1);
                return random(Integer.parseInt(parts[1]), parts.length > 2 ? Long.parseLong(parts[2]) : 0);
            }
            return of(Arrays.stream(text.split(",", -1))
                    .mapToInt(size -> Integer.parseInt(size.strip()))
                    .toArray());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' does not say how many tokens an event carries: write 1, or 4,1,2, or random:8", e);
        }
    }
}
