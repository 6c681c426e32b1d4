package io.glyphgate.plugin.poolpolicies;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.PoolPolicy;
import io.glyphgate.spi.PoolPolicy.Endpoint;
import io.glyphgate.spi.PoolPolicyProvider;
import io.glyphgate.testkit.PoolPolicyContract;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StickyByHeaderTest extends PoolPolicyContract {
    @Override
    protected PoolPolicyProvider provider() {
        return new StickyByHeader();
    }

    @Override
    protected Map<String, String> options() {
        return Map.of("header", "x-session", "free-load", "1", "load-factor", "2");
    }

    private static Endpoint pick(PoolPolicy policy, List<TestEndpoint> endpoints, int number, Map<String, String> headers) {
        return policy.pick(request("r" + number, new int[] {number}, headers), endpoints);
    }

    @Test
    void requestsOfASessionStayTogetherAndSessionsAreSpread() {
        PoolPolicy policy = provider().create(options());
        List<TestEndpoint> endpoints = endpoints(5);
        for (int session = 0; session < 50; session++) {
            Map<String, String> headers = Map.of("x-session", "s" + session);
            Endpoint home = pick(policy, endpoints, 0, headers);
            for (int i = 1; i < 5; i++) {
                assertThat(pick(policy, endpoints, i, headers)).isSameAs(home);
            }
        }
        assertThat(IntStream.range(0, 50)
                        .mapToObj(i -> pick(policy, endpoints, 0, Map.of("x-session", "s" + i)))
                        .distinct())
                .hasSize(5);
    }

    @Test
    void requestsWithoutTheHeaderGoAnywhere() {
        PoolPolicy policy = provider().create(options());
        List<TestEndpoint> endpoints = endpoints(5);
        assertThat(IntStream.range(0, 100).mapToObj(i -> pick(policy, endpoints, i, Map.of())).distinct()).hasSize(5);
    }

    @Test
    void theHeaderHasADefault() {
        PoolPolicy policy = provider().create(Map.of());
        List<TestEndpoint> endpoints = endpoints(5);
        Map<String, String> headers = Map.of("x-session-id", "s");
        assertThat(IntStream.range(0, 50).mapToObj(i -> pick(policy, endpoints, i, headers)).distinct()).hasSize(1);
    }

    @Test
    void aSessionWhoseEndpointIsTooBusyGoesOnAndComesBack() {
        PoolPolicy policy = provider().create(options());
        List<TestEndpoint> endpoints = endpoints(3);
        Map<String, String> headers = Map.of("x-session", "s");
        TestEndpoint home = (TestEndpoint) pick(policy, endpoints, 0, headers);
        home.load().set(1);
        TestEndpoint second = (TestEndpoint) pick(policy, endpoints, 1, headers);
        // 2 times 2 requests over 3 endpoints are 2 for each
        assertThat(second).isSameAs(home);
        home.load().set(8);
        second = (TestEndpoint) pick(policy, endpoints, 2, headers);
        assertThat(second).isNotSameAs(home);
        assertThat(pick(policy, endpoints, 3, headers)).isSameAs(second);
        home.load().set(0);
        assertThat(pick(policy, endpoints, 4, headers)).isSameAs(home);
    }
}
