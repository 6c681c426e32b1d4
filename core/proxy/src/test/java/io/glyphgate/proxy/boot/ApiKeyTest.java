package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static io.glyphgate.proxy.boot.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.proxy.config.ConfigException;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys of clients at the doors, and the key of the servers behind. */
class ApiKeyTest {
    private static final String POST = "POST /inference/v1/generate HTTP/1.1\r\nHost: x\r\n";
    private static final String KEY = "Authorization: Bearer sk-alice\r\n";

    @TempDir
    private Path folder;

    private Stage stage;
    private SimulatedServer server;
    private Proxy proxy;

    @BeforeEach
    void start() throws IOException {
        stage = new Stage(folder);
        server = stage.server(Stage.tokensOnly());
        server.direct(request -> Script.tokens(Stage.encode("short")));
        Files.writeString(folder.resolve("keys"), "# clients\nsk-alice alice\nsk-nobody\n");
        Files.writeString(folder.resolve("upstream-key"), "sk-upstream\n");
        proxy = stage.proxyOf(config("keys", "upstream-key"));
    }

    private String config(String keys, String upstreamKey) {
        return """
                server: { host: 127.0.0.1, port: 0, drain: 1s, api-key-file: %s }
                models: { m: { vocabulary-size: 200000 } }
                pools:
                  p:
                    model: m
                    tokenizer: none
                    endpoints: [ %s ]
                    api-key-file: %s
                """
                .formatted(keys, server.uri(), upstreamKey);
    }

    @AfterEach
    void stop() {
        stage.close();
    }

