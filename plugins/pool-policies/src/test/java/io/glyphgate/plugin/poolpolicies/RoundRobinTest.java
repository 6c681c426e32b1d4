package io.glyphgate.plugin.poolpolicies;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.PoolPolicy;
import io.glyphgate.spi.PoolPolicyProvider;
import io.glyphgate.testkit.PoolPolicyContract;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RoundRobinTest extends PoolPolicyContract {
    @Override
    protected PoolPolicyProvider provider() {
        return new RoundRobin();
    }

    @Test
    void takesEachInTurnHoweverBusy() {
        PoolPolicy policy = provider().create(Map.of());
        List<TestEndpoint> endpoints = endpoints(3);
        endpoints.get(1).load().set(1_000);
        List<String> picked = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            picked.add(policy.pick(request(1), endpoints).id());
        }
        List<String> once = endpoints.stream().map(TestEndpoint::id).toList();
        assertThat(picked.subList(0, 3)).isEqualTo(once);
        assertThat(picked.subList(3, 6)).isEqualTo(once);
    }
}
