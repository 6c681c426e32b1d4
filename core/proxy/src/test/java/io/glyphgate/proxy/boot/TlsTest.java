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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that come over TLS. */
class TlsTest {
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
                .issue("first", "RSA", "ip:127.0.0.1")
                .issue("second", "EC", "ip:127.0.0.1")
                .issue("client", "EC", "dns:client");
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

    private Proxy proxy(String certificate, String more) throws IOException {
        Files.copy(certificates.file(certificate + ".pem"), folder.resolve("server.pem"), StandardCopyOption.REPLACE_EXISTING);
        Files.copy(certificates.file(certificate + ".key"), folder.resolve("server.key"), StandardCopyOption.REPLACE_EXISTING);
        Files.copy(certificates.file("ca.pem"), folder.resolve("ca.pem"), StandardCopyOption.REPLACE_EXISTING);
        return proxyOf("certificate-chain: server.pem, private-key: server.key" + more);
    }

    private Proxy proxyOf(String tls) {
        return stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0, drain: 1s, tls: { %s } }
                models: { m: { vocabulary-size: 200000 } }
                upstream: { tokenizer-mismatch: ignore }
                pools:
                  p: { model: m, tokenizer: none, endpoints: [ %s ] }
                """.formatted(tls, server.uri()));
    }

    private static SSLSocket connect(Proxy proxy, Optional<String> shown) throws IOException {
        Socket plain = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
        plain.setSoTimeout((int) Stage.LIMIT.toMillis());
        SSLSocket socket = (SSLSocket) certificates
                .context(shown)
                .getSocketFactory()
                .createSocket(plain, "127.0.0.1", proxy.port(), true);
        var parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private static String generate(String body) {
        return "POST /inference/v1/generate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
                + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body;
    }

    @ParameterizedTest
    @ValueSource(strings = {"first", "second"})
    void requestsAndStreamsGoOverTls(String certificate) throws Exception {
        Proxy proxy = proxy(certificate, "");
        try (RawConnection connection = new RawConnection(connect(proxy, Optional.empty()))) {
            for (int i = 0; i < 3; i++) {
                String answer = connection.send(generate(body("\"stream\":true"))).readUntil("0\r\n\r\n");
                assertThat(answer).startsWith("HTTP/1.1 200 ").contains("data: [DONE]");
            }
        }
        eventually("the connection is closed", () -> proxy.connections() == 0);
    }

    @Test
    void aClientThatLeavesBeforeTheFirstTokenIsNoticed() throws Exception {
        Proxy proxy = proxy("first", "");
        server.direct(request -> Script.faults(Fault.parse("stall").toArray(Fault[]::new)));
        try (RawConnection connection = new RawConnection(connect(proxy, Optional.empty()))) {
            connection.send(generate(body("\"stream\":true")));
            server.await("the request has arrived", Stage.LIMIT, () -> server.activeRequests() == 1);
        }
        server.await("the request is aborted", Stage.LIMIT, () -> !server.abortedRequestIds().isEmpty());
        eventually("nothing stays open", () -> proxy.inFlight() == 0 && proxy.connections() == 0 && proxy.watched() == 0);
    }

    @Test
    void aClientWhoseConnectionIsCutWithoutGoodbyeIsNoticed() throws Exception {
        Proxy proxy = proxy("first", "");
        server.direct(request -> Script.tokens(Stage.encode("one two three four")).failing(Fault.parse("stall@2")));
        Socket plain = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
        SSLSocket socket = (SSLSocket) certificates
                .context(Optional.empty())
                .getSocketFactory()
                .createSocket(plain, "127.0.0.1", proxy.port(), true);
        RawConnection connection = new RawConnection(socket);
        connection.send(generate(body("\"stream\":true"))).readUntil("data: ");
        plain.setSoLinger(true, 0);
        plain.close(); // a reset under the TLS connection
        server.await("the request is aborted", Stage.LIMIT, () -> !server.abortedRequestIds().isEmpty());
        eventually("nothing stays open", () -> proxy.inFlight() == 0 && proxy.connections() == 0 && proxy.watched() == 0);
    }

    @Test
    void aClientThatSpeaksPlainHttpGetsNothing() throws Exception {
        Proxy proxy = proxy("first", "");
        try (RawConnection connection = new RawConnection(proxy.port())) {
            assertThat(connection.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n").readToEnd()).doesNotContain("HTTP/1.1");
        }
        eventually("the connection is closed", () -> proxy.connections() == 0);
    }

    @Test
    void aClientThatMustShowACertificateAndDoesNotGetsNothing() throws Exception {
        Proxy proxy = proxy("first", ", client-ca: ca.pem, client-auth: required");
        try (RawConnection connection = new RawConnection(connect(proxy, Optional.of("client")))) {
            assertThat(connection.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n").readUntil("\r\n\r\n")).startsWith("HTTP/1.1 200 ");
        }
        assertThatThrownBy(() -> {
                    try (SSLSocket socket = connect(proxy, Optional.empty())) {
                        socket.getOutputStream().write("GET /health HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                        int first = socket.getInputStream().read();
                        assertThat(first).isEqualTo(-1);
                        throw new IOException("closed");
                    }
                })
                .isInstanceOf(IOException.class);
    }

    @Test
    void aCertificateThatIsOptionalMayBeMissing() throws Exception {
        Proxy proxy = proxy("first", ", client-ca: ca.pem, client-auth: optional");
        for (Optional<String> shown : List.of(Optional.<String>empty(), Optional.of("client"))) {
            try (RawConnection connection = new RawConnection(connect(proxy, shown))) {
                assertThat(connection.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n").readUntil("\r\n\r\n"))
                        .startsWith("HTTP/1.1 200 ");
            }
        }
    }

    @Test
    void aNewCertificateIsShownToNewConnectionsAndABadOneIsNot() throws Exception {
        Proxy proxy = proxy("first", "");
        assertThat(shownBy(proxy)).isEqualTo("CN=first");
        Files.writeString(folder.resolve("server.key"), "no key");
        Files.copy(certificates.file("second.pem"), folder.resolve("server.pem"), StandardCopyOption.REPLACE_EXISTING);
        eventually("the pair was refused", () -> shownBy(proxy).equals("CN=first") && refused(proxy) > 0);
        Files.copy(certificates.file("second.key"), folder.resolve("server.key"), StandardCopyOption.REPLACE_EXISTING);
        eventually("the new certificate is shown", () -> shownBy(proxy).equals("CN=second"));
    }

    private static String shownBy(Proxy proxy) {
        try (SSLSocket socket = connect(proxy, Optional.empty())) {
            return ((X509Certificate) socket.getSession().getPeerCertificates()[0]).getSubjectX500Principal().getName();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static double refused(Proxy proxy) {
        try (RawConnection connection = new RawConnection(connect(proxy, Optional.empty()))) {
            return connection
                            .send("GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                            .readToEnd()
                            .contains("result=\"refused\",secret=\"server-certificate\"")
                    ? 1
                    : 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock = """
            certificate-chain: first.pem, private-key: second.key                        | the key in it is no RSA key
            certificate-chain: first.pem, private-key: ca.key                            | the private key is not that of the certificate
            certificate-chain: none.pem, private-key: first.key                          | there is no file
            certificate-chain: first.pem, private-key: first.key, client-auth: required  | give server.tls.client-ca
            certificate-chain: first.pem, private-key: first.key, client-ca: first.key, client-auth: required | there is no certificate in it
            certificate-chain: first.pem, private-key: first.key, client-ca: ca.pem      | nothing asks clients for a certificate
            """)
    void whatWouldFailAtTheFirstHandshakeStopsTheStart(String tls, String said) {
        String placed = tls.replaceAll("(\\S+\\.(?:pem|key))", shared + "/$1");
        assertThatThrownBy(() -> proxyOf(placed))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("glyphgate.yaml:1: server.tls")
                .hasMessageContaining(said);
    }
}
