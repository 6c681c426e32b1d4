package io.glyphgate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.bench.Definitions.Door;
import io.glyphgate.bench.Definitions.Scenario;
import io.glyphgate.bench.Definitions.Way;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The clients against the mock, with nothing between them. */
class LoadTest {
    private static final Way TOKENS = new Way("tokens", "mock", Door.GENERATE, "hermes", "tokens", false);

    private static Scripts scripts;
    private static Mock mock;

    @BeforeAll
    static void start() throws IOException {
        scripts = new Scripts();
        mock = new Mock(scripts);
    }

    @AfterAll
    static void stop() throws IOException {
        mock.close();
        scripts.close();
    }

    private static Scenario traffic(int clients, int tokens, int requests, int paceMicros, boolean batch) {
        return new Scenario("", clients, tokens, requests, paceMicros, 0, batch, true, List.of());
    }

    private static Load.Seen play(Way way, Scenario scenario) throws IOException {
        return Load.run(Runner.group(way, scenario, mock.port()), 30);
    }

    @Test
    void everyTokenIsAnEvent() throws IOException {
        Load.Seen seen = play(TOKENS, traffic(4, 50, 8, 0, false));
        assertThat(seen.error()).isEmpty();
        assertThat(seen.requests()).isEqualTo(8);
        assertThat(seen.events()).isEqualTo(8 * 51); // and the end mark
        assertThat(seen.firstToken().count()).isEqualTo(8);
    }

    @Test
    void thePaceIsThatOfTheRequest() throws IOException {
        Load.Seen seen = play(TOKENS, traffic(2, 20, 2, 10_000, false));
        assertThat(seen.errors()).isZero();
        assertThat(seen.wallNanos()).isGreaterThan(19 * 10_000_000L);
    }

    @Test
    void likelyTokensAreAsManyAsAreAskedFor() throws IOException {
        Scenario without = traffic(1, 30, 1, 0, false);
        Scenario with = new Scenario("", 1, 30, 1, 0, 20, false, true, List.of());
        assertThat(play(TOKENS, with).bytes()).isGreaterThan(play(TOKENS, without).bytes() + 30 * 20 * 30);
    }

    @Test
    void aBatchAnswerHasNoEvents() throws IOException {
        Load.Seen seen = play(TOKENS, traffic(2, 32, 6, 0, true));
        assertThat(seen.errors()).isZero();
        assertThat(seen.requests()).isEqualTo(6);
        assertThat(seen.events()).isZero();
    }

    @Test
    void anAnswerWithTooFewEventsIsAnError() throws IOException {
        byte[] request = Requests.of(TOKENS, traffic(1, 10, 1, 0, false), mock.port());
        Load.Seen seen = Load.run(new Load.Group(mock.port(), request, 1, 1, 12), 30);
        assertThat(seen.requests()).isZero();
        assertThat(seen.errors()).isEqualTo(1);
        assertThat(seen.error()).isEqualTo("11 events, wanted 12");
    }

    @Test
    void anotherStatusThan200IsAnError() throws IOException {
        Load.Seen seen = Load.run(new Load.Group(mock.port(), Requests.post("/tokenize", "{}", mock.port()), 1, 1, 0), 30);
        assertThat(seen.requests()).isZero();
        assertThat(seen.error()).contains("404");
    }

    @Test
    void groupsAskAtTheSameTimeAndAreCountedApart() throws IOException {
        Load.Group few = Runner.group(TOKENS, traffic(2, 10, 2, 1000, false), mock.port());
        Load.Group many = Runner.group(TOKENS, traffic(4, 10, 8, 1000, false), mock.port());
        assertThat(Load.run(List.of(few, many), 30)).extracting(Load.Seen::requests).containsExactly(2, 8);
    }
}
