package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.observe.EndpointMeters;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.pool.EndpointState;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.pool.Trouble;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Has the servers of a pool metered for as long as they are there. */
final class PoolMeters implements Pool.Listener {
    private final String pool;
    private final Meters meters;
    private final Map<Endpoint, EndpointMeters> endpoints = new ConcurrentHashMap<>();

    PoolMeters(String pool, Meters meters) {
        this.pool = pool;
        this.meters = meters;
    }

    @Override
    public void came(Endpoint endpoint) {
        EndpointMeters of = meters.endpoint(pool, endpoint.id());
        of.inFlight(endpoint::inFlight);
        for (EndpointState state : EndpointState.values()) {
            if (state != EndpointState.REMOVED) {
                of.state(state.label(), () -> endpoint.state() == state ? 1 : 0);
            }
        }
        for (Trouble reason : Trouble.values()) {
            of.ejections(reason.label(), () -> endpoint.ejections(reason));
        }
        of.healthChecks("healthy", () -> endpoint.checks(true));
        of.healthChecks("unhealthy", () -> endpoint.checks(false));
        endpoints.put(endpoint, of);
    }

    @Override
    public void went(Endpoint endpoint) {
        EndpointMeters of = endpoints.remove(endpoint);
        if (of != null) {
            of.close();
        }
    }
}
