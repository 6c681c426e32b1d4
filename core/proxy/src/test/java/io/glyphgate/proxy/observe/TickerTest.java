package io.glyphgate.proxy.observe;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TickerTest {
    private final AtomicInteger seldom = new AtomicInteger();
    private final AtomicInteger removed = new AtomicInteger();
    private final CountDownLatch beats = new CountDownLatch(20);
    private final CountDownLatch open = new CountDownLatch(20);

    @Test
    void looksAtEachThingAsOftenAsItIsDue() throws Exception {
        try (Ticker ticker = new Ticker(Duration.ofMillis(2))) {
            Ticker.Check gone = now -> removed.incrementAndGet();
            ticker.addStanding(now -> seldom.incrementAndGet(), Duration.ofDays(1));
            ticker.addStanding(gone, Duration.ZERO);
            ticker.remove(gone);
            ticker.addStanding(now -> beats.countDown(), Duration.ZERO);
            ticker.add(now -> {
                throw new IllegalStateException("one that is broken, for the test");
            });
            ticker.add(now -> {
                throw new AssertionError("one that is broken, for the test");
            });
            ticker.add(now -> Thread.currentThread().interrupt());
            ticker.add(now -> open.countDown());

            assertThat(beats.await(10, SECONDS)).isTrue();
            assertThat(open.await(10, SECONDS)).isTrue();
            assertThat(ticker.size()).isEqualTo(4);
        }
        assertThat(seldom).hasValue(1);
        assertThat(removed).hasValueLessThanOrEqualTo(1); // a beat may have come before it was removed
    }

    @Test
    void endsWhateverItsChecksMakeOfAnInterrupt() throws Exception {
        BlockingQueue<Thread> thread = new LinkedBlockingQueue<>();
        Ticker ticker = new Ticker(Duration.ofMillis(2));
        ticker.add(now -> {
            thread.add(Thread.currentThread());
            while (!Thread.interrupted()) { // clears it, as what waits does
                Thread.onSpinWait();
            }
        });
        Thread beating = thread.poll(10, SECONDS);
        assertThat(beating).isNotNull();

        ticker.close();

        assertThat(beating.join(Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void anEighthIsNeverMoreThanASecond() {
        assertThat(Ticker.eighthOf(Duration.ofMillis(800))).hasMillis(100);
        assertThat(Ticker.eighthOf(Duration.ofDays(1))).hasSeconds(1);
    }
}
