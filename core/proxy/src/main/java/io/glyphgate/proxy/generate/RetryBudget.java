package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.config.ProxyConfig;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * How many requests to one model may be sent to another server: a share of those of the last seconds, and a few more. Where
 * every server fails, the servers are not asked for much more than without retries.
 */
final class RetryBudget {
    /** How many seconds are looked back on. */
    static final int SECONDS = 10;

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final long hundredths;
    private final long perSecond;
    private final LongSupplier clock;
    private final long start;
    private final long[] requests = new long[SECONDS];
    private final long[] retries = new long[SECONDS];
    /** The second up to which the two are counted. */
    private long now;

    /**
     * A budget that nothing was taken of.
     *
     * @param clock {@link System#nanoTime()}
     */
    RetryBudget(ProxyConfig.Retries config, LongSupplier clock) {
        hundredths = config.budget().hundredths();
        perSecond = config.minPerSecond();
        this.clock = clock;
        start = clock.getAsLong();
    }

    /** A request has come. */
    synchronized void request() {
        requests[slot()]++;
    }

    /** Takes one retry; false if there is none left now. */
    synchronized boolean take() {
        int slot = slot();
        long allowed = Arrays.stream(requests).sum() * hundredths / 100 + perSecond * SECONDS;
        if (Arrays.stream(retries).sum() >= allowed) {
            return false;
        }
        retries[slot]++;
        return true;
    }

    private int slot() {
        long second = (clock.getAsLong() - start) / SECOND;
        for (long past = Math.max(now + 1, second - SECONDS + 1); past <= second; past++) {
            requests[(int) (past % SECONDS)] = 0;
            retries[(int) (past % SECONDS)] = 0;
        }
        now = Math.max(now, second);
        return (int) (now % SECONDS);
    }
}
