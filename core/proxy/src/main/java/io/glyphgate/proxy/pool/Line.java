package io.glyphgate.proxy.pool;

import io.glyphgate.proxy.config.ProxyConfig;
import java.time.Duration;
import java.util.Iterator;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Who may ask the endpoints of one pool that has a limit, and who waits for it. A permit that is given back goes straight to the
 * first who waits for it, so nobody who comes later takes it away, and an endpoint has room only while nobody waits for it.
 */
final class Line {
    private static final Duration SOONEST = Duration.ofSeconds(1);
    private static final Duration LATEST = Duration.ofMinutes(1);
    /** How much of what was seen before stays with each permit that is given back. */
    private static final double MEMORY = 0.9;

    private final Pool pool;
    private final int limit;
    private final int places;
    private final LongSupplier clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final TreeSet<Waiter> waiting = new TreeSet<>();
    /** Nanoseconds from one permit that is given back to the next while somebody waits. */
    private double pace;

    private long lastBack;
    private boolean anyBack;

    /**
     * The line before a pool.
     *
     * @param limit how many permits of each endpoint may be out
     * @param clock {@link System#nanoTime()}
     */
    Line(Pool pool, int limit, ProxyConfig.Limits limits, LongSupplier clock) {
        this.pool = pool;
        this.limit = limit;
        this.places = limits.queue();
        this.clock = clock;
    }

    /** Whether an endpoint has room at this moment; what the pool of an older configuration has sent it counts, too. */
    boolean hasRoom(Endpoint endpoint) {
        return endpoint.inFlight() < limit;
    }

    /** Takes a permit of an endpoint, if it has room. */
    boolean enter(Endpoint endpoint) {
        lock.lock();
        try {
            if (!hasRoom(endpoint)) {
                return false;
            }
            endpoint.enter();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Gives a permit back: it goes to the first who wants it. */
    void leave(Endpoint endpoint) {
        lock.lock();
        try {
            endpoint.leave();
            notePace();
            serve(endpoint);
        } finally {
            lock.unlock();
        }
    }

    private void notePace() {
        if (waiting.isEmpty()) {
            anyBack = false; // who comes last says nothing of those who wait
            return;
        }
        long now = clock.getAsLong();
        if (anyBack) {
            double gap = (double) (now - lastBack);
            pace = pace == 0 ? gap : MEMORY * pace + (1 - MEMORY) * gap;
        }
        anyBack = true;
        lastBack = now;
    }

    /** Gives the permits of an endpoint to those who wait for it, as far as it has room. */
    private void serve(Endpoint endpoint) {
        Iterator<Waiter> order = waiting.iterator();
        while (hasRoom(endpoint) && order.hasNext()) {
            Waiter next = order.next();
            if (next.accepts(endpoint)) {
                order.remove();
                if (next.offer(pool, endpoint)) { // else it was served elsewhere, or has left
                    endpoint.enter();
                    var unused = endpoint.claim(); // it was up a moment ago
                }
            }
        }
    }

    /**
     * Lets a request wait, unless an endpoint has room for it. It has no place here if it goes behind all others and the queue is
     * full.
     */
    void join(Waiter waiter) {
        lock.lock();
        try {
            if (waiter.done()) {
                return; // by another pool
            }
            for (Endpoint endpoint : pool.endpoints()) {
                if (waiter.accepts(endpoint) && hasRoom(endpoint)) {
                    if (waiter.offer(pool, endpoint)) {
                        endpoint.enter();
                        var unused = endpoint.claim(); // it was up a moment ago
                    }
                    return;
                }
            }
            if (waiting.size() >= places) {
                if (places == 0 || !waiter.moreUrgentThan(waiting.last())) {
                    return;
                }
                waiting.pollLast().displaced();
            }
            waiter.joined();
            waiting.add(waiter);
        } finally {
            lock.unlock();
        }
    }

    /** Takes a request out, wherever it stands. */
    void quit(Waiter waiter) {
        lock.lock();
        try {
            waiting.remove(waiter);
        } finally {
            lock.unlock();
        }
    }

    /** Looks whether an endpoint that nobody could be sent to has come back: it does not say so by itself. */
    void look() {
        lock.lock();
        try {
            if (!waiting.isEmpty()) {
                pool.endpoints().forEach(this::serve);
            }
        } finally {
            lock.unlock();
        }
    }

    /** How many wait. */
    int waiting() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    /** About how long it takes until those who wait now have been served, as fast as it went lately. */
    Duration timeToServe() {
        lock.lock();
        try {
            Duration time = Duration.ofNanos((long) (pace * (waiting.size() + 1)));
            return time.compareTo(SOONEST) < 0 ? SOONEST : time.compareTo(LATEST) > 0 ? LATEST : time;
        } finally {
            lock.unlock();
        }
    }
}
