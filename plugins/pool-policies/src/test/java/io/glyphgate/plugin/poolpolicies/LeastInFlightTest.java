package io.glyphgate.plugin.poolpolicies;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.PoolPolicy;
import io.glyphgate.spi.PoolPolicyProvider;
import io.glyphgate.testkit.PoolPolicyContract;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LeastInFlightTest extends PoolPolicyContract {
    @Override
    protected PoolPolicyProvider provider() {
        return new LeastInFlight();
    }

    @Test
    void takesTheLeastBusyWhereverItIs() {
        PoolPolicy policy = provider().create(Map.of());
        for (int least = 0; least < 4; least++) {
            List<TestEndpoint> endpoints = endpoints(4);
            endpoints.forEach(endpoint -> endpoint.load().set(5));
            endpoints.get(least).load().set(4);
            for (int i = 0; i < 5; i++) {
                assertThat(policy.pick(request(i), endpoints)).isSameAs(endpoints.get(least));
            }
        }
    }

    @Test
    void staysEvenWhenRequestsStay() {
        PoolPolicy policy = provider().create(Map.of());
        List<TestEndpoint> endpoints = endpoints(3);
        for (int i = 0; i < 300; i++) {
            ((TestEndpoint) policy.pick(request(i), endpoints)).load().incrementAndGet();
        }
        assertThat(endpoints).allMatch(endpoint -> endpoint.inFlight() == 100);
    }
}
