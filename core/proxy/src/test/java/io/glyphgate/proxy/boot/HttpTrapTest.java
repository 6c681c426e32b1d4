package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static io.glyphgate.proxy.boot.Stage.encode;
import static io.glyphgate.proxy.boot.Stage.eventually;
import static io.glyphgate.proxy.boot.Stage.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.simulator.Fault;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.proxy.soak.BareClient;
import io.glyphgate.proxy.soak.BareClient.Answer;
import io.glyphgate.proxy.soak.BareClient.End;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the HTTP library does wrong is not seen by clients: a test for each trap that no other test has. */
class HttpTrapTest {
    private static final Logger HELIDON = Logger.getLogger("io.helidon");
    private static final Pattern NAMED = Pattern.compile("`((?:\\w+\\.)?\\w+Test)\\.(\\w+)`");

    @TempDir
    private Path folder;

    private final List<LogRecord> warnings = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
                warnings.add(record);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private Stage stage;
    private SimulatedServer server;
    private Proxy proxy;

    @BeforeEach
    void start() {
        HELIDON.addHandler(handler);
        stage = new Stage(folder);
        server = stage.server(Stage.tokensOnly());
        proxy = stage.proxy(pool("bulk", "none", server.uri()));
    }

    @AfterEach
    void stop() {
        stage.close();
        HELIDON.removeHandler(handler);
        assertThat(warnings).extracting(LogRecord::getMessage).isEmpty();
    }

