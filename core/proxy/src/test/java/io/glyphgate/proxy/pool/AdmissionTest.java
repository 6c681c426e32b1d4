package io.glyphgate.proxy.pool;

import static io.glyphgate.proxy.pool.Pools.eventually;
import static io.glyphgate.proxy.pool.Pools.limits;
import static io.glyphgate.proxy.pool.Pools.pool;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.pool.PoolFullException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AdmissionTest {
    private static final Duration LONG = Duration.ofMinutes(5);

    private final Meters meters = new Meters();

    @AfterEach
    void close() {
        meters.close();
    }

    private Admission request(Pool... pools) {
        return Pools.request(meters, 0, pools);
    }

    private static Permit take(Admission request) throws PoolFullException, InterruptedException, AbortedException {
        return request.next(() -> {}).orElseThrow();
    }

    /** Starts a request that waits, and returns when it does. */
    private FutureTask<Permit> waiting(long priority, Pool... pools) {
        int before = pools[0].waiting();
        Admission request = Pools.request(meters, priority, pools);
        FutureTask<Permit> task = new FutureTask<>(() -> take(request));
        Thread.ofVirtual().start(task);
        eventually("the request waits", () -> pools[0].waiting() == before + 1);
        return task;
    }

    private static <T> T of(FutureTask<T> task) throws Exception {
        return task.get(Pools.LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    private static PoolFullException rejected(Callable<?> call) {
        return catchThrowableOfType(PoolFullException.class, call::call);
    }

    @Test
    void noMoreThanTheLimitIsLetIn() throws Exception {
        Pool pool = pool("p", 2, limits(2, 0, LONG));
        List<Permit> permits = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            permits.add(take(request(pool)));
        }
        assertThat(pool.endpoints()).extracting(Endpoint::inFlight).containsExactly(2, 2);
        PoolFullException full = rejected(() -> take(request(pool)));
        assertThat(full.reason()).isEqualTo(Reason.QUEUE_FULL);
        assertThat(full.retryAfter()).isEqualTo(Duration.ofSeconds(1));
        assertThat(full).hasMessageContaining("[p]");
        permits.get(3).close();
        Permit next = take(request(pool));
        assertThat(next.endpoint()).isSameAs(permits.get(3).endpoint());
        assertThat(meters.scrape()).contains("glyphgate_queue_rejections_total{pool=\"p\",reason=\"full\"} 1.0");
    }

    @Test
    void whoWaitsGoesByPriorityThenByArrival() throws Exception {
        Pool pool = pool("p", 1, limits(1, 10, LONG));
        Permit first = take(request(pool));
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch done = new CountDownLatch(6);
        int[] priorities = {0, 5, -1, 0, 5, -1};
        for (int i = 0; i < priorities.length; i++) {
            int number = i;
            Admission request = Pools.request(meters, priorities[i], pool);
            Thread.ofVirtual().start(new FutureTask<>(() -> {
                try (Permit permit = take(request)) {
                    order.add(number);
                    assertThat(permit.pool()).isSameAs(pool);
                } finally {
                    done.countDown();
                }
                return null;
            }));
            eventually("it waits", () -> pool.waiting() == number + 1);
        }
        first.close();
        assertThat(done.await(Pools.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(order).containsExactly(2, 5, 0, 3, 1, 4);
        assertThat(meters.scrape()).contains("glyphgate_queue_wait_seconds_count{outcome=\"served\",pool=\"p\"} 6");
    }

    @Test
    void nobodyOvertakesWhoWaits() throws Exception {
        Pool pool = pool("p", 1, limits(1, 10, LONG));
        Permit held = take(request(pool));
        FutureTask<Permit> early = waiting(0, pool);
        held.close();
        // the permit is the early one's already, whether its thread has run since or not
        FutureTask<Permit> late = waiting(0, pool);
        Permit second = of(early);
        assertThat(late.isDone()).isFalse();
        second.close();
        of(late).close();
        assertThat(pool.endpoints().getFirst().inFlight()).isZero();
    }

    @Test
    void theLastInTheOrderGivesUpItsPlaceInAFullQueue() throws Exception {
        Pool pool = pool("p", 1, limits(1, 1, LONG));
        Permit held = take(request(pool));
        FutureTask<Permit> patient = waiting(5, pool);
        assertThat(rejected(() -> take(Pools.request(meters, 5, pool))).reason()).isEqualTo(Reason.QUEUE_FULL);
        Admission urgent = Pools.request(meters, 4, pool);
        FutureTask<Permit> first = new FutureTask<>(() -> take(urgent));
        Thread.ofVirtual().start(first);
        assertThatThrownBy(() -> of(patient))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(PoolFullException.class)
                .hasMessageContaining("no more requests may wait");
        held.close();
        of(first).close();
        assertThat(pool.waiting()).isZero();
    }

    @Test
    void nobodyWaitsForLongerThanAllowed() throws Exception {
        Pool pool = pool("p", 1, limits(1, 10, Duration.ofMillis(50)));
        Permit held = take(request(pool));
        long start = System.nanoTime();
        assertThat(rejected(() -> take(request(pool))).reason()).isEqualTo(Reason.QUEUE_TIMEOUT);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(50));
        assertThat(pool.waiting()).isZero();
        held.close();
        take(request(pool)).close();
    }

    @Test
    void theTimeOfAllWaitsOfARequestCounts() throws Exception {
        Pool pool = pool("p", 2, limits(1, 10, Duration.ofMillis(200)));
        Permit one = take(request(pool));
        Permit two = take(request(pool));
        Admission request = request(pool);
        FutureTask<Permit> first = new FutureTask<>(() -> take(request));
        Thread.ofVirtual().start(first);
        eventually("it waits", () -> pool.waiting() == 1);
        one.close();
        Permit got = of(first);
        eventually("its time is over", () -> !sleeps(250));
        got.close();
        Permit again = take(request(pool));
        assertThat(again.endpoint()).isSameAs(got.endpoint());
        long start = System.nanoTime();
        assertThat(rejected(() -> take(request)).reason()).isEqualTo(Reason.QUEUE_TIMEOUT);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(150));
        two.close();
    }

    /** Lets time pass that is the subject of a test; false at its end. */
    private static boolean sleeps(long milliseconds) {
        try {
            return new CountDownLatch(1).await(milliseconds, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whoLeavesWhileItWaitsHoldsNothing() throws Exception {
        Pool pool = pool("p", 1, limits(1, 10, LONG));
        Permit held = take(request(pool));
        CompletableFuture<String> ended = new CompletableFuture<>();
        Thread thread = Thread.ofVirtual().start(() -> {
            try {
                ended.complete(String.valueOf(take(request(pool))));
            } catch (InterruptedException e) {
                ended.complete("left");
            } catch (PoolFullException | AbortedException e) {
                ended.completeExceptionally(e);
            }
        });
        eventually("it waits", () -> pool.waiting() == 1);
        thread.interrupt();
        assertThat(ended.get(Pools.LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo("left");
        assertThat(pool.waiting()).isZero();
        held.close();
        take(request(pool)).close();
        assertThat(meters.scrape()).contains("glyphgate_queue_wait_seconds_count{outcome=\"left\",pool=\"p\"} 1");
    }

    @Test
    void theNarrowestPoolWithRoomComesFirst() throws Exception {
        Pool narrow = pool("narrow", 1, limits(1, 10, LONG));
        Pool wide = pool("wide", 1, limits(1, 10, LONG));
        Permit one = take(request(narrow, wide));
        Permit two = take(request(narrow, wide));
        assertThat(one.pool()).isSameAs(narrow);
        assertThat(two.pool()).isSameAs(wide);
        assertThat(two.candidate().pool()).isEqualTo(1);
        one.close();
        assertThat(take(request(narrow, wide)).pool()).isSameAs(narrow);
    }

    @Test
    void whoWaitsIsServedByThePoolThatHasRoomFirstAndByNoOther() throws Exception {
        Pool narrow = pool("narrow", 1, limits(1, 10, LONG));
        Pool wide = pool("wide", 1, limits(1, 10, LONG));
        Permit one = take(request(narrow, wide));
        Permit two = take(request(narrow, wide));
        FutureTask<Permit> waits = waiting(0, narrow, wide);
        assertThat(wide.waiting()).isEqualTo(1);
        two.close();
        Permit got = of(waits);
        assertThat(got.pool()).isSameAs(wide);
        eventually("it waits nowhere", () -> narrow.waiting() == 0);
        one.close();
        got.close();
        assertThat(narrow.endpoints().getFirst().inFlight()).isZero();
        assertThat(wide.endpoints().getFirst().inFlight()).isZero();
    }

    @Test
    void aPoolWithoutALimitLetsEveryoneIn() throws Exception {
        Pool limited = pool("limited", 1, limits(1, 10, LONG));
        Pool free = pool("free", 1, limits(0, 0, Duration.ZERO));
        assertThat(free.limited()).isFalse();
        Permit one = take(request(limited, free));
        for (int i = 0; i < 100; i++) {
            assertThat(take(request(limited, free)).pool()).isSameAs(free);
        }
        assertThat(free.endpoints().getFirst().inFlight()).isEqualTo(100);
        one.close();
    }

    @Test
    void whoHasTriedAnEndpointLetsOthersHaveIt() throws Exception {
        Pool pool = pool("p", 2, limits(1, 10, LONG));
        Admission retrying = request(pool);
        Permit failed = take(retrying);
        Permit other = take(request(pool));
        failed.close();
        FutureTask<Permit> retry = new FutureTask<>(() -> take(retrying));
        Thread.ofVirtual().start(retry);
        eventually("it waits", () -> pool.waiting() == 1);
        assertThat(take(request(pool)).endpoint()).isSameAs(failed.endpoint());
        assertThat(retry.isDone()).isFalse();
        other.close();
        assertThat(of(retry).endpoint()).isSameAs(other.endpoint());
    }

    @Test
    void anEndpointThatComesBackServesThoseWhoWait() throws Exception {
        Pool pool = pool("p", 2, limits(1, 10, LONG));
        pool.endpoints().get(1).failed(Trouble.NO_CONNECTION);
        Permit held = take(request(pool));
        FutureTask<Permit> waits = waiting(0, pool);
        pool.look();
        assertThat(waits.isDone()).isFalse();
        pool.endpoints().get(1).checked(true, "");
        pool.look();
        assertThat(of(waits).endpoint()).isSameAs(pool.endpoints().get(1));
        held.close();
    }

    @Test
    void endpointsThatSayTheyAreBusyComeAfterAllOthersThatAreUp() throws Exception {
        Pool narrow = pool("narrow", 2, limits(0, 0, Duration.ZERO));
        Pool wide = pool("wide", 1, limits(0, 0, Duration.ZERO));
        narrow.endpoints().get(0).busy(LONG);
        narrow.endpoints().get(1).failed(Trouble.NO_CONNECTION);
        Admission request = request(narrow, wide);
        assertThat(take(request).pool()).isSameAs(wide);
        assertThat(take(request).endpoint()).isSameAs(narrow.endpoints().get(0));
        Permit last = take(request);
        assertThat(last.endpoint()).isSameAs(narrow.endpoints().get(1));
        assertThat(last.candidate().rested()).isTrue();
        assertThat(request.hasMore()).isFalse();
        assertThat(request.next(() -> {})).isEmpty();
    }

    @Test
    void aBusyEndpointIsWaitedForWhereItsLimitIsReachedToo() throws Exception {
        Pool pool = pool("p", 1, limits(1, 10, LONG));
        Permit held = take(request(pool));
        held.endpoint().busy(Duration.ofMillis(100));
        FutureTask<Permit> waits = waiting(0, pool);
        held.close();
        eventually("it is served", () -> {
            pool.look();
            return waits.isDone();
        });
        of(waits).close();
    }

    @Test
    void whatMustBeDoneBeforeWaitingIsDoneOnlyThen() throws Exception {
        Pool pool = pool("p", 1, limits(1, 0, LONG));
        AtomicInteger done = new AtomicInteger();
        Permit held = request(pool).next(done::incrementAndGet).orElseThrow();
        assertThat(done).hasValue(0);
        assertThat(rejected(() -> request(pool).next(done::incrementAndGet))).isNotNull();
        assertThat(done).hasValue(1);
        held.close();
    }

    @Test
    void aPoolWhosePolicyFailsIsPassedOverAndNotWaitedFor() throws Exception {
        Pool broken = pool("broken", 2, limits(1, 10, LONG), (request, endpoints) -> {
            throw new IllegalStateException("broken");
        });
        Pool good = pool("good", 1, limits(1, 0, LONG));
        Permit permit = take(request(broken, good));
        assertThat(permit.pool()).isSameAs(good);
        assertThat(rejected(() -> take(request(broken, good)))).hasMessageContaining("[good]");
        Optional<Permit> none = request(broken).next(() -> {});
        assertThat(none).isEmpty();
        assertThat(meters.scrape()).contains("glyphgate_plugin_errors_total{kind=\"pool-policy\",plugin=\"first\"} 3.0");
    }
}
