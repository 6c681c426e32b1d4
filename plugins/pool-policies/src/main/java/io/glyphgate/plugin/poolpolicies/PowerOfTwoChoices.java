package io.glyphgate.plugin.poolpolicies;

import io.glyphgate.spi.PoolPolicy;
import io.glyphgate.spi.PoolPolicy.Endpoint;
import io.glyphgate.spi.PoolPolicyProvider;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Takes two endpoints at random and chooses the one with fewer requests in flight for its weight. Nearly as even as looking at all, and
 * several proxies in front of one pool do not all run to the same idle endpoint.
 */
public final class PowerOfTwoChoices implements PoolPolicyProvider {
    @Override
    public String name() {
        return "power-of-two-choices";
    }

    @Override
    public PoolPolicy create(Map<String, String> options) {
        Options.requireNone(name(), options);
        return (request, endpoints) -> pick(endpoints);
    }

    private static Endpoint pick(List<? extends Endpoint> endpoints) {
        int count = endpoints.size();
        if (count == 1) {
            return endpoints.getFirst();
        }
        ThreadLocalRandom random = ThreadLocalRandom.current();
        int one = random.nextInt(count);
        // Skips the first, so that the two are never the same.
        int other = (one + 1 + random.nextInt(count - 1)) % count;
        Endpoint first = endpoints.get(one);
        Endpoint second = endpoints.get(other);
        return Load.of(second) < Load.of(first) ? second : first;
    }
}
