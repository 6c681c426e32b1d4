package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.eventually;
import static io.glyphgate.proxy.boot.Stage.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.simulator.SimulatedServer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests that another proxy may read in another way, over raw sockets: each gets one answer that refuses it, then the
 * connection is closed, and nothing behind it is taken for a request. In the tables, {@code |} ends a line with CR LF.
 */
class HostileRequestTest {
    private static final String POST =
            "POST /inference/v1/generate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    private static final String SMUGGLED = "GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n";

    @TempDir
    private Path folder;

    private Stage stage;
    private SimulatedServer server;
    private Proxy proxy;

    @BeforeEach
    void start() {
        stage = new Stage(folder);
        server = stage.server(Stage.tokensOnly());
        proxy = stage.proxy(pool("bulk", "none", server.uri()));
    }

    @AfterEach
    void nothingStaysOpen() {
        eventually("nothing is in flight", () -> proxy.inFlight() == 0 && proxy.connections() == 0);
        assertThat(server.requests()).noneMatch(request -> request.path().equals(Stage.GENERATE));
        stage.close();
    }

    private static String unescape(String text) {
        return text.replace("|", "\r\n").replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t").replace("\\0", "\0");
    }

    /** What comes back for a request with another one behind it. */
    private String answers(String request) throws Exception {
        try (RawConnection connection = new RawConnection(proxy.port())) {
            return connection.send(request + SMUGGLED).readToEnd();
        }
    }

