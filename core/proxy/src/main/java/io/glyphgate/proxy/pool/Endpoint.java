package io.glyphgate.proxy.pool;

import io.glyphgate.spi.PoolPolicy;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** One vLLM server of a pool. Used by many threads at once. */
public final class Endpoint implements PoolPolicy.Endpoint {
    private final URI uri;
    private final AtomicInteger inFlight = new AtomicInteger();
    private volatile long restUntil;
    private volatile boolean resting;
    private volatile long busyUntil;
    private volatile boolean busy;

    /** A server at an address. */
    public Endpoint(URI uri) {
        this.uri = uri;
    }

    /** Its address. */
    public URI uri() {
        return uri;
    }

    @Override
    public String id() {
        return uri.toString();
    }

    @Override
    public int inFlight() {
        return inFlight.get();
    }

    /** Counts a request in; {@link #leave()} must follow. */
    public void enter() {
        inFlight.incrementAndGet();
    }

    /** Counts a request out. */
    public void leave() {
        inFlight.decrementAndGet();
    }

    /** Leaves the endpoint alone for a while: it took no connection. */
    public void rest(Duration time) {
        restUntil = System.nanoTime() + time.toNanos();
        resting = true;
    }

    /** Prefers others for a while: it says that it has no room for more requests. */
    public void busy(Duration time) {
        busyUntil = System.nanoTime() + time.toNanos();
        busy = true;
    }

    /** Whether it said a moment ago that it has no room. */
    boolean busy() {
        return busy && System.nanoTime() - busyUntil < 0;
    }

    /** It answered, so it need not rest. */
    public void answered() {
        resting = false;
    }

    /** Whether requests may be sent to it. */
    public boolean up() {
        return !resting || System.nanoTime() - restUntil >= 0;
    }

    @Override
    public String toString() {
        return id();
    }
}
