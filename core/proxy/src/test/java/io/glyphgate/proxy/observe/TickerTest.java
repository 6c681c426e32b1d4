package io.glyphgate.proxy.observe;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
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
            ticker.addStanding(gone, Duration.ofDays(1));
            ticker.remove(gone);
            ticker.addStanding(now -> beats.countDown(), Duration.ZERO);
            ticker.add(now -> {
                throw new IllegalStateException("one that is broken, for the test");
            });
            ticker.add(now -> open.countDown());

            assertThat(beats.await(10, SECONDS)).isTrue();
            assertThat(open.await(10, SECONDS)).isTrue();
            assertThat(ticker.size()).isEqualTo(2);
        }
        assertThat(seldom).hasValue(1);
        assertThat(removed).hasValueLessThanOrEqualTo(1); // a beat may have come before it was removed
    }

    @Test
    void anEighthIsNeverMoreThanASecond() {
        assertThat(Ticker.eighthOf(Duration.ofMillis(800))).hasMillis(100);
        assertThat(Ticker.eighthOf(Duration.ofDays(1))).hasSeconds(1);
    }
}
