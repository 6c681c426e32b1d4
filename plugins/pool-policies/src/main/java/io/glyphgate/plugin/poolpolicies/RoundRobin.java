package io.glyphgate.plugin.poolpolicies;

import io.glyphgate.spi.PoolPolicy;
import io.glyphgate.spi.PoolPolicy.Endpoint;
import io.glyphgate.spi.PoolPolicyProvider;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Takes the endpoints in turn, however busy they are; one of weight 0.5 is passed over every other time, by chance. */
public final class RoundRobin implements PoolPolicyProvider {
    @Override
    public String name() {
        return "round-robin";
    }

    @Override
    public PoolPolicy create(Map<String, String> options) {
        Options.requireNone(name(), options);
        AtomicInteger turn = new AtomicInteger();
        return (request, endpoints) -> next(endpoints, turn);
    }

    private static Endpoint next(List<? extends Endpoint> endpoints, AtomicInteger turn) {
        for (int passed = 0; passed < endpoints.size(); passed++) {
            Endpoint endpoint = at(endpoints, turn);
            double weight = endpoint.weight();
            if (weight >= 1 || ThreadLocalRandom.current().nextDouble() < weight) {
                return endpoint;
            }
        }
        return at(endpoints, turn); // all were passed over
    }

    private static Endpoint at(List<? extends Endpoint> endpoints, AtomicInteger turn) {
        return endpoints.get(Math.floorMod(turn.getAndIncrement(), endpoints.size()));
    }
}
