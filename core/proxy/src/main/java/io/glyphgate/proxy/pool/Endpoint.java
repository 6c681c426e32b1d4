package io.glyphgate.proxy.pool;

import io.glyphgate.proxy.config.ProxyConfig.Ejection;
import io.glyphgate.proxy.config.ProxyConfig.Watch;
import io.glyphgate.proxy.secure.Access;
import io.glyphgate.spi.PoolPolicy;
import java.net.URI;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * One vLLM server of a pool, and what is known of it: how requests and health checks went, and whether it can do what its pool asks
 * of it. Used by many threads at once. Readings take no lock; what changes the state does, and happens seldom.
 */
public final class Endpoint implements PoolPolicy.Endpoint {
    private static final System.Logger LOG = System.getLogger(Endpoint.class.getName());
    private static final Duration REST = Duration.ofSeconds(5);
    /** A trial that has told nothing for so long need not be the only one: its client may have left, or it takes its time. */
    private static final long TRIAL_NANOS = Duration.ofSeconds(30).toNanos();
    /** What a server gets at the start of its slow start: enough for it to be seen to work. */
    private static final double LEAST_WEIGHT = 0.1;

    private final URI uri;
    private final String pool;
    private final LongSupplier clock;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final Map<Trouble, LongAdder> ejections = new EnumMap<>(Trouble.class);
    private final LongAdder healthy = new LongAdder();
    private final LongAdder unhealthy = new LongAdder();

    private volatile Watch watch;
    private volatile Access access = Access.PLAIN;
    private volatile Sparing sparing = ejection -> {
        ejection.run();
        return true;
    };

    private volatile Circuit circuit = Circuit.CLOSED;
    private volatile long restsUntil;
    private volatile long ejectedUntil;
    private volatile boolean trying;
    private volatile long triedSince;
    private volatile boolean sick;
    private volatile boolean removed;
    private volatile List<String> misfits = List.of();
    private volatile long lastByte;
    private volatile boolean slow;
    private volatile long slowSince;
    private volatile boolean busy;
    private volatile long busyUntil;

    // guarded by this
    private int failures;
    private int ejectionsInARow;
    private int checksAgainst;
    private Trouble ejectedFor = Trouble.BROKEN;
    private long stallTold = -1;
    private boolean checklessTold;

    /** Decides whether a pool can do without one more of its servers. */
    @FunctionalInterface
    interface Sparing {
        /**
         * Has a server ejected if it can be spared.
         *
         * @param ejection ejects it
         * @return whether it was
         */
        boolean eject(Runnable ejection);
    }

    /** What requests have shown. */
    private enum Circuit {
        CLOSED,
        RESTING,
        EJECTED
    }

    /**
     * A server of which nothing is known.
     *
     * @param uri its address
     * @param pool the name of its pool, for the log
     * @param watch how it is watched
     */
    public Endpoint(URI uri, String pool, Watch watch) {
        this(uri, pool, watch, System::nanoTime);
    }

    Endpoint(URI uri, String pool, Watch watch, LongSupplier clock) {
        this.uri = uri;
        this.pool = pool;
        this.watch = watch;
        this.clock = clock;
        lastByte = clock.getAsLong();
        for (Trouble trouble : Trouble.values()) {
            ejections.put(trouble, new LongAdder());
        }
    }

    /** Its address. */
    public URI uri() {
        return uri;
    }

    /** How it is reached. */
    public Access access() {
        return access;
    }

    @Override
    public String id() {
        return uri.toString();
    }

    @Override
    public int inFlight() {
        return inFlight.get();
    }

    @Override
    public double weight() {
        if (!slow) {
            return 1;
        }
        long length = watch.slowStart().toNanos();
        long age = clock.getAsLong() - slowSince;
        if (age >= length) {
            slow = false;
            return 1;
        }
        return Math.max(LEAST_WEIGHT, (double) age / length);
    }

    /** Counts a request in; {@link #leave()} must follow. */
    public void enter() {
        inFlight.incrementAndGet();
    }

    /** Counts a request out. */
    public void leave() {
        inFlight.decrementAndGet();
    }

    /** Takes over how its pool watches and reaches it, and who decides whether it can be spared: when its pool is made, also by a new configuration. */
    void belongTo(Watch watching, Access way, Sparing decision) {
        watch = watching;
        access = way;
        sparing = decision;
    }

    /** Prefers others for a while: it says that it has no room for more requests. */
    public void busy(Duration time) {
        busyUntil = clock.getAsLong() + time.toNanos();
        busy = true;
    }

    /** Whether it said a moment ago that it has no room. */
    boolean busy() {
        return busy && !past(busyUntil);
    }