    private BareClient client() throws IOException {
        return new BareClient(stage.uri(), Stage.LIMIT);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET /health", "GET /v1/models", "GET /nowhere", "PUT /health"})
    void theConnectionEndsWhenTheClientAsksForIt(String line) throws Exception {
        try (BareClient client = client()) {
            client.send(ascii(line + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
            assertThat(client.answer().end()).isEqualTo(End.WHOLE);
            assertThat(client.ends()).isTrue();
        }
        try (BareClient client = client()) {
            client.send(BareClient.post(Stage.GENERATE, body("\"stream\":true", "{\"max_tokens\":3}"), "Connection: close"));
            assertThat(client.answer().end()).isEqualTo(End.WHOLE);
            assertThat(client.ends()).isTrue();
        }
    }

    @Test
    void aStoppedProxyIsForgotten() throws Exception {
        WeakReference<Proxy> stopped = stopped();
        eventually("nothing holds it", () -> {
            System.gc();
            return stopped.get() == null;
        });
    }

    private WeakReference<Proxy> stopped() throws IOException, InterruptedException {
        Stage other = new Stage(folder);
        Proxy served = other.proxy(pool("bulk", "none", server.uri()));
        assertThat(other.get("/health").statusCode()).isEqualTo(200);
        other.close();
        return new WeakReference<>(served);
    }

    @Test
    void anEmptyAnswerIsAnAnswer() throws Exception {
        try (BareClient client = client()) {
            for (int i = 0; i < 3; i++) {
                client.send(BareClient.post("/abort_requests", "{\"request_ids\":[\"r\"]}"));
                Answer answer = client.answer();
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.end()).isEqualTo(End.WHOLE);
                assertThat(answer.body()).isEmpty();
            }
        }
    }

    @Test
    void aClientThatLeavesInTheMiddleIsNoWarning() throws Exception {
        for (String fault : List.of("stall@1", "stall@1=300ms")) {
            server.direct(request -> Script.tokens(encode("one two three four")).failing(Fault.parse(fault)));
            try (BareClient client = client()) {
                client.send(BareClient.post(Stage.GENERATE, body("\"stream\":true")));
                assertThat(client.reads("data: ")).isTrue();
            }
            eventually("it is over", () -> proxy.inFlight() == 0 && proxy.connections() == 0);
        }
    }

    @Test
    void aClientThatLeavesInItsHeadIsNoWarning() throws Exception {
        for (int sent : new int[] {1, 10, 40, 80}) {
            try (BareClient client = client()) {
                client.send(BareClient.post(Stage.GENERATE, body("")), 0, sent);
                client.halfClose();
                assertThat(client.ends()).isTrue();
            }
        }
        eventually("all are gone", () -> proxy.connections() == 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"G\u00c4T /health", "\u0000\u0001 /", "G{T /health", "(GET) /health"})
    void anIllegalByteInTheMethodIsTheClientsFault(String line) throws Exception {
        try (BareClient client = client()) {
            client.send(ascii(line + " HTTP/1.1\r\nHost: x\r\n\r\n"));
            Answer answer = client.answer();
            assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
            assertThat(answer.header("X-Glyphgate-Error")).isEqualTo("bad-request");
            assertThat(client.ends()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBodyThatIsTooLargeGetsOneAnswer(boolean chunked) throws Exception {
        byte[] piece = new byte[1 << 16];
        try (BareClient client = client()) {
            client.send(ascii("POST " + Stage.GENERATE + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                    + (chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + 20 * piece.length) + "\r\n\r\n"));
            for (int i = 0; i < 20; i++) {
                client.send(chunked ? ascii(Integer.toHexString(piece.length) + "\r\n") : new byte[0])
                        .send(piece)
                        .send(chunked ? ascii("\r\n") : new byte[0]);
            }
            client.send(chunked ? ascii("0\r\n\r\n") : new byte[0]);
            Answer answer = client.answer();
            assertThat(answer.status()).isEqualTo(413);
            assertThat(answer.header("X-Glyphgate-Error")).isEqualTo("body-too-large");
            assertThat(client.answer().end()).as("a second answer").isEqualTo(End.NOTHING);
        }
    }

    @Test
    void aConnectionThatNeverSentAByteDoesNotHoldUpTheStop() throws Exception {
        try (BareClient silent = client()) {
            assertThat(stage.get("/health").statusCode()).isEqualTo(200); // so the one before it is accepted
            long start = System.nanoTime();
            proxy.close();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4)); // the drain limit is 5 s
            assertThat(silent.ends()).isTrue();
        }
    }

    @Test
    void aStreamThatRunsMayEndBeforeTheStop() throws Exception {
        server.direct(request -> Script.tokens(encode("one two three")).failing(Fault.parse("stall@1=1500ms")));
        try (BareClient client = client()) {
            client.send(BareClient.post(Stage.GENERATE, body("\"stream\":true")));
            server.await("the request has arrived", Stage.LIMIT, () -> server.activeRequests() == 1);
            CompletableFuture<Void> stopped = CompletableFuture.runAsync(proxy::close);
            Answer answer = client.answer();
            assertThat(answer.end()).isEqualTo(End.WHOLE);
            assertThat(answer.body()).doesNotContain("error").endsWith("data: [DONE]\n\n").contains("\"finish_reason\":\"stop\"");
            stopped.get();
        }
    }

    @Test
    void http10IsRefused() throws Exception {
        try (BareClient client = client()) {
            client.send(ascii("GET /health HTTP/1.0\r\n\r\n"));
            Answer answer = client.answer();
            assertThat(answer.status()).isEqualTo(505);
            assertThat(answer.header("X-Glyphgate-Error")).isEqualTo("http-version");
            assertThat(client.ends()).isTrue();
        }
    }

    /** The page says which test guards which trap; each of them must be there. */
    @Test
    void thePageNamesTestsThatAreThere() throws Exception {
        Matcher named = NAMED.matcher(Files.readString(ReliabilityPage.PAGE));
        int found = 0;
        while (named.find()) {
            found++;
            Class<?> test = Class.forName("io.glyphgate.proxy." + (named.group(1).contains(".") ? "" : "boot.") + named.group(1));
            assertThat(test.getDeclaredMethods()).extracting("name").as(named.group()).contains(named.group(2));
        }
        assertThat(found).isGreaterThan(10);
    }
}