    private static void assertRefused(String answers) {
        assertThat(answers).startsWith("HTTP/1.1 400 ").containsIgnoringCase("connection: close");
        assertThat(answers.split("HTTP/1\\.1 ", -1)).as(answers).hasSize(2);
        assertThat(answers).doesNotContain("\"object\":\"list\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // lengths
                "Content-Length: 3|Content-Length: 3||{ }",
                "Content-Length: 3|Content-Length: 4||{ }",
                "Content-Length: 3, 3||{ }",
                "Content-Length: +3||{ }",
                "Content-Length: -3||{ }",
                "Content-Length: 0x3||{ }",
                "Content-Length: 3 3||{ }",
                "Content-Length: ||{ }",
                "Content-Length: two||{ }",
                "Content-Length: 99999999999999999999||{ }",
                // both, and obscured encodings
                "Content-Length: 3|Transfer-Encoding: chunked||3|{ }|0||",
                "Transfer-Encoding: chunked|Content-Length: 3||3|{ }|0||",
                "Transfer-Encoding: chunked, identity||3|{ }|0||",
                "Transfer-Encoding: identity, chunked||3|{ }|0||",
                "Transfer-Encoding: identity||3|{ }|0||",
                "Transfer-Encoding: gzip, chunked||3|{ }|0||",
                "Transfer-Encoding: chunked|Transfer-Encoding: chunked||3|{ }|0||",
                "Transfer-Encoding: chunked|Transfer-Encoding: identity||3|{ }|0||",
                "Transfer-Encoding: xchunked||3|{ }|0||",
                "Transfer-Encoding: \"chunked\"||3|{ }|0||",
                "Transfer-Encoding: chunked\\t,||3|{ }|0||",
                "Transfer-Encoding:||3|{ }|0||",
                "Transfer-Encoding : chunked||3|{ }|0||",
                "Transfer-Encoding\\t: chunked||3|{ }|0||",
                "Transfer-Encoding: chun\\0ked||3|{ }|0||",
                "Transfer-Encoding:\\n chunked||3|{ }|0||",
                "Transfer-Encoding:| chunked||3|{ }|0||",
                " Transfer-Encoding: chunked||3|{ }|0||",
                "Transfer_Encoding@x y: chunked|Content-Length: 3||{ }",
                // lines
                "Content-Length : 3||{ }",
                "Content-Length: 3\\nX: y||{ }",
                "Content-Length: 3\\n\\n{ }",
                "X: y\\r|Content-Length: 3||{ }",
                "X: a| b|Content-Length: 3||{ }",
                "no colon|Content-Length: 3||{ }",
                ": no name|Content-Length: 3||{ }",
                "Host: y|Content-Length: 3||{ }",
                // chunks
                "Transfer-Encoding: chunked||3;ext=1|{ }|0||",
                "Transfer-Encoding: chunked||0x3|{ }|0||",
                "Transfer-Encoding: chunked||+3|{ }|0||",
                "Transfer-Encoding: chunked||-3|{ }|0||",
                "Transfer-Encoding: chunked|| 3|{ }|0||",
                "Transfer-Encoding: chunked||3 |{ }|0||",
                "Transfer-Encoding: chunked||zz|{ }|0||",
                "Transfer-Encoding: chunked|||{ }|0||",
                "Transfer-Encoding: chunked||100000003|{ }|0||",
                "Transfer-Encoding: chunked||fffffffffffffffff3|{ }|0||",
                "Transfer-Encoding: chunked||3\\n{ }|0||",
                "Transfer-Encoding: chunked||3|{ }xx0||",
                "Transfer-Encoding: chunked||3|{ }\\n0||",
                "Transfer-Encoding: chunked||3|{ }0||",
                "Transfer-Encoding: chunked||3|{ }|0|X-Trailer: 1||",
                "Transfer-Encoding: chunked||3|{ }|0\\n\\n",
            })
    void bodiesWhoseEndTwoReadersMaySeeInTwoPlaces(String rest) throws Exception {
        String request = POST
                + unescape(rest);
        assertRefused(answers(request));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /v1/models HTTP/1.1||",
                "GET /v1/models HTTP/1.1|Host: x|Host: x||",
                "GET /v1/models HTTP/1.1|Host: a b||",
                "GET /v1/models HTTP/1.1|Host: ||",
                "GET http://x/v1/models HTTP/1.1|Host: x||",
                "GET x:80 HTTP/1.1|Host: x||",
                "OPTIONS * HTTP/1.1|Host: x||",
                "GET //v1/models HTTP/1.1|Host: x||",
                "GET /v1//models HTTP/1.1|Host: x||",
                "GET /v1/../v1/models HTTP/1.1|Host: x||",
                "GET /./v1/models HTTP/1.1|Host: x||",
                "GET /v1/%2e%2e/v1/models HTTP/1.1|Host: x||",
                "GET /v1%2fmodels HTTP/1.1|Host: x||",
                "GET /v1%2Fmodels HTTP/1.1|Host: x||",
                "GET /v1%5cmodels HTTP/1.1|Host: x||",
                "GET /v1\\\\models HTTP/1.1|Host: x||",
                "GET /v1/models%00 HTTP/1.1|Host: x||",
                "GET /v1/models%0d%0aX:y HTTP/1.1|Host: x||",
                "GET /v1/models%252f HTTP/1.1|Host: x||",
                "GET /v1/models%zz HTTP/1.1|Host: x||",
                "GET /v1/models\\0 HTTP/1.1|Host: x||",
                "GET /v1/models#x HTTP/1.1|Host: x||",
                "GET /v1/models x HTTP/1.1|Host: x||",
                "GET /v1/models HTTP/1.1 |Host: x||",
                "GET /v1/models HTTP/2.0|Host: x||",
                "GET /v1/models http/1.1|Host: x||",
                "GET /v1/models|Host: x||",
                "GET  /v1/models HTTP/1.1|Host: x||",
                "GET /v1/models HTTP/1.1\\nHost: x||",
                "G\\0ET /v1/models HTTP/1.1|Host: x||",
                "GET /v1/models HTTP/1.1|Host: x|X-Request-Id: a\\rb||",
                "GET /v1/models HTTP/1.1|Host: x|X-Request-Id: a\\0b||",
                "GET /v1/models HTTP/1.1|Host: x|X-Request-Id: a|X-Request-Id: b||",
                "GET /v1/models HTTP/1.1|Host: x|X-Request-Id: é||",
                "GET /v1/models HTTP/1.1|Host: x|traceparent: a\\nX-Evil: b||",
                "GET /v1/models HTTP/1.1|Host: x|tracestate: a\\0||",
            })
    void targetsAndHeadersThatAreNone(String request) throws Exception {
        assertRefused(answers(unescape(request)));
    }

    @Test
    void aSemicolonAddsNothingToAPath() throws Exception {
        assertRefused(answers("GET /health;x/v1/models HTTP/1.1\r\nHost: x\r\n\r\n"));
    }

    @Test
    void http10IsRefused() throws Exception {
        String answers = answers("GET /v1/models HTTP/1.0\r\nHost: x\r\n\r\n");
        assertThat(answers).startsWith("HTTP/1.1 505 ");
        assertThat(answers.split("HTTP/1\\.1 \\d", -1)).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({"9000000000, 413", "1073741824, 413"})
    void aLengthFarOverTheLimitIsRefusedBeforeTheBody(String length, int status) throws Exception {
        try (RawConnection connection = new RawConnection(proxy.port())) {
            String answer = connection
                    .send(POST + "Content-Length: " + length + "\r\n\r\n{")
                    .readToEnd();
            assertThat(answer).startsWith("HTTP/1.1 " + status).contains("body-too-large");
        }
    }

    @Test
    void aChunkFarOverTheLimitIsRefusedBeforeItIsRead() throws Exception {
        try (RawConnection connection = new RawConnection(proxy.port())) {
            String answer = connection
                    .send(POST
                            + "Transfer-Encoding: chunked\r\n\r\n7fffffff\r\n{")
                    .readToEnd();
            assertThat(answer).startsWith("HTTP/1.1 4");
            assertThat(answer.split("HTTP/1\\.1 ", -1)).hasSize(2);
        }
    }

    @Test
    void aSizeOfAChunkWithoutEndIsRefused() throws Exception {
        try (RawConnection connection = new RawConnection(proxy.port())) {
            String answer = connection
                    .send(POST
                            + "Transfer-Encoding: chunked\r\n\r\n000" + "0".repeat(100))
                    .readToEnd();
            assertThat(answer).startsWith("HTTP/1.1 400 ");
        }
    }

    @Test
    void ordinaryRequestsOnOneConnectionAreAnsweredOneByOne() throws Exception {
        try (RawConnection connection = new RawConnection(proxy.port())) {
            connection.send("POST /tokenize HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n");
            connection.send("Transfer-Encoding: Chunked\r\n\r\n0f\r\n{\"prompt\":\"abc\"\r\n1\r\n}\r\n0\r\n\r\n");
            connection.send("GET /v1/models?x=%2F..%2F HTTP/1.1\r\nHost: x:80\r\nX-Request-Id: a b\r\nConnection: close\r\n\r\n");
            String answers = connection.readToEnd();
            assertThat(answers.split("HTTP/1\\.1 200 ", -1)).as(answers).hasSize(3);
        }
    }
}