    /** What the proxy holds of it. Where several things are wrong, the one that keeps it away from requests the longest. */
    public EndpointState state() {
        if (removed) {
            return EndpointState.REMOVED;
        }
        if (!misfits.isEmpty()) {
            return EndpointState.UNFIT;
        }
        return switch (circuit) {
            case EJECTED -> past(ejectedUntil) ? sick ? EndpointState.UNHEALTHY : EndpointState.HALF_OPEN : EndpointState.EJECTED;
            case RESTING -> sick ? EndpointState.UNHEALTHY : past(restsUntil) ? EndpointState.UP : EndpointState.RESTING;
            case CLOSED -> sick ? EndpointState.UNHEALTHY : EndpointState.UP;
        };
    }

    /** Whether requests may be sent to it. */
    public boolean up() {
        return switch (state()) {
            case UP -> true;
            case HALF_OPEN -> mayTry();
            case RESTING, UNHEALTHY, EJECTED, UNFIT, REMOVED -> false;
        };
    }

    /** Whether a request may be sent to it where no other server is left. */
    boolean lastResort() {
        return switch (state()) {
            case RESTING, UNHEALTHY -> true;
            case UP, HALF_OPEN, EJECTED, UNFIT, REMOVED -> false;
        };
    }

    /** A request is about to be sent to it; false if another one tries it already and its outcome is to be awaited. */
    boolean claim() {
        if (circuit != Circuit.EJECTED) {
            return true;
        }
        synchronized (this) {
            if (circuit == Circuit.EJECTED) {
                if (!mayTry()) {
                    return false;
                }
                trying = true;
                triedSince = clock.getAsLong();
            }
            return true;
        }
    }

    private boolean mayTry() {
        return !trying || clock.getAsLong() - triedSince > TRIAL_NANOS;
    }

    private boolean past(long time) {
        return clock.getAsLong() - time >= 0;
    }

    /** It answered a request, at least with the first byte, and it was no failure of its own. */
    public void succeeded() {
        // nearly always nothing is left to forget
        if (circuit != Circuit.CLOSED || failures > 0) {
            forgive();
        }
    }

    private synchronized void forgive() {
        failures = 0;
        switch (circuit) {
            case CLOSED -> {}
            case RESTING -> startSlowly();
            case EJECTED -> {
                // an answer to a request from before the ejection proves little; only one that tries it counts
                if (!past(ejectedUntil)) {
                    return;
                }
                LOG.log(System.Logger.Level.INFO, "pool {0}: {1} answers again and is used", pool, this);
                startSlowly();
            }
        }
        circuit = Circuit.CLOSED;
        trying = false;
        ejectionsInARow = 0;
    }

    /** It failed at a request before the first byte of the answer. */
    public synchronized void failed(Trouble trouble) {
        Ejection ejection = watch.ejection();
        failures++;
        if (circuit == Circuit.EJECTED) {
            if (past(ejectedUntil)) {
                eject(trouble, ejection); // the trial failed
            }
            return;
        }
        boolean enough = ejection.failures() > 0 && failures >= ejection.failures();
        if (!(enough && sparing.eject(() -> eject(trouble, ejection))) && trouble == Trouble.NO_CONNECTION) {
            if (circuit == Circuit.CLOSED || past(restsUntil)) {
                LOG.log(System.Logger.Level.WARNING, "pool {0}: {1} takes no connection and rests for {2} s",
                        pool, this, REST.toSeconds());
            }
            restsUntil = clock.getAsLong() + REST.toNanos();
            circuit = Circuit.RESTING;
        }
    }

    private void eject(Trouble trouble, Ejection ejection) {
        long time = ejection.time().toNanos();
        for (int i = 0; i < ejectionsInARow && time < ejection.maxTime().toNanos(); i++) {
            time *= 2;
        }
        time = Math.min(time, Math.max(ejection.time().toNanos(), ejection.maxTime().toNanos()));
        ejectionsInARow++;
        ejectedFor = trouble;
        ejections(trouble).increment();
        ejectedUntil = clock.getAsLong() + time;
        circuit = Circuit.EJECTED;
        trying = false;
        failures = 0;
        LOG.log(System.Logger.Level.WARNING, "pool {0}: {1} {2}: it gets no requests for {3} ms, then one to try",
                pool, this, trouble.text(), Duration.ofNanos(time).toMillis());
    }

    /** Ends its ejection, because the pool cannot do without it any more. */
    synchronized void pardon() {
        if (circuit == Circuit.EJECTED) {
            circuit = Circuit.CLOSED;
            trying = false;
            failures = 0;
            LOG.log(System.Logger.Level.INFO, "pool {0}: {1} is used again, because the pool has got smaller", pool, this);
        }
    }

