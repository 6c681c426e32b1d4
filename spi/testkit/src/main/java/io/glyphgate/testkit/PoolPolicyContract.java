package io.glyphgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.spi.PoolPolicy;
import io.glyphgate.spi.PoolPolicy.Endpoint;
import io.glyphgate.spi.PoolPolicy.RoutedRequest;
import io.glyphgate.spi.PoolPolicyProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every pool policy keeps. Extend it, name the provider, and run it. */
public abstract class PoolPolicyContract {
    private static final int MOST_ENDPOINTS = 8;
    private static final int THREADS = 8;
    private static final int PICKS = 2_000;

    /** For subclasses. */
    protected PoolPolicyContract() {}

    /**
     * The provider to test.
     *
     * @return a new one or always the same
     */
    protected abstract PoolPolicyProvider provider();

    /**
     * Options that the provider takes.
     *
     * @return none by default
     */
    protected Map<String, String> options() {
        return Map.of();
    }

    /**
     * How long a pick may take before it counts as blocked.
     *
     * @return far more than a busy machine needs
     */
    protected Duration patience() {
        return Duration.ofSeconds(20);
    }

    /** A server whose load the test sets. */
    protected record TestEndpoint(String id, AtomicInteger load) implements Endpoint {
        @Override
        public int inFlight() {
            return load.get();
        }
    }

    /** A request as a policy sees it. */
    protected record TestRequest(String requestId, int[] promptTokenIds, Map<String, String> headers)
            implements RoutedRequest {
        @Override
        public Optional<String> header(String name) {
            return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
        }
    }

    /** Some idle endpoints. */
    protected static List<TestEndpoint> endpoints(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new TestEndpoint("http://server-" + i + ":8000", new AtomicInteger()))
                .toList();
    }

    /** A request that is like no other in anything that a policy sees. */
    protected static RoutedRequest request(int number) {
        return new TestRequest(
                "request-" + number, new int[] {number, number * 31, 7}, Map.of("x-session", "session-" + number));
    }

    /**
     * A request as a test of a policy of its own needs it.
     *
     * @param headers the headers, by names in lower case
     */
    protected static RoutedRequest request(String requestId, int[] promptTokenIds, Map<String, String> headers) {
        return new TestRequest(requestId, promptTokenIds, headers);
    }

    @Test
    void hasAProperName() {
        assertThat(provider().name()).matches("[a-z0-9_-]+");
        assertThat(provider().aliases())
                .doesNotContain(provider().name())
                .allMatch(name -> name.matches("[a-z0-9_-]+"));
    }

    @Test
    void isFoundByItsServiceFile() {
        assertThat(ServiceLoader.load(PoolPolicyProvider.class, provider().getClass().getClassLoader()))
                .anyMatch(found -> found.getClass() == provider().getClass());
    }

    @Test
    void refusesAnUnknownOptionByName() {
        Map<String, String> options = new HashMap<>(options());
        options.put("no-such-option", "1");
        assertThatThrownBy(() -> provider().create(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no-such-option");
    }

    @Test
    void picksOneOfTheList() {
        PoolPolicy policy = provider().create(options());
        // Sizes go up and down, as they do when servers fail and come back.
        for (int round = 0; round < 200; round++) {
            List<TestEndpoint> endpoints = endpoints(1 + round % MOST_ENDPOINTS);
            for (TestEndpoint endpoint : endpoints) {
                endpoint.load().set((round + endpoint.id().hashCode()) % 3 * 100 + 200);
            }
            assertPickedFrom(endpoints, policy.pick(request(round), endpoints));
        }
    }

    @Test
    void usesEveryIdleEndpoint() {
        PoolPolicy policy = provider().create(options());
        for (int size = 1; size <= MOST_ENDPOINTS; size++) {
            int count = size;
            List<TestEndpoint> endpoints = endpoints(count);
            Map<String, Integer> picks = new HashMap<>();
            for (int i = 0; i < PICKS; i++) {
                picks.merge(policy.pick(request(i), endpoints).id(), 1, Integer::sum);
            }
            assertThat(picks).hasSize(count);
            assertThat(picks.values()).allMatch(times -> times >= PICKS / count / 4);
        }
    }

    @Test
    void servesManyThreads() throws Exception {
        PoolPolicy policy = provider().create(options());
        List<TestEndpoint> endpoints = endpoints(5);
        CountDownLatch start = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<?>> runs = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int first = thread * PICKS;
                runs.add(threads.submit(() -> {
                    start.await();
                    for (int i = first; i < first + PICKS; i++) {
                        Endpoint picked = policy.pick(request(i), endpoints);
                        assertPickedFrom(endpoints, picked);
                        ((TestEndpoint) picked).load().incrementAndGet();
                    }
                    return null;
                }));
            }
            start.countDown();
            for (Future<?> run : runs) {
                run.get(patience().toMillis(), TimeUnit.MILLISECONDS);
            }
        }
        assertThat(endpoints.stream().mapToInt(TestEndpoint::inFlight).sum()).isEqualTo(THREADS * PICKS);
    }

    @Test
    void doesNotWaitForAnotherPick() throws Exception {
        PoolPolicy policy = provider().create(options());
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        Endpoint slow = new Endpoint() {
            @Override
            public String id() {
                return "http://slow:8000";
            }

            @Override
            public int inFlight() {
                inside.countDown();
                try {
                    leave.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return 1;
            }
        };
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            Future<Endpoint> stuck = threads.submit(() -> {
                Endpoint picked = policy.pick(request(1), List.of(slow, slow));
                // A policy that does not ask for the load is never inside.
                inside.countDown();
                return picked;
            });
            try {
                assertThat(inside.await(patience().toMillis(), TimeUnit.MILLISECONDS)).isTrue();
                List<TestEndpoint> endpoints = endpoints(2);
                Future<Endpoint> free = threads.submit(() -> policy.pick(request(2), endpoints));
                assertPickedFrom(endpoints, free.get(patience().toMillis(), TimeUnit.MILLISECONDS));
            } finally {
                leave.countDown();
            }
            assertThat(stuck.get(patience().toMillis(), TimeUnit.MILLISECONDS)).isSameAs(slow);
        }
    }

    private static void assertPickedFrom(List<TestEndpoint> endpoints, Endpoint picked) {
        assertThat(endpoints).anyMatch(endpoint -> endpoint == picked);
    }
}
