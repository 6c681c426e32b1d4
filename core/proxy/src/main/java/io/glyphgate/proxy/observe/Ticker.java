package io.glyphgate.proxy.observe;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Looks at open things at a steady beat, for limits on time that no library offers: a server that falls silent, a client that
 * takes no bytes, a stream that needs a sign of life. One thread for all of them; a check must not block.
 */
public final class Ticker implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Ticker.class.getName());

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Set<Check> checks = ConcurrentHashMap.newKeySet();
    private final Map<Check, Standing> standing = new ConcurrentHashMap<>();
    private final Duration beat;
    private final Thread thread;
    private volatile boolean closed;

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

    /** What stays, and when it is due. Of the ticker's thread only. */
    private static final class Standing {
        private final Check check;
        private final long every;
        private long due;

        Standing(Check check, Duration every, Duration beat) {
            this.check = check;
            // the beat is not exact, and what is due at each one must miss none
            this.every = every.minus(beat.dividedBy(2)).toNanos();
            due = System.nanoTime();
        }
    }

    /** A ticker with a beat. */
    public Ticker(Duration beat) {
        this.beat = beat;
        thread = Thread.ofPlatform().name("glyphgate-ticker").daemon().start(this::run);
    }

    /** Looks at something from now on, until {@link #remove}. */
    public void add(Check check) {
        checks.add(check);
    }

    /** Looks at something that stays, at each beat, until {@link #remove}. */
    public void addStanding(Check check) {
        addStanding(check, beat);
    }

    /**
     * Looks at something that stays, until {@link #remove}. What a proxy does without any traffic is this.
     *
     * @param every how long from one look to the next, give or take half a beat; each beat where that is shorter
     */
    public void addStanding(Check check, Duration every) {
        standing.put(check, new Standing(check, every, beat));
    }

    /** How often to look at what ends after a time: an eighth of it is exact enough, and a second is often. */
    public static Duration eighthOf(Duration limit) {
        Duration eighth = limit.dividedBy(8);
        return eighth.compareTo(SECOND) < 0 ? eighth : SECOND;
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

    private void run() {
        while (!closed) {
            try {
                Thread.sleep(beat);
                tick();
            } catch (InterruptedException e) {
                // a check may have left it behind, and that must not end all limits on time
                LOG.log(System.Logger.Level.DEBUG, "the ticker is interrupted", e);
            } catch (OutOfMemoryError e) {
                // not even enough to say so; there may be more at the next beat
            }
        }
    }

    private void tick() {
        long now = System.nanoTime();
        for (Standing each : standing.values()) {
            if (now - each.due >= 0) {
                each.due = now + each.every;
                tick(each.check, now);
            }
        }
        for (Check check : checks) {
            tick(check, now);
        }
    }

    private static void tick(Check check, long now) {
        try {
            check.tick(now);
        } catch (RuntimeException | Error e) {
            // one broken check must not end the others, and without a ticker nothing would be limited any more
            LOG.log(System.Logger.Level.ERROR, "a check of the ticker failed", e);
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
