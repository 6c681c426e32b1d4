package io.glyphgate.proxy.pool;

import io.glyphgate.proxy.secure.Access;
import io.glyphgate.spi.PoolPolicy;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** One vLLM server of a pool. Used by many threads at once. */
public final class Endpoint implements PoolPolicy.Endpoint {
    private final URI uri;
    private final Access access;
    private final AtomicInteger inFlight = new AtomicInteger();
    private volatile long restUntil;
    private volatile boolean resting;

    Endpoint(URI uri, Access access) {
        this.uri = uri;
        this.access = access;
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
