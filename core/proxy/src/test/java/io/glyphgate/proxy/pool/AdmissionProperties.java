package io.glyphgate.proxy.pool;

import static io.glyphgate.proxy.pool.Pools.eventually;
import static io.glyphgate.proxy.pool.Pools.limits;
import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.observe.Meters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Many requests at once, that wait, are served, fail, leave and come back in any order. */
class AdmissionProperties {
    private static final int REQUESTS = 30;

    private final Map<Endpoint, AtomicInteger> inside = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<Throwable> faults = new ConcurrentLinkedQueue<>();

    @Property(tries = 40)
    void noPermitIsLostNoneIsTooMuchAndEveryWaitEnds(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 3) int limit,
            @ForAll @IntRange(min = 1, max = 3) int endpoints,
            @ForAll @IntRange(min = 1, max = 3) int pools,
            @ForAll @IntRange(max = 8) int queue,
            @ForAll @IntRange(min = 1, max = 24) int threads)
            throws Exception {
        inside.clear();
        ProxyConfig.Limits limits = limits(limit, queue, Duration.ofMillis(1 + Math.floorMod(seed, 40)));
        List<Pool> all = IntStream.range(0, pools).mapToObj(i -> Pools.pool("p" + i, endpoints, limits)).toList();
        try (Meters meters = new Meters()) {
            List<Thread> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Random random = new Random(seed + i);
                running.add(Thread.ofVirtual().start(() -> requests(random, meters, all, limit)));
            }
            Random random = new Random(~seed);
            while (running.stream().anyMatch(Thread::isAlive)) {
                running.get(random.nextInt(threads)).interrupt();
                all.forEach(Pool::look);
                LockSupport.parkNanos(200_000);
            }
            for (Thread thread : running) {
                assertThat(thread.join(Pools.LIMIT)).isTrue();
            }
            assertThat(faults).isEmpty();
            assertThat(all).allMatch(pool -> pool.waiting() == 0);
            assertThat(all.stream().flatMap(pool -> pool.endpoints().stream())).allMatch(e -> e.inFlight() == 0);
            all.forEach(pool -> eventually("none says that it is busy", () -> pool.endpoints().stream().noneMatch(Endpoint::busy)));
            List<Permit> permits = new ArrayList<>();
            for (int i = 0; i < limit * endpoints * pools; i++) {
                permits.add(Pools.request(meters, 0, all.toArray(new Pool[0])).next(() -> {}).orElseThrow());
            }
            assertThat(permits).extracting(Permit::endpoint).containsAll(
                    all.stream().flatMap(pool -> pool.endpoints().stream()).toList());
        }
    }

    private void requests(Random random, Meters meters, List<Pool> all, int limit) {
        for (int i = 0; i < REQUESTS; i++) {
            Pool[] some = Stream.of(all.toArray(new Pool[0])).filter(pool -> random.nextInt(3) > 0).toArray(Pool[]::new);
            if (some.length == 0) {
                continue;
            }
            Admission request = Pools.request(meters, random.nextInt(3), some);
            try {
                for (Optional<Permit> next = request.next(() -> {}); next.isPresent(); next = request.next(() -> {})) {
                    try (Permit permit = next.get()) {
                        serve(permit, random, limit);
                        if (random.nextInt(4) > 0) {
                            break;
                        }
                        if (random.nextInt(3) == 0) {
                            request.again(permit);
                        }
                    }
                }
            } catch (PoolFullException e) {
                assertThat(e.retryAfter()).isPositive();
            } catch (InterruptedException e) {
                // the client has left; the next one comes on the same connection
            } catch (Throwable e) {
                faults.add(e);
                return;
            }
        }
    }

    private void serve(Permit permit, Random random, int limit) {
        AtomicInteger count = inside.computeIfAbsent(permit.endpoint(), e -> new AtomicInteger());
        assertThat(count.incrementAndGet()).isBetween(1, limit);
        LockSupport.parkNanos(random.nextInt(200_000));
        if (random.nextInt(20) == 0) {
            permit.endpoint().busy(Duration.ofMillis(1));
        }
        count.decrementAndGet();
    }
}
