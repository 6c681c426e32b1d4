package io.glyphgate.proxy.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.secure.Access;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The states of a server, with a clock that the test turns. */
class EndpointTest {
    // far from zero, as the clock of the machine is, and about to pass the largest number
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - Duration.ofSeconds(12).toNanos());
    private final AtomicBoolean spare = new AtomicBoolean(true);
    private final Endpoint endpoint = new Endpoint(URI.create("http://a:1"), "p", Watches.DEFAULT, now::get);

    @BeforeEach
    void belongs() {
        endpoint.belongTo(Watches.DEFAULT, Access.PLAIN, ejection -> {
            if (spare.get()) {
                ejection.run();
            }
            return spare.get();
        });
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private void fail(Trouble trouble, int times) {
        for (int i = 0; i < times; i++) {
            endpoint.failed(trouble);
        }
    }

    private void assertState(EndpointState state, boolean up, boolean lastResort) {
        assertThat(endpoint.state()).isEqualTo(state);
        assertThat(endpoint.up()).as("up").isEqualTo(up);
        assertThat(endpoint.lastResort()).as("last resort").isEqualTo(lastResort);
    }

    @Test
    void aServerOfWhichNothingIsKnownIsUp() {
        assertState(EndpointState.UP, true, false);
        assertThat(endpoint.weight()).isEqualTo(1);
    }

    @Test
    void oneThatTakesNoConnectionRestsForAWhile() {
        endpoint.failed(Trouble.NO_CONNECTION);
        assertState(EndpointState.RESTING, false, true);
        pass(Duration.ofMillis(4_999));
        assertState(EndpointState.RESTING, false, true);
        pass(Duration.ofMillis(1));
        assertState(EndpointState.UP, true, false);
    }

    @Test
    void anAnswerEndsTheRest() {
        endpoint.failed(Trouble.NO_CONNECTION);
        endpoint.succeeded();
        assertState(EndpointState.UP, true, false);
    }

    @ParameterizedTest
    @EnumSource(value = Trouble.class, names = "NO_PROGRESS", mode = EnumSource.Mode.EXCLUDE)
    void failuresOneAfterTheOtherEject(Trouble trouble) {
        fail(trouble, 4);
        assertThat(endpoint.state()).isNotEqualTo(EndpointState.EJECTED);
        endpoint.failed(trouble);
        assertState(EndpointState.EJECTED, false, false);
        assertThat(endpoint.ejections(trouble).sum()).isEqualTo(1);
    }

    @Test
    void anAnswerInBetweenStartsTheCountAgain() {
        fail(Trouble.SERVER_ERROR, 4);
        endpoint.succeeded();
        fail(Trouble.SERVER_ERROR, 4);
        assertState(EndpointState.UP, true, false);
    }

    @Test
    void whenItsTimeIsOverOneRequestTriesIt() {
        fail(Trouble.BROKEN, 5);
        pass(Duration.ofMillis(9_999));
        assertState(EndpointState.EJECTED, false, false);
        pass(Duration.ofMillis(1));
        assertState(EndpointState.HALF_OPEN, true, false);
        assertThat(endpoint.claim()).isTrue();
        assertState(EndpointState.HALF_OPEN, false, false);
        assertThat(endpoint.claim()).isFalse();
        endpoint.succeeded();
        assertState(EndpointState.UP, true, false);
        assertThat(endpoint.claim()).isTrue();
        assertThat(endpoint.claim()).isTrue();
    }

    @Test
    void aTrialThatTellsNothingDoesNotBlockForEver() {
        fail(Trouble.BROKEN, 5);
        pass(Duration.ofSeconds(10));
        assertThat(endpoint.claim()).isTrue();
        pass(Duration.ofSeconds(31));
        assertState(EndpointState.HALF_OPEN, true, false);
        assertThat(endpoint.claim()).isTrue();
    }

    @Test
    void aTrialThatFailsDoublesTheTimeUpToALimit() {
        fail(Trouble.TIMEOUT, 5);
        for (int seconds : new int[] {10, 20, 40, 80, 160, 300, 300}) {
            pass(Duration.ofSeconds(seconds).minusMillis(1));
            assertThat(endpoint.state()).as(seconds + " s").isEqualTo(EndpointState.EJECTED);
            pass(Duration.ofMillis(1));
            assertThat(endpoint.state()).as(seconds + " s").isEqualTo(EndpointState.HALF_OPEN);
            assertThat(endpoint.claim()).isTrue();
            endpoint.failed(Trouble.TIMEOUT);
        }
        pass(Duration.ofMinutes(5));
        endpoint.succeeded();
        fail(Trouble.TIMEOUT, 5);
        pass(Duration.ofSeconds(10));
        assertThat(endpoint.state()).as("after a success the time starts anew").isEqualTo(EndpointState.HALF_OPEN);
    }

    @Test
    void anAnswerToAnOlderRequestDoesNotEndAnEjection() {
        fail(Trouble.BROKEN, 5);
        endpoint.succeeded();
        assertState(EndpointState.EJECTED, false, false);
    }

    @Test
    void oneThatThePoolCannotSpareIsNotEjected() {
        spare.set(false);
        fail(Trouble.BROKEN, 20);
        assertState(EndpointState.UP, true, false);
        fail(Trouble.NO_CONNECTION, 20);
        assertState(EndpointState.RESTING, false, true);
    }

    @Test
    void aServerOnWhoseStreamsNothingMovesIsEjected() {
        long since = now.get();
        endpoint.moved();
        pass(Duration.ofSeconds(45));
        endpoint.waiting(since);
        assertState(EndpointState.UP, true, false);
        pass(Duration.ofNanos(1));
        endpoint.waiting(since);
        assertState(EndpointState.EJECTED, false, false);
        assertThat(endpoint.ejections(Trouble.NO_PROGRESS).sum()).isEqualTo(1);
    }

    @Test
    void oneStreamThatMovesIsProgress() {
        long since = now.get();
        pass(Duration.ofSeconds(40));
        endpoint.moved();
        pass(Duration.ofSeconds(40));
        endpoint.waiting(since);
        assertState(EndpointState.UP, true, false);
    }

    @Test
    void aStreamThatBeganAMomentAgoMayWait() {
        pass(Duration.ofHours(1));
        endpoint.waiting(now.get());
        assertState(EndpointState.UP, true, false);
    }

    @Test
    void checksThatFailMakeItUnhealthyAndGoodOnesHealthy() {
        endpoint.checked(false, "503");
        endpoint.checked(false, "503");
        endpoint.checked(true, "");
        endpoint.checked(false, "503");
        endpoint.checked(false, "503");
        assertState(EndpointState.UP, true, false);
        endpoint.checked(false, "503");
        assertState(EndpointState.UNHEALTHY, false, true);
        endpoint.succeeded();
        endpoint.checked(true, "");
        endpoint.checked(false, "503");
        endpoint.checked(true, "");
        assertState(EndpointState.UNHEALTHY, false, true);
        endpoint.checked(true, "");
        assertState(EndpointState.UP, true, false);
        assertThat(endpoint.checks(true)).isEqualTo(4);
        assertThat(endpoint.checks(false)).isEqualTo(6);
    }

    @Test
    void aGoodCheckEndsWhatCameOfConnectionsNotTaken() {
        endpoint.failed(Trouble.NO_CONNECTION);
        endpoint.checked(true, "");
        assertState(EndpointState.UP, true, false);
        fail(Trouble.NO_CONNECTION, 4);
        assertState(EndpointState.EJECTED, false, false);
        endpoint.checked(true, "");
        assertState(EndpointState.HALF_OPEN, true, false);
    }

    @Test
    void aGoodCheckProvesNothingToWhomRequestsFailed() {
        fail(Trouble.SERVER_ERROR, 5);
        endpoint.checked(true, "");
        assertState(EndpointState.EJECTED, false, false);
    }

    @Test
    void aCheckThatSaysNothingIsNoReasonToLeaveItAlone() {
        for (int i = 0; i < 3; i++) {
            endpoint.checked(false, "503");
        }
        endpoint.checkless("404");
        assertState(EndpointState.UP, true, false);
    }

    @Test
    void oneThatDoesNotFitIsNotUsedUntilItFits() {
        endpoint.probed(List.of("start it otherwise"));
        assertState(EndpointState.UNFIT, false, false);
        endpoint.succeeded();
        assertState(EndpointState.UNFIT, false, false);
        endpoint.probed(List.of());
        assertState(EndpointState.UP, true, false);
    }

    @Test
    void oneThatIsRemovedStaysRemoved() {
        endpoint.remove();
        endpoint.succeeded();
        assertState(EndpointState.REMOVED, false, false);
    }

    @Test
    void oneThatComesBackGetsItsShareLittleByLittle() {
        fail(Trouble.BROKEN, 5);
        pass(Duration.ofSeconds(10));
        endpoint.succeeded();
        assertThat(endpoint.weight()).isEqualTo(0.1);
        pass(Duration.ofSeconds(15));
        assertThat(endpoint.weight()).isCloseTo(0.5, Offset.offset(1e-9));
        pass(Duration.ofSeconds(15));
        assertThat(endpoint.weight()).isEqualTo(1);
    }
}
