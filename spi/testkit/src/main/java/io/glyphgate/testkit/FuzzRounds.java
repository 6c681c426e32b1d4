package io.glyphgate.testkit;

import java.util.function.LongConsumer;

/**
 * Repeats a test whose material is made by chance. Each round has a seed of its own, so that one that fails can be run
 * alone. Usually there are a few rounds, the same each time; two system properties change that:
 *
 * <ul>
 *   <li>{@code glyphgate.fuzz.seconds}: run other rounds, for so long;
 *   <li>{@code glyphgate.fuzz.seed}: run the round of this seed alone.
 * </ul>
 *
 * @since 1.0
 */
public final class FuzzRounds {
    private static final String SECONDS = "glyphgate.fuzz.seconds";
    private static final String SEED = "glyphgate.fuzz.seed";

    private FuzzRounds() {}

    /**
     * Runs rounds until one fails.
     *
     * @param usual how many rounds there are if no system property says otherwise; their seeds are 0 and up
     * @param round one round: takes its seed
     * @throws AssertionError if a round failed; the message says its seed
     */
    public static void run(int usual, LongConsumer round) {
        Long seed = Long.getLong(SEED);
        Long seconds = Long.getLong(SECONDS);
        if (seed != null) {
            run(seed.longValue(), round);
        } else if (seconds != null) {
            long start = System.currentTimeMillis() * 1_000_000;
            long end = System.nanoTime() + seconds * 1_000_000_000;
            long next = start;
            while (System.nanoTime() < end) {
                run(next++, round);
            }
            System.out.println((next - start) + " rounds, with the seeds from " + start + " on");
        } else {
            for (long next = 0; next < usual; next++) {
                run(next, round);
            }
        }
    }

    private static void run(long seed, LongConsumer round) {
        try {
            round.accept(seed);
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            throw new AssertionError("the round of seed " + seed + " failed; -D" + SEED + "=" + seed + " runs it alone", e);
        }
    }
}
