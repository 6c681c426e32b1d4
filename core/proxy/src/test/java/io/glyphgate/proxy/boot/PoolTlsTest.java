package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static io.glyphgate.proxy.boot.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.proxy.config.ConfigException;
import io.glyphgate.proxy.secure.Certificates;
import io.glyphgate.proxy.simulator.Fault;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.CompletableFuture;
import java.net.InetSocketAddress;
import java.net.InetAddress;
import java.io.UncheckedIOException;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers that are reached over TLS. */
class PoolTlsTest {
    @TempDir
    private static Path shared;

    private static Certificates certificates;

    @TempDir
    private Path folder;

    private Stage stage;
    private SimulatedServer server;

    @BeforeAll
    static void certificates() throws Exception {
        certificates = new Certificates(shared)
                .issue("address", "RSA", "ip:127.0.0.1")
                .issue("named", "EC", "dns:decode.internal")
                .issue("proxy", "EC", "dns:proxy");
    }

    @BeforeEach
    void start() {
        stage = new Stage(folder);
        server = stage.server(Stage.tokensOnly());
        server.direct(request -> Script.tokens(Stage.encode("short")));
    }

    @AfterEach
    void stop() {
        stage.close();
    }

    private TlsFront front(String certificate, boolean needsClient) throws IOException {
        return new TlsFront(certificates.context(Optional.of(certificate)), needsClient, server.port());
    }