    /** Whether requests have shown that it must be left alone, so that the pool has one server less. */
    boolean ejected() {
        return circuit == Circuit.EJECTED;
    }

    /** Bytes came on one of its streams. */
    public void moved() {
        lastByte = clock.getAsLong();
    }

    /**
     * One of its streams waits for bytes: whether all have waited for too long is decided here.
     *
     * @param since {@link System#nanoTime()} of when the stream began to wait
     */
    public void waiting(long since) {
        long limit = watch.noProgress().toNanos();
        if (limit == 0 || circuit == Circuit.EJECTED) {
            return;
        }
        long now = clock.getAsLong();
        if (now - since > limit && now - lastByte > limit) {
            synchronized (this) {
                boolean spared =
                        circuit == Circuit.EJECTED || sparing.eject(() -> eject(Trouble.NO_PROGRESS, watch.ejection()));
                if (!spared && stallTold != lastByte) {
                    stallTold = lastByte;
                    LOG.log(System.Logger.Level.WARNING, "pool {0}: {1} {2}; it stays in use, because the pool cannot do without it",
                            pool, this, Trouble.NO_PROGRESS.text());
                }
            }
        }
    }

    /**
     * A health check ended.
     *
     * @param good whether the server said that it is well
     * @param why what it said instead, or that it said nothing; for the log
     */
    public synchronized void checked(boolean good, String why) {
        (good ? healthy : unhealthy).increment();
        if (good) {
            takesConnections();
        }
        if (good != sick) {
            checksAgainst = 0; // as it was held to be
            return;
        }
        checksAgainst++;
        if (good && checksAgainst >= watch.health().healthyAfter()) {
            checksAgainst = 0;
            sick = false;
            startSlowly();
            LOG.log(System.Logger.Level.INFO, "pool {0}: {1} is healthy again", pool, this);
        } else if (!good && checksAgainst >= watch.health().unhealthyAfter()) {
            checksAgainst = 0;
            sick = true;
            LOG.log(System.Logger.Level.WARNING, "pool {0}: {1} is unhealthy: {2}", pool, this, why);
        }
    }

    /** What was held against it because it took no connection is void. */
    private void takesConnections() {
        switch (circuit) {
            case CLOSED -> {}
            case RESTING -> restsUntil = clock.getAsLong();
            case EJECTED -> {
                if (ejectedFor == Trouble.NO_CONNECTION && !past(ejectedUntil)) {
                    ejectedUntil = clock.getAsLong();
                }
            }
        }
    }

    /**
     * A health check said nothing: the server has no such path, or does not let the proxy see it.
     *
     * @param why what it said; for the log, once
     */
    public synchronized void checkless(String why) {
        if (!checklessTold) {
            checklessTold = true;
            LOG.log(System.Logger.Level.WARNING, "pool {0}: the health of {1} cannot be checked: {2}; correct watch.health.path of"
                    + " the pool, or turn the checks off with watch.health.interval: 0s", pool, this, why);
        }
        checksAgainst = 0;
        sick = false;
    }

    /**
     * A probe found out what it can do.
     *
     * @param found what it cannot do that its pool asks of it, each with what to do; empty if it fits
     */
    public synchronized void probed(List<String> found) {
        if (found.equals(misfits)) {
            return;
        }
        if (found.isEmpty()) {
            startSlowly();
            LOG.log(System.Logger.Level.INFO, "pool {0}: {1} fits the pool now and is used", pool, this);
        } else {
            LOG.log(System.Logger.Level.WARNING, "pool {0}: {1} does not fit the pool and is not used: {2}",
                    pool, this, String.join("; ", found));
        }
        misfits = List.copyOf(found);
    }

    /** What it cannot do that its pool asks of it; empty if it fits, or nothing is known. */
    public List<String> misfits() {
        return misfits;
    }

    /** It is no server of its pool any more. */
    void remove() {
        removed = true;
    }

    /** It gets its share of requests little by little from now on. */
    void startSlowly() {
        if (!watch.slowStart().isZero()) {
            slowSince = clock.getAsLong();
            slow = true;
        }
    }

    /** How it is watched. */
    public Watch watch() {
        return watch;
    }

    /** How often it was ejected for a reason. */
    public LongAdder ejections(Trouble reason) {
        return ejections.getOrDefault(reason, new LongAdder());
    }

    /** How many health checks had a result. */
    public long checks(boolean good) {
        return (good ? healthy : unhealthy).sum();
    }

    @Override
    public String toString() {
        return id();
    }
}
