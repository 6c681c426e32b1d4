package io.glyphgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.glyphgate.spi.PoolPolicy;
import io.glyphgate.spi.PoolPolicyProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The contract lets a good policy pass and each bad one fail. */
class PoolPolicyContractTest {
    private interface Law {
        void check(PoolPolicyContract contract) throws Exception;
    }

    private static final PoolPolicy GOOD = new PoolPolicy() {
        private final AtomicInteger turn = new AtomicInteger();

        @Override
        public Endpoint pick(RoutedRequest request, List<? extends Endpoint> endpoints) {
            return endpoints.get(Math.floorMod(turn.getAndIncrement(), endpoints.size()));
        }
    };

    @Test
    void goodPolicyPasses() throws Exception {
        PoolPolicyContract contract = contract("good", GOOD);
        contract.hasAProperName();
        contract.refusesAnUnknownOptionByName();
        contract.picksOneOfTheList();
        contract.usesEveryIdleEndpoint();
        contract.servesManyThreads();
        contract.doesNotWaitForAnotherPick();
    }

    @Test
    void badNameFails() {
        assertBroken("Bad Name", GOOD, PoolPolicyContract::hasAProperName);
    }

    @Test
    void missingServiceFileFails() {
        assertBroken("good", GOOD, PoolPolicyContract::isFoundByItsServiceFile);
    }

    @Test
    void acceptingAnyOptionFails() {
        PoolPolicyContract contract = new Broken("good", GOOD, false);
        assertThat(catchThrowable(contract::refusesAnUnknownOptionByName)).isInstanceOf(AssertionError.class);
    }

    @Test
    void endpointFromElsewhereFails() {
        PoolPolicy stranger = (request, endpoints) -> PoolPolicyContract.endpoints(1).getFirst();
        assertBroken("bad", stranger, PoolPolicyContract::picksOneOfTheList);
    }

    @Test
    void alwaysTheFirstFails() {
        assertBroken("bad", (request, endpoints) -> endpoints.getFirst(), PoolPolicyContract::usesEveryIdleEndpoint);
    }

    @Test
    void policyOfOneThreadFails() {
        AtomicReference<Thread> owner = new AtomicReference<>();
        PoolPolicy bound = (request, endpoints) -> {
            if (!owner.compareAndSet(null, Thread.currentThread()) && owner.get() != Thread.currentThread()) {
                throw new IllegalStateException("called by another thread");
            }
            return endpoints.getFirst();
        };
        assertBroken("bad", bound, PoolPolicyContract::servesManyThreads);
    }

    @Test
    void lockFails() {
        PoolPolicy locked = new PoolPolicy() {
            @Override
            public synchronized Endpoint pick(RoutedRequest request, List<? extends Endpoint> endpoints) {
                return endpoints.getFirst().inFlight() < 0 ? endpoints.getLast() : endpoints.getFirst();
            }
        };
        PoolPolicyContract contract = new Broken("bad", locked, true) {
            @Override
            protected Duration patience() {
                return Duration.ofMillis(200);
            }
        };
        assertThat(catchThrowable(contract::doesNotWaitForAnotherPick)).isInstanceOf(TimeoutException.class);
    }

    private static void assertBroken(String name, PoolPolicy policy, Law law) {
        PoolPolicyContract contract = contract(name, policy);
        assertThat(catchThrowable(() -> law.check(contract))).isNotNull();
    }

    private static PoolPolicyContract contract(String name, PoolPolicy policy) {
        return new Broken(name, policy, true);
    }

    private static class Broken extends PoolPolicyContract {
        private final PoolPolicyProvider provider;

        private Broken(String name, PoolPolicy policy, boolean refuses) {
            provider = new PoolPolicyProvider() {
                @Override
                public String name() {
                    return name;
                }

                @Override
                public PoolPolicy create(Map<String, String> options) {
                    if (refuses && !options.isEmpty()) {
                        throw new IllegalArgumentException("no such options: " + options);
                    }
                    return policy;
                }
            };
        }

        @Override
        protected PoolPolicyProvider provider() {
            return provider;
        }
    }
}
