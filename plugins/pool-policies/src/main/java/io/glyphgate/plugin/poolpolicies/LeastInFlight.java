package io.glyphgate.plugin.poolpolicies;

import io.glyphgate.spi.PoolPolicy;
import io.glyphgate.spi.PoolPolicy.Endpoint;
import io.glyphgate.spi.PoolPolicyProvider;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Chooses the endpoint with the fewest requests in flight for its weight; among equals, each in turn. */
public final class LeastInFlight implements PoolPolicyProvider {
    /** The load of an endpoint that serves nothing and has its full weight: none has less. */
    private static final double IDLE = 1;

    @Override
    public String name() {
        return "least-in-flight";
    }

    @Override
    public PoolPolicy create(Map<String, String> options) {
        Options.requireNone(name(), options);
        AtomicInteger turn = new AtomicInteger();
        return (request, endpoints) -> least(endpoints, turn.getAndIncrement());
    }

    private static Endpoint least(List<? extends Endpoint> endpoints, int turn) {
        int start = Math.floorMod(turn, endpoints.size());
        Endpoint least = endpoints.get(start);
        double load = Load.of(least);
        for (int i = 1; i < endpoints.size() && load > IDLE; i++) {
            Endpoint candidate = endpoints.get((start + i) % endpoints.size());
            // Asked once: the number changes under us.
            double others = Load.of(candidate);
            if (others < load) {
                least = candidate;
                load = others;
            }
        }
        return least;
    }
}
