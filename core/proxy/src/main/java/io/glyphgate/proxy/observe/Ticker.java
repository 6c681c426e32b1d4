package io.glyphgate.proxy.observe;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Looks at open things at a steady beat, for limits on time that no library offers: a server that falls silent, a client that
 * takes no bytes, a stream that needs a sign of life. One thread for all of them; a check must not block.
 */
public final class Ticker implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Ticker.class.getName());

    private final Set<Check> checks = ConcurrentHashMap.newKeySet();
    private final Set<Check> standing = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().name("glyphgate-ticker").daemon().factory());

    /** Something to look at. */
    @FunctionalInterface
    public interface Check {
        /**
         * Looks at it.
         *
         * @param now {@link System#nanoTime()}
         */
        void tick(long now);
    }

    /** A ticker with a beat. */
    public Ticker(Duration beat) {
        var unused = thread.scheduleWithFixedDelay(this::tick, beat.toMillis(), beat.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Looks at something from now on, until {@link #remove}. */
    public void add(Check check) {
        checks.add(check);
    }

    /** Looks at something that stays for as long as the ticker, until {@link #remove}. */
    public void addStanding(Check check) {
        standing.add(check);
    }

    /** Looks at it no more. */
    public void remove(Check check) {
        checks.remove(check);
        standing.remove(check);
    }

    /** How many things are looked at, standing ones not counted. */
    public int size() {
        return checks.size();
    }

    private void tick() {
        long now = System.nanoTime();
        tick(standing, now);
        tick(checks, now);
    }

    private static void tick(Set<Check> all, long now) {
        for (Check check : all) {
            try {
                check.tick(now);
            } catch (RuntimeException e) {
                // one broken check must not end the others
                LOG.log(System.Logger.Level.ERROR, "a check of the ticker failed", e);
            }
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
