package io.glyphgate.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.observe.Ticker;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointWatchTest {
    /** What is due is seen at the next look, which is up to an eighth of the interval, or a second, later. */
    @ParameterizedTest
    @ValueSource(longs = {2, 5, 10, 600})
    void comesAgainAfterTheIntervalGiveOrTakeATenth(long seconds) {
        Duration interval = Duration.ofSeconds(seconds);
        Duration look = Ticker.eighthOf(interval);
        Duration tenth = interval.dividedBy(10);

        Duration soonest = Duration.ofNanos(EndpointWatch.pause(interval, look, 0));
        Duration latest = Duration.ofNanos(EndpointWatch.pause(interval, look, 1)).plus(look);

        assertThat(soonest).isEqualTo(interval.minus(tenth));
        assertThat(latest).isEqualTo(interval.plus(tenth));
    }
}
