package io.glyphgate.plugin.poolpolicies;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.PoolPolicy;
import io.glyphgate.spi.PoolPolicy.Endpoint;
import io.glyphgate.spi.PoolPolicyProvider;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An endpoint that starts slowly gets its part of what others get. */
class WeightTest {
    private record Weighted(String id, double weight, AtomicInteger load) implements Endpoint {
        Weighted(String id, double weight) {
            this(id, weight, new AtomicInteger());
        }

        @Override
        public int inFlight() {
            return load.get();
        }
    }

    private record Request() implements PoolPolicy.RoutedRequest {
        @Override
        public String requestId() {
            return "r";
        }

        @Override
        public int[] promptTokenIds() {
            return new int[0];
        }

        @Override
        public Optional<String> header(String name) {
            return Optional.empty();
        }
    }

    static List<PoolPolicyProvider> policies() {
        return List.of(new LeastInFlight(), new PowerOfTwoChoices(), new RoundRobin());
    }

    @ParameterizedTest
    @MethodSource("policies")
    void whereRequestsStayEachHasWhatItsWeightSays(PoolPolicyProvider provider) {
        PoolPolicy policy = provider.create(Map.of());
        List<Weighted> endpoints = List.of(new Weighted("a", 1), new Weighted("b", 1), new Weighted("slow", 0.25));
        for (int i = 0; i < 9_000; i++) {
            ((Weighted) policy.pick(new Request(), endpoints)).load().incrementAndGet();
        }
        // 1 : 1 : 0.25 of 9 000 is 4 000 : 4 000 : 1 000
        assertThat(endpoints.get(2).inFlight()).as(provider.name()).isBetween(800, 1_200);
        assertThat(endpoints.get(0).inFlight()).as(provider.name()).isBetween(3_700, 4_300);
    }

    @ParameterizedTest
    @MethodSource("policies")
    void whereAllStartSlowlyAllAreUsed(PoolPolicyProvider provider) {
        PoolPolicy policy = provider.create(Map.of());
        List<Weighted> endpoints = List.of(new Weighted("a", 0.1), new Weighted("b", 0.1));
        for (int i = 0; i < 1_000; i++) {
            ((Weighted) policy.pick(new Request(), endpoints)).load().incrementAndGet();
        }
        assertThat(endpoints).allMatch(endpoint -> endpoint.inFlight() > 350);
    }
}
