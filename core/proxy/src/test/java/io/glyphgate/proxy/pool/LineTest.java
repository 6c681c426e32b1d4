package io.glyphgate.proxy.pool;

import static io.glyphgate.proxy.pool.Pools.limits;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LineTest {
    private final AtomicLong now = new AtomicLong(17);
    private final Pool pool = Pools.pool("p", 1, limits(0, 0, Duration.ZERO));
    private final Endpoint endpoint = pool.endpoints().getFirst();
    private final Line line = new Line(pool, 1, limits(1, 100, Duration.ofSeconds(1)), now::get);

    private void join(int count) {
        for (int i = 0; i < count; i++) {
            line.join(new Waiter(new Turn(0, i), List.of(pool), Set.of()));
        }
    }

    @Test
    void howLongItTakesIsMeasuredWhileSomebodyWaits() {
        assertThat(line.enter(endpoint)).isTrue();
        assertThat(line.timeToServe()).isEqualTo(Duration.ofSeconds(1));
        join(40);
        for (int i = 0; i < 30; i++) {
            now.addAndGet(Duration.ofSeconds(2).toNanos());
            line.leave(endpoint); // the next one has it at once
        }
        assertThat(line.waiting()).isEqualTo(10);
        assertThat(line.timeToServe()).isCloseTo(Duration.ofSeconds(22), Duration.ofMillis(1));
        join(90);
        assertThat(line.timeToServe()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void aPauseWithoutAnybodyWaitingIsNoMeasure() {
        assertThat(line.enter(endpoint)).isTrue();
        join(2);
        line.leave(endpoint);
        line.leave(endpoint);
        now.addAndGet(Duration.ofHours(1).toNanos());
        line.leave(endpoint);
        assertThat(endpoint.inFlight()).isZero();
        assertThat(line.timeToServe()).isEqualTo(Duration.ofSeconds(1));
    }
}
