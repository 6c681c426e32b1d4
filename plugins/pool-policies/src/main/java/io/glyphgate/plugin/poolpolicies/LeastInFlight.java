package io.glyphgate.plugin.poolpolicies;

import io.glyphgate.spi.PoolPolicy;
import io.glyphgate.spi.PoolPolicy.Endpoint;
import io.glyphgate.spi.PoolPolicyProvider;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Chooses the endpoint with the fewest requests in flight; among equals, each in turn. */
public final class LeastInFlight implements PoolPolicyProvider {
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
        int inFlight = least.inFlight();
        for (int i = 1; i < endpoints.size() && inFlight > 0; i++) {
            Endpoint candidate = endpoints.get((start + i) % endpoints.size());
            // Asked once: the number changes under us.
            int others = candidate.inFlight();
            if (others < inFlight) {
                least = candidate;
                inFlight = others;
            }
        }
        return least;
    }
}