    private int ask(String authorization) {
        try {
            return stage.post(body(""), "Authorization", authorization).statusCode();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer sk-alice", "bearer sk-nobody", "BEARER  sk-alice "})
    void aKeyOpensTheDoors(String authorization) {
        assertThat(ask(authorization)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Bearer sk-alic", "Bearer sk-alicee", "Bearer SK-ALICE", "Bearer alice", "Bearer", "Bearer  ", "sk-alice",
                "Basic sk-alice", "Bearersk-alice", "Bearer sk-alice, Bearer sk-alice", "Bearer # clients", "Bearer sk-upstream"})
    void anythingElseDoesNot(String authorization) throws Exception {
        HttpResponse<String> answer = stage.post(body(""), "Authorization", authorization);
        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.body()).isEqualTo("{\"error\":\"Unauthorized\"}"); // as vLLM 0.33 says it
        assertThat(answer.headers().firstValue("WWW-Authenticate")).hasValue("Bearer");
        assertThat(answer.headers().firstValue("X-Glyphgate-Error")).hasValue("unauthorized");
        assertThat(server.requests()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /health, 200", "GET, /ready, 200", "GET, /liveness, 200", "GET, /readiness, 200", "HEAD, /health, 200",
        "GET, /metrics, 401", "GET, /v1/models, 401", "GET, /openapi.json, 401", "GET, /tokenizer_info, 401",
        "GET, /v1/info, 401", "POST, /tokenize, 401", "POST, /abort_requests, 401", "POST, /inference/v1/generate, 401",
        "GET, /no/such/door, 401", "OPTIONS, /v1/models, 401", "GET, /health/, 401", "POST, /health, 405",
    })
    void whatNeedsNoKeyIsWhatAsksWhetherTheProxyLives(String method, String path, int status) throws Exception {
        try (RawConnection connection = new RawConnection(proxy.port())) {
            String answer = connection.send(method + " " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").readToEnd();
            assertThat(answer).startsWith("HTTP/1.1 " + status + " ");
        }
    }

    @Test
    void aRequestIsRefusedBeforeItsBodyHasCome() throws Exception {
        try (RawConnection connection = new RawConnection(proxy.port())) {
            String answer = connection
                    .send(POST + "Expect: 100-continue\r\nContent-Length: 1000000\r\n\r\n")
                    .readToEnd();
            assertThat(answer).startsWith("HTTP/1.1 401 ").doesNotContain("100 Continue");
        }
        try (RawConnection connection = new RawConnection(proxy.port())) {
            String answer = connection
                    .send(POST + "Content-Length: 1000000\r\n\r\n{")
                    .readUntil("Unauthorized\"}");
            assertThat(answer).startsWith("HTTP/1.1 401 ").containsIgnoringCase("connection: close");
        }
    }

    @Test
    void theBodyOfARefusedRequestIsNotTheNextRequest() throws Exception {
        String inner = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
        try (RawConnection connection = new RawConnection(proxy.port())) {
            String answer = connection
                    .send("POST /inference/v1/generate HTTP/1.1\r\nHost: x\r\nContent-Length: " + inner.length() + "\r\n\r\n"
                            + inner + inner)
                    .readToEnd();
            assertThat(answer.split("HTTP/1\\.1 ", -1)).as(answer).hasSize(2);
        }
    }

    @Test
    void twoKeysAreNone() throws Exception {
        try (RawConnection connection = new RawConnection(proxy.port())) {
            String answer = connection
                    .send("GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + KEY + KEY + "\r\n")
                    .readToEnd();
            assertThat(answer).startsWith("HTTP/1.1 401 ");
        }
    }

    @Test
    void theFileIsReadAgainAndABadOneChangesNothing() throws Exception {
        Path keys = folder.resolve("keys");
        Files.writeString(keys, "sk-bob bob\n");
        eventually("the new key opens", () -> ask("Bearer sk-bob") == 200);
        assertThat(ask("Bearer sk-alice")).isEqualTo(401);
        for (String bad : new String[] {"# nobody\n", "", "a b c d\n"}) {
            double refused = refusedReads();
            Files.writeString(keys, bad);
            eventually("the file was refused", () -> refusedReads() > refused);
            assertThat(ask("Bearer sk-bob")).isEqualTo(200);
        }
        double refused = refusedReads();
        Files.delete(keys);
        eventually("the missing file was seen", () -> refusedReads() > refused);
        assertThat(ask("Bearer sk-bob")).isEqualTo(200);
        Files.writeString(keys, "sk-carol\n");
        eventually("the next key opens", () -> ask("Bearer sk-carol") == 200);
        assertThat(ask("Bearer sk-bob")).isEqualTo(401);
    }

    private double refusedReads() {
        return metric("glyphgate_secret_reads_total{result=\"refused\",secret=\"api-keys\"}");
    }

    private double metric(String series) {
        try (RawConnection connection = new RawConnection(proxy.port())) {
            String key = Files.exists(folder.resolve("keys")) && Files.readString(folder.resolve("keys")).contains("alice")
                    ? "sk-alice"
                    : "sk-bob";
            return connection
                    .send("GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer " + key + "\r\n\r\n")
                    .readToEnd()
                    .lines()
                    .filter(line -> line.startsWith(series + " "))
                    .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void requestsAreCountedByTheNameOfTheirKey() {
        ask("Bearer sk-alice");
        ask("Bearer sk-nobody");
        ask("Bearer sk-alice");
        assertThat(metric("glyphgate_requests_by_key_total{key=\"alice\"}")).isEqualTo(3); // the look at the meters is one
        assertThat(metric("glyphgate_refusals_total{slug=\"unauthorized\"}")).isZero();
        ask("Bearer x");
        assertThat(metric("glyphgate_refusals_total{slug=\"unauthorized\"}")).isEqualTo(1);
    }

    @Test
    void serversGetTheirKeyAndNotTheClients() throws Exception {
        assertThat(ask("Bearer sk-alice")).isEqualTo(200);
        stage.post(stage.uri(), "/abort_requests", "{\"request_ids\":[\"unknown\"]}", "Authorization", "Bearer sk-alice");
        assertThat(server.requests()).hasSizeGreaterThanOrEqualTo(2).allSatisfy(request -> assertThat(request.headers())
                .containsEntry("Authorization", "Bearer sk-upstream"));
    }

    @ParameterizedTest
    @CsvSource({
        "no-such-file, upstream-key, server.api-key-file: 'no-such-file' cannot be used: there is no file",
        "empty, upstream-key, server.api-key-file: 'empty' cannot be used: there is no key in it",
        "keys, no-such-file, pools.p.api-key-file: 'no-such-file' cannot be used: there is no file",
        "keys, empty, pools.p.api-key-file: 'empty' cannot be used: there is no key in it",
        "keys, keys, pools.p.api-key-file: 'keys' cannot be used: there must be one key in it",
    })
    void aFileThatSaysNothingStopsTheStart(String keys, String upstreamKey, String said) throws Exception {
        Files.writeString(folder.resolve("empty"), "\n# nothing\n");
        assertThatThrownBy(() -> stage.proxyOf(config(keys, upstreamKey)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(said);
    }
}
