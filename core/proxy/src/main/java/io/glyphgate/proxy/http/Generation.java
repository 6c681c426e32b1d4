package io.glyphgate.proxy.http;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One configuration at work. It serves new requests until {@link #retire()}; a request that began with it ends with it, and when
 * the last one has ended it is closed.
 */
public final class Generation {
    /**
     * Serves nothing: what is behind doors that have closed. Helidon 4.5.0 keeps the thread of a timer, and with it the doors, when a
     * server has stopped; the rest it must not keep.
     */
    static final Generation GONE = new Generation();

    private final @Nullable Services services;
    private final Runnable closer;
    /** The requests that use it, and one for as long as it is not retired. */
    private final AtomicLong users = new AtomicLong(1);

    /**
     * A generation that is not retired.
     *
     * @param closer called once, when nobody uses it any more, by the thread of the last request: it must not block
     */
    public Generation(Services services, Runnable closer) {
        this.services = services;
        this.closer = closer;
    }

    private Generation() {
        services = null;
        closer = () -> {};
        users.set(0);
    }

    /**
     * What serves its requests.
     *
     * @throws IllegalStateException if the doors have closed
     */
    Services services() {
        if (services == null) {
            throw new IllegalStateException("the doors have closed");
        }
        return services;
    }

    /** Counts a request in, for which {@link #leave()} must follow; false if it is closed already. */
    boolean enter() {
        return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    /** Counts a request out. */
    void leave() {
        if (users.decrementAndGet() == 0) {
            closer.run();
        }
    }

    /** Says that no more requests will begin with it; once. */
    public void retire() {
        leave();
    }
}
