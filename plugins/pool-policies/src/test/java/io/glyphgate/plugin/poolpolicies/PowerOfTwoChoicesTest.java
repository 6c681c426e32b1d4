package io.glyphgate.plugin.poolpolicies;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.PoolPolicy;
import io.glyphgate.spi.PoolPolicyProvider;
import io.glyphgate.testkit.PoolPolicyContract;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PowerOfTwoChoicesTest extends PoolPolicyContract {
    @Override
    protected PoolPolicyProvider provider() {
        return new PowerOfTwoChoices();
    }

    @Test
    void neverTakesTheBusiest() {
        PoolPolicy policy = provider().create(Map.of());
        List<TestEndpoint> endpoints = endpoints(3);
        endpoints.get(1).load().set(9);
        Set<String> picked = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            picked.add(policy.pick(request(i), endpoints).id());
        }
        assertThat(picked).containsExactlyInAnyOrder(endpoints.get(0).id(), endpoints.get(2).id());
    }

    @Test
    void takesTheSecondLeastBusyOfThreeAThirdOfTheTime() {
        PoolPolicy policy = provider().create(Map.of());
        List<TestEndpoint> endpoints = endpoints(3);
        for (int i = 0; i < 3; i++) {
            endpoints.get(i).load().set(i);
        }
        Map<String, Integer> picks = new HashMap<>();
        for (int i = 0; i < 30_000; i++) {
            picks.merge(policy.pick(request(i), endpoints).id(), 1, Integer::sum);
        }
        // Of the three pairs, two hold the least busy one. Eight standard deviations on either side.
        assertThat(picks.get(endpoints.get(1).id())).isBetween(9_350, 10_650);
    }

    @Test
    void staysNearlyEvenWhenRequestsStay() {
        PoolPolicy policy = provider().create(Map.of());
        List<TestEndpoint> endpoints = endpoints(8);
        for (int i = 0; i < 8_000; i++) {
            ((TestEndpoint) policy.pick(request(i), endpoints)).load().incrementAndGet();
        }
        assertThat(endpoints).allMatch(endpoint -> Math.abs(endpoint.inFlight() - 1_000) <= 20);
    }
}
