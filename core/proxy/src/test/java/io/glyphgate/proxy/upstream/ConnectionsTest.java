package io.glyphgate.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.glyphgate.proxy.config.ProxyConfig.OnMismatch;
import io.glyphgate.proxy.config.ProxyConfig.Upstream;
import io.glyphgate.proxy.observe.Ticker;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.pool.Watches;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConnectionsTest {
    private static final Duration DAY = Duration.ofDays(1);

    /** The ports that requests came from: one for each connection. */
    private final Set<Integer> ports = ConcurrentHashMap.newKeySet();

    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            ports.add(exchange.getRemoteAddress().getPort());
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write(new byte[] {'o', 'k'});
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void usesAnIdleConnectionAgain() {
        askTwice(DAY);

        assertThat(ports).hasSize(1);
    }

    /** Its server may be about to close it, also where nobody has looked at it yet. */
    @Test
    void usesNoneThatWasIdleForTooLong() {
        askTwice(Duration.ofNanos(1));

        assertThat(ports).hasSize(2);
    }

    private void askTwice(Duration idleLife) {
        Endpoint endpoint = new Endpoint(URI.create("http://localhost:" + server.getAddress().getPort()), "p", Watches.DEFAULT);
        Upstream limits = new Upstream(
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                2,
                idleLife,
                OnMismatch.IGNORE,
                OnMismatch.IGNORE,
                DAY);
        try (Ticker never = new Ticker(DAY);
                UpstreamClient client = new UpstreamClient(limits, never)) {
            for (int i = 0; i < 2; i++) {
                try (Leg leg = client.get(endpoint, "/", DAY)) {
                    assertThat(leg.wholeBody()).asString().isEqualTo("ok");
                }
                assertThat(client.idleConnections()).isEqualTo(1);
            }
        }
    }
}
