package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Of a client's headers only those go on to servers that are meant to: none that says who is asked, how, or in whose name. */
class SteeringTest {
    /** All that a server may see; the rest of them the proxy writes itself. */
    private static final Set<String> MEANT = Set.of(
            "host", "accept", "accept-encoding", "content-type", "content-length", "connection", "user-agent", "x-request-id", "traceparent",
            "tracestate", "x-data-parallel-rank");

    private static final String HEAD = """
            POST /inference/v1/generate HTTP/1.1
            Host: evil.example
            Content-Type: application/json
            X-data-parallel-rank: 7
            X-Forwarded-For: 6.6.6.6
            X-Forwarded-Host: evil.example
            X-Forwarded-Proto: https
            Forwarded: for=6.6.6.6
            X-Real-IP: 6.6.6.6
            Authorization: Bearer sk-client
            Proxy-Authorization: Basic eA==
            Cookie: a=b
            X-API-Key: k
            X-KV-Transfer-Params: {}
            X-Prefiller-Host-Port: 6.6.6.6:1
            X-Session-Id: s
            TE: trailers
            Upgrade: h2c
            Keep-Alive: timeout=1
            Connection: close, X-Request-Id
            X-Helidon-CN: admin
            User-Agent: evil
            Accept: text/evil
            X-Request-Id: mine
            traceparent: 00-1-2-01
            tracestate: a=b
            """;

    @TempDir
    private Path folder;

    private Stage stage;
    private SimulatedServer server;

    @BeforeEach
    void start() {
        stage = new Stage(folder);
        server = stage.server(Stage.tokensOnly());
        server.direct(request -> Script.tokens(Stage.encode("short")));
        stage.proxy(Stage.pool("bulk", "none", server.uri()) + Stage.pool("chat", "proxy", server.uri()));
    }

    @AfterEach
    void stop() {
        stage.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"zzz\":1", "\"stream\":true", "\"output_mode\":\"text\""})
    void onlyHeadersThatAreMeantGoOn(String fields) throws Exception {
        String body = body(fields);
        try (RawConnection connection = new RawConnection(stage.uri().getPort())) {
            connection.send(HEAD.replace("\n", "\r\n") + "Content-Length: " + body.length() + "\r\n\r\n" + body);
            assertThat(connection.readToEnd()).startsWith("HTTP/1.1 200 ");
        }
        var headers = server.requests().getLast().headers();
        Set<String> names = new TreeSet<>();
        headers.keySet().forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
        assertThat(MEANT).containsAll(names);
        assertThat(headers.toString()).doesNotContain("evil", "6.6.6.6", "sk-client");
        assertThat(headers.getOrDefault("X-data-parallel-rank", "")).isNotEqualTo("7");
        assertThat(headers).containsEntry("X-Request-Id", "mine").containsEntry("traceparent", "00-1-2-01");
    }

    @Test
    void anHttp2UpgradeIsNotTaken() throws Exception {
        try (RawConnection connection = new RawConnection(stage.uri().getPort())) {
            connection.send("GET /health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\n");
            String answer = connection.send("Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n").readToEnd();
            assertThat(answer).startsWith("HTTP/1.1 200 ");
        }
    }
}