    private Proxy proxy(TlsFront front, String tls) {
        return stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0, drain: 1s }
                models: { m: { vocabulary-size: 200000 } }
                upstream: { tokenizer-mismatch: ignore }
                pools:
                  p: { model: m, tokenizer: none, endpoints: [ %s ], tls: { %s } }
                """.formatted(front.uri(), tls.replaceAll("(\\S+\\.(?:pem|key))", shared + "/$1")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock = """
            address | ca: ca.pem
            named   | ca: ca.pem, server-name: decode.internal
            named   | ca: ca.pem, verify-host: false
            """)
    void serversWithACertificateOfATrustedIssuerAreAsked(String certificate, String tls) throws Exception {
        try (TlsFront front = front(certificate, false)) {
            Proxy proxy = proxy(front, tls);
            for (int i = 0; i < 3; i++) {
                HttpResponse<String> answer = stage.post(body("\"stream\":true"));
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
                assertThat(answer.body()).endsWith("data: [DONE]\n\n");
                eventually("it has ended", () -> proxy.inFlight() == 0 && proxy.watched() == 0 && proxy.idleConnections() > 0);
            }
            assertThat(front.connections()).isEqualTo(1); // one connection, used again
            if (tls.contains("server-name")) {
                assertThat(front.names()).containsOnly("decode.internal");
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock = """
            named   | ca: ca.pem
            address | ca: ca.pem, server-name: other.internal
            address | verify-host: true
            """)
    void otherServersAreNotAskedAndTheClientHearsNothingOfIt(String certificate, String tls) throws Exception {
        try (TlsFront front = front(certificate, false)) {
            proxy(front, tls);
            HttpResponse<String> answer = stage.post(body(""));
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(answer.body()).doesNotContain("127.0.0.1", "certif", "PKIX", "SSL", "javax");
            assertThat(server.requests()).isEmpty();
            eventually("no connection is open", () -> front.connections() == 0);
        }
    }

    /** Closing TLS would wait for the write that waits for the server. */
    @Test
    void aServerThatReadsNothingIsGivenUp() throws Exception {
        SSLContext context = certificates.context(Optional.of("address"));
        try (SSLServerSocket listener = (SSLServerSocket) context.getServerSocketFactory().createServerSocket()) {
            listener.setReceiveBufferSize(4 << 10);
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            CompletableFuture<SSLSocket> shaken = CompletableFuture.supplyAsync(() -> {
                try {
                    SSLSocket socket = (SSLSocket) listener.accept();
                    socket.startHandshake();
                    return socket;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            Proxy proxy = stage.proxyOf("""
                    server: { host: 127.0.0.1, port: 0, drain: 1s }
                    models: { m: { vocabulary-size: 200000 } }
                    upstream: { tokenizer-mismatch: ignore, first-byte: 1s }
                    pools:
                      p: { model: m, tokenizer: none, endpoints: [ https://127.0.0.1:%d ], tls: { ca: %s/ca.pem } }
                    """.formatted(listener.getLocalPort(), shared));

            HttpResponse<String> answer = stage.post(body("\"more\":\"" + "x".repeat(6 << 20) + "\""));

            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(504);
            assertThat(answer.headers().firstValue("X-Glyphgate-Error")).contains("upstream-timeout");
            eventually("nothing is in flight", () -> proxy.inFlight() == 0 && proxy.running() == 0 && proxy.watched() == 0);
            shaken.get(Stage.LIMIT.toSeconds(), TimeUnit.SECONDS).close();
        }
    }

    @Test
    void serversThatWantACertificateGetOne() throws Exception {
        try (TlsFront front = front("address", true)) {
            proxy(front, "ca: ca.pem, certificate-chain: proxy.pem, private-key: proxy.key");
            assertThat(stage.post(body("")).statusCode()).isEqualTo(200);
            assertThat(front.clients()).containsOnly("CN=proxy");
        }
        try (TlsFront front = front("address", true)) {
            proxy(front, "ca: ca.pem");
            assertThat(stage.post(body("")).statusCode()).isBetween(502, 503);
        }
    }

    @Test
    void aClientThatLeavesEndsTheRequestBehindTls() throws Exception {
        try (TlsFront front = front("address", false)) {
            Proxy proxy = proxy(front, "ca: ca.pem");
            server.direct(request -> Script.faults(Fault.parse("stall").toArray(Fault[]::new)));
            try (Socket client = stage.open(body("\"stream\":true"))) {
                server.await("the request has arrived", Stage.LIMIT, () -> server.activeRequests() == 1);
                assertThat(client.isConnected()).isTrue();
            }
            server.await("the request is aborted", Stage.LIMIT, () -> !server.abortedRequestIds().isEmpty());
            eventually("nothing stays open", () -> proxy.inFlight() == 0 && proxy.watched() == 0 && front.connections() == 0);
        }
    }

    @Test
    void poolsThatReachOneServerInDifferentWaysShareNoConnection() throws Exception {
        try (TlsFront front = front("address", true)) {
            stage.proxyOf("""
                    server: { host: 127.0.0.1, port: 0, drain: 1s }
                    models: { m: { vocabulary-size: 200000 } }
                    upstream: { tokenizer-mismatch: ignore }
                    pools:
                      with:
                        model: m
                        tokenizer: none
                        endpoints: [ %1$s ]
                        tls: { ca: %2$s/ca.pem, certificate-chain: %2$s/proxy.pem, private-key: %2$s/proxy.key }
                      without: { model: m, tokenizer: none, endpoints: [ %1$s ], tls: { ca: %2$s/ca.pem } }
                    """.formatted(front.uri(), shared));
            assertThat(stage.post(body(""), "X-Glyphgate-Pool", "with").statusCode()).isEqualTo(200);
            assertThat(stage.post(body(""), "X-Glyphgate-Pool", "without").statusCode()).isBetween(502, 503);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock = """
            ca: none.pem                                       | pools.p.tls.ca: '
            ca: address.key                                    | there is no certificate in it
            certificate-chain: proxy.pem                       | give certificate-chain and private-key, or neither
            certificate-chain: proxy.pem, private-key: ca.key  | the key in it is no EC key
            """)
    void whatWouldFailAtTheFirstHandshakeStopsTheStart(String tls, String said) throws Exception {
        try (TlsFront front = front("address", false)) {
            assertThatThrownBy(() -> proxy(front, tls))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("glyphgate.yaml:5: pools.p.tls")
                    .hasMessageContaining(said);
        }
    }
}
