package io.glyphgate.proxy.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.config.ConfigReader;
import io.glyphgate.proxy.config.ExampleConfigs;
import io.glyphgate.proxy.secure.Certificates;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of a secured proxy starts, with files as it names them. */
class SecureExampleTest {
    @TempDir
    private Path folder;

    @Test
    void starts() throws Exception {
        Files.createDirectory(folder.resolve("tls"));
        Certificates certificates = new Certificates(folder.resolve("tls"))
                .issue("server", "RSA", "ip:127.0.0.1")
                .issue("proxy", "EC", "dns:proxy");
        Files.writeString(folder.resolve("client-keys"), "sk-client alice\n");
        Files.writeString(folder.resolve("admin-keys"), "sk-admin\n");
        Files.writeString(folder.resolve("upstream-key"), "sk-upstream\n");
        Path file = Files.copy(
                ExampleConfigs.root().resolve("config/examples/secure.yaml"), folder.resolve("secure.yaml"));
        Map<String, String> anyPort = Map.of(
                "GLYPHGATE_SERVER_PORT", "0", "GLYPHGATE_ADMIN_PORT", "0", "GLYPHGATE_UPSTREAM_TOKENIZER_MISMATCH", "ignore");
        try (Proxy proxy = new Proxy(Setup.of(ConfigReader.read(file, anyPort), Stage.REGISTRY))) {
            String request = "GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ";
            Socket plain = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
            try (RawConnection client = new RawConnection(certificates
                    .context(Optional.empty())
                    .getSocketFactory()
                    .createSocket(plain, "127.0.0.1", proxy.port(), true))) {
                assertThat(client.send(request + "sk-client\r\n\r\n").readToEnd())
                        .startsWith("HTTP/1.1 200 ")
                        .contains("qwen3-8b");
            }
            try (RawConnection operator = new RawConnection(proxy.adminPort().orElseThrow())) {
                String pools = operator.send(request.replace("/v1/models", "/admin/pools") + "sk-admin\r\n\r\n").readToEnd();
                assertThat(pools).contains("https://decode-0:8000").doesNotContain("sk-");
            }
        }
    }
}
