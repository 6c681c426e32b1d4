package io.glyphgate.proxy.pool;

import java.time.Duration;
import java.util.List;

/** No endpoint has room for a request, and it may not wait, or has waited for long enough. */
public final class PoolFullException extends Exception {
    private static final long serialVersionUID = 1;

    /** Why the request does not wait on. */
    public enum Reason {
        /** As many wait as may, and they go first. */
        QUEUE_FULL,
        /** It has waited for as long as a request may. */
        QUEUE_TIMEOUT
    }

    private final Reason reason;
    private final transient Duration retryAfter;

    /** The request waits for one of these pools, and why it does so no more. */
    PoolFullException(Reason reason, List<Pool> pools, Duration retryAfter) {
        super(message(reason, pools.stream().map(Pool::name).toList()), null, false, false);
        this.reason = reason;
        this.retryAfter = retryAfter;
    }

    private static String message(Reason reason, List<String> pools) {
        return switch (reason) {
            case QUEUE_FULL -> "All servers of the pools that can serve this request are busy, and no more requests may wait: "
                    + pools + ".";
            case QUEUE_TIMEOUT -> "All servers of the pools that can serve this request stayed busy for as long as a request may"
                    + " wait: " + pools + ".";
        };
    }

    /** Why the request does not wait on. */
    public Reason reason() {
        return reason;
    }

    /** When to try again: about when those who wait now have been served. */
    public Duration retryAfter() {
        return retryAfter;
    }
}
