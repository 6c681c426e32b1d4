package io.glyphgate.proxy.generate;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.config.Percent;
import io.glyphgate.proxy.config.ProxyConfig;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryBudgetTest {
    private final AtomicLong now = new AtomicLong(-5);

    private RetryBudget budget(int percent, int minPerSecond) {
        return new RetryBudget(new ProxyConfig.Retries(3, new Percent(percent), minPerSecond), now::get);
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private static void requests(RetryBudget budget, int count) {
        IntStream.range(0, count).forEach(i -> budget.request());
    }

    private static long taken(RetryBudget budget, int tries) {
        return IntStream.range(0, tries).filter(i -> budget.take()).count();
    }

    @Test
    void aShareOfTheRequestsMayBeRetried() {
        RetryBudget budget = budget(20, 0);
        assertThat(taken(budget, 10)).isZero();
        requests(budget, 4);
        assertThat(taken(budget, 10)).isZero();
        requests(budget, 1);
        assertThat(taken(budget, 10)).isEqualTo(1);
        requests(budget, 95);
        assertThat(taken(budget, 100)).isEqualTo(19);
    }

    @Test
    void aFewPerSecondMayBeRetriedBesideThat() {
        RetryBudget budget = budget(0, 3);
        requests(budget, 1000);
        assertThat(taken(budget, 100)).isEqualTo(30);
        pass(Duration.ofSeconds(9));
        assertThat(taken(budget, 100)).isZero();
        pass(Duration.ofSeconds(1));
        assertThat(taken(budget, 100)).isEqualTo(30);
    }

    @Test
    void whatIsLongAgoCountsNoMore() {
        RetryBudget budget = budget(50, 0);
        requests(budget, 10);
        pass(Duration.ofSeconds(5));
        requests(budget, 10);
        assertThat(taken(budget, 4)).isEqualTo(4);
        pass(Duration.ofSeconds(5));
        // 10 requests are left, and the 4 retries are of the same second
        assertThat(taken(budget, 100)).isEqualTo(1);
        pass(Duration.ofSeconds(5));
        assertThat(taken(budget, 100)).isZero();
        pass(Duration.ofHours(1));
        requests(budget, 2);
        assertThat(taken(budget, 100)).isEqualTo(1);
    }

    @Test
    void moreThanEveryRequestMayBeRetriedIfSoWanted() {
        RetryBudget budget = budget(200, 0);
        requests(budget, 3);
        assertThat(taken(budget, 100)).isEqualTo(6);
    }
}
