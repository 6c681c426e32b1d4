package io.glyphgate.plugin.poolpolicies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.PoolPolicy;
import io.glyphgate.spi.PoolPolicy.Endpoint;
import io.glyphgate.spi.PoolPolicyProvider;
import io.glyphgate.testkit.PoolPolicyContract;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PrefixAffinityTest extends PoolPolicyContract {
    private static final Map<String, String> OPTIONS =
            Map.of("block-size", "4", "blocks", "2", "load-factor", "1.5", "free-load", "1");

    @Override
    protected PoolPolicyProvider provider() {
        return new PrefixAffinity();
    }

    @Override
    protected Map<String, String> options() {
        return OPTIONS;
    }

    private static Endpoint pick(PoolPolicy policy, List<TestEndpoint> endpoints, String id, int... prompt) {
        return policy.pick(request(id, prompt, Map.of()), endpoints);
    }

    @Test
    void promptsThatStartAlikeStayTogether() {
        PoolPolicy policy = provider().create(options());
        List<TestEndpoint> endpoints = endpoints(8);
        for (int first = 0; first < 100; first++) {
            Endpoint home = pick(policy, endpoints, "a", first, 1, 2, 3, 4, 5, 6, 7, 8, 9);
            assertThat(pick(policy, endpoints, "b", first, 1, 2, 3, 4, 5, 6, 7)).isSameAs(home);
            assertThat(pick(policy, endpoints, "c", first, 1, 2, 3, 4, 5, 6, 7, 99, 98, 97)).isSameAs(home);
        }
    }

    @Test
    void onlyWholeBlocksCount() {
        PoolPolicy policy = provider().create(options());
        List<TestEndpoint> endpoints = endpoints(8);
        for (int first = 0; first < 100; first++) {
            assertThat(pick(policy, endpoints, "a", first, 1, 2, 3, 4)).isSameAs(pick(policy, endpoints, "b", first, 1, 2, 3, 9, 9));
        }
    }

    @Test
    void whatFollowsTheBlocksThatCountMakesNoDifferenceButWhatIsInThemDoes() {
        PoolPolicy policy = provider().create(options());
        List<TestEndpoint> endpoints = endpoints(8);
        int[] counted = IntStream.range(0, 200)
                .map(i -> endpoints.indexOf(pick(policy, endpoints, "a", 1, 2, 3, 4, 5, 6, 7, i)))
                .distinct()
                .toArray();
        assertThat(counted).hasSize(8);
    }

    @Test
    void promptsWithoutAWholeBlockOrWithoutTokensAreSpreadToo() {
        PoolPolicy policy = provider().create(options());
        List<TestEndpoint> endpoints = endpoints(4);
        assertThat(IntStream.range(0, 100).mapToObj(i -> pick(policy, endpoints, "a", i)).distinct()).hasSize(4);
        assertThat(IntStream.range(0, 100).mapToObj(i -> pick(policy, endpoints, "r" + i)).distinct()).hasSize(4);
    }

    @Test
    void theDefaultsAreAsDocumented() {
        PoolPolicy policy = provider().create(Map.of());
        List<TestEndpoint> endpoints = endpoints(8);
        int[] prompt = IntStream.range(0, 32 * 16).toArray();
        int[] longer = IntStream.range(0, 40 * 16).toArray();
        Endpoint home = pick(policy, endpoints, "a", prompt);
        assertThat(pick(policy, endpoints, "b", longer)).isSameAs(home);
        TestEndpoint busy = (TestEndpoint) home;
        busy.load().set(3);
        assertThat(pick(policy, endpoints, "c", prompt)).isSameAs(home);
        busy.load().set(4);
        assertThat(pick(policy, endpoints, "d", prompt)).isNotSameAs(home);
        endpoints.forEach(endpoint -> endpoint.load().set(100));
        busy.load().set(124);
        // 824 in flight and this one, over 8 endpoints, times 1.25, are 128.9
        assertThat(pick(policy, endpoints, "e", prompt)).isSameAs(home);
        busy.load().set(130);
        assertThat(pick(policy, endpoints, "f", prompt)).isNotSameAs(home);
    }

    @Test
    void wrongOptionsAreRefused() {
        for (String wrong : List.of("load-factor=0.9", "load-factor=much", "load-factor=NaN", "blocks=0", "block-size=x",
                "free-load=-1")) {
            String[] option = wrong.split("=", 2);
            assertThatThrownBy(() -> provider().create(Map.of(option[0], option[1])))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("prefix-affinity: " + option[0] + " is '" + option[1] + "'");
        }
        assertThatThrownBy(() -> provider().create(Map.of("block", "1")))
                .hasMessage("prefix-affinity has no option block; it has block-size, blocks, load-factor, free-load");
    }
}
