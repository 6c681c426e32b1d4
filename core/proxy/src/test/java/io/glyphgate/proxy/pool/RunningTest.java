package io.glyphgate.proxy.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.secure.Access;
import java.net.URI;
import org.junit.jupiter.api.Test;

class RunningTest {
    private final Running running = new Running();
    private final Endpoint a = new Endpoint(URI.create("http://localhost:1"), Access.PLAIN);
    private final Endpoint b = new Endpoint(URI.create("http://localhost:2"), Access.PLAIN);

    @Test
    void findsARequestByTheClientsIdAndTheServers() {
        running.begin("x", a);
        running.begin("x", b);
        assertThat(running.endpoints("x")).containsExactly(a, b);
        assertThat(running.endpoints("generate-tokens-x")).containsExactly(a, b);
        assertThat(running.endpoints("y")).isEmpty();
    }

    @Test
    void anIdThatIsUsedTwiceIsKnownUntilBothHaveEnded() {
        running.begin("x", a);
        running.begin("x", a);
        running.end("x", a);
        assertThat(running.endpoints("x")).containsExactly(a);
        running.end("x", a);
        assertThat(running.endpoints("x")).isEmpty();
        assertThat(running.size()).isZero();
    }
}
