package io.glyphgate.proxy.pool;

import java.util.Locale;

/** What the proxy holds of a server. */
public enum EndpointState {
    /** It gets requests; the state of a server of which nothing is known. */
    UP,
    /** It took no connection a moment ago: it is asked only where no other is left. */
    RESTING,
    /** Its health checks fail: it is asked only where no other is left. */
    UNHEALTHY,
    /** Requests failed on it, one after the other: it is not asked until its time is over. */
    EJECTED,
    /** Its time is over: one request at a time tries it, and its outcome decides. */
    HALF_OPEN,
    /** It answers, but cannot do what its pool asks of it: it is not asked. */
    UNFIT,
    /** It is no server of its pool any more: it gets no new requests, and those that it serves go on. */
    REMOVED;

    /** What meters call it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
