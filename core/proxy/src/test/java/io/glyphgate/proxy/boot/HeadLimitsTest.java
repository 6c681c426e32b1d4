package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static io.glyphgate.proxy.boot.Stage.eventually;
import static io.glyphgate.proxy.boot.Stage.json;
import static io.glyphgate.proxy.boot.Stage.pool;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.proxy.simulator.SimulatedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are too large in any of their parts, over raw sockets: one answer in our shape, and nothing stays open. */
class HeadLimitsTest {
    private static final String CLOSE = "Connection: close\r\n";

    @TempDir
    private Path folder;

    private Stage stage;
    private SimulatedServer server;
    private Proxy proxy;

    @BeforeEach
    void start() {
        stage = new Stage(folder);
        server = stage.server(Stage.tokensOnly());
        proxy = stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0, max-body: 10KiB, max-request-line: 200B, max-headers: 2KiB, max-header-count: 10 }
                models: { m: {} }
                pools:
                  %s
                """.formatted(pool("bulk", "none", server.uri())));
    }

    @AfterEach
    void nothingStaysOpen() {
        eventually("the connections are closed", () -> proxy.connections() == 0 && proxy.inFlight() == 0);
        stage.close();
    }

    /** Sends bytes, says that there are no more, and reads all that is answered. */
    private String answers(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
            socket.setSoTimeout((int) Stage.LIMIT.toMillis());
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    private static void refused(String answer, int status, String slug, String text) {
        assertThat(answer).startsWith("HTTP/1.1 " + status + " ");
        assertThat(answer).containsOnlyOnce("HTTP/1.1 ").containsIgnoringCase("X-Glyphgate-Error: " + slug);
        String body = answer.substring(answer.indexOf("\r\n\r\n") + 4);
        assertThat(json(body).at("/error/code").asInt()).isEqualTo(status);
        assertThat(json(body).at("/error/message").asText()).contains(text);
    }

    private static String request(String path, String headers) {
        String body = body("");
        return "POST " + path + " HTTP/1.1\r\nHost: x\r\n" + headers + "Content-Length: " + body.length() + "\r\n\r\n" + body;
    }

    @Test
    void aRequestWithinTheLimitsIsServed() throws Exception {
        String fits = request(Stage.GENERATE + "?q=" + "a".repeat(150),
                CLOSE + "X-Large: " + "b".repeat(1800) + "\r\n" + "X-Many: 1\r\n".repeat(6));
        assertThat(answers(fits)).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void aRequestLineThatIsTooLong() throws Exception {
        refused(answers(request(Stage.GENERATE + "?q=" + "a".repeat(300), "")), 414, "request-line-too-long",
                "200 bytes (server.max-request-line)");
        refused(answers("a".repeat(5000)), 414, "request-line-too-long", "200 bytes");
    }

    @Test
    void headersThatAreTooLarge() throws Exception {
        String large = "X-Large: " + "b".repeat(3000) + "\r\n";
        refused(answers(request(Stage.GENERATE, CLOSE + large)), 431, "headers-too-large", "2048 bytes together (server.max-headers)");
        String same = ("X-A: " + "b".repeat(900) + "\r\n").repeat(3);
        refused(answers(request(Stage.GENERATE, CLOSE + same)), 431, "headers-too-large", "2048 bytes together");
        assertThat(answers("GET /metrics HTTP/1.1\r\nHost: x\r\n" + CLOSE + "\r\n")).contains("glyphgate_refusals_total{slug=\"headers-too-large\"} 2.0");
    }

    @Test
    void headersWithoutAnEndAreNotReadToTheirEnd() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
            socket.setSoTimeout((int) Stage.LIMIT.toMillis());
            byte[] piece = "b".repeat(1000).getBytes(StandardCharsets.ISO_8859_1);
            socket.getOutputStream().write("GET / HTTP/1.1\r\nX-Large: ".getBytes(StandardCharsets.ISO_8859_1));
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 100_000; i++) {
                            socket.getOutputStream().write(piece);
                        }
                    })
                    .isInstanceOf(SocketException.class); // the proxy has closed the connection
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-Same", "X-Other-%d"})
    void tooManyHeaders(String name) throws Exception {
        StringBuilder headers = new StringBuilder(CLOSE);
        for (int i = 0; i < 8; i++) {
            headers.append(name.formatted(i)).append(": 1\r\n");
        }
        refused(answers(request(Stage.GENERATE, headers.toString())), 431, "headers-too-large",
                "more than the 10 headers that it may have (server.max-header-count)");
    }

    @Test
    void aBodyThatIsTooLargeIsRefusedOnceHoweverItIsSent() throws Exception {
        String large = "{" + " ".repeat(20_000) + "}";
        refused(answers("POST " + Stage.GENERATE + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + large.length() + "\r\n\r\n" + large),
                413, "body-too-large", "10240 bytes (server.max-body)");
        refused(answers("POST " + Stage.GENERATE + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + Integer.toHexString(large.length()) + "\r\n" + large + "\r\n0\r\n\r\n"),
                413, "body-too-large", "10240 bytes (server.max-body)");
        assertThat(server.requests()).isEmpty();
    }
}
