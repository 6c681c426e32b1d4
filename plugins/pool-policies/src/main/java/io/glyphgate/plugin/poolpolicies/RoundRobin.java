package io.glyphgate.plugin.poolpolicies;

import io.glyphgate.spi.PoolPolicy;
import io.glyphgate.spi.PoolPolicyProvider;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Takes the endpoints in turn, however busy they are. */
public final class RoundRobin implements PoolPolicyProvider {
    @Override
    public String name() {
        return "round-robin";
    }

    @Override
    public PoolPolicy create(Map<String, String> options) {
        Options.requireNone(name(), options);
        AtomicInteger turn = new AtomicInteger();
        return (request, endpoints) -> endpoints.get(Math.floorMod(turn.getAndIncrement(), endpoints.size()));
    }
}
