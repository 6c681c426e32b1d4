package io.glyphgate.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What signals do to a process that serves. */
@DisabledOnOs(OS.WINDOWS)
class SignalIT {
    private static final Installation INSTALLATION = Installation.built();
    private static final String STREAM =
            "{\"model\":\"m\",\"token_ids\":[1,2,3],\"sampling_params\":{\"max_tokens\":40},\"stream\":true}";

    @TempDir
    private Path temp;

    private Path config(Service server, String model, String drain) throws IOException {
        return Files.writeString(temp.resolve("glyphgate.yaml"), """
                server: { port: 0, %s }
                models: { %s: {} }
                pools: { p: { model: %s, served-model: m, tokenizer: none, endpoints: ["%s"] } }
                reload: { watch: false }
                """.formatted(drain, model, model, server.uri()));
    }

    private static Service server() throws Exception {
        // 40 tokens take two seconds
        return Service.start(
                INSTALLATION, "simulate", "--port", "0", "--tokens-only", "--model", "m", "--rate", "20");
    }

    /** Whether this process, and so each that it starts, ignores the signal; known on Linux only. */
    private static boolean ignoresHangUp() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.exists(status)) {
            return false;
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .anyMatch(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16) % 2 == 1); // signal 1
    }

    @Test
    void hangUpReloads() throws Exception {
        assumeThat(ignoresHangUp()).as("nohup, or what does as it does, has the signal ignored by all that it starts").isFalse();
        try (Service server = server();
                Service proxy = Service.start(
                        INSTALLATION, "serve", "--config", config(server, "m", "drain: 5s").toString())) {
            assertThat(proxy.get("/v1/models").body()).contains("\"id\":\"m\"");
            config(server, "n", "drain: 5s");
            proxy.signal("HUP");
            proxy.awaitLine("generation 2 serves");
            assertThat(proxy.get("/v1/models").body()).contains("\"id\":\"n\"").doesNotContain("\"id\":\"m\"");

            Path file = Files.writeString(temp.resolve("glyphgate.yaml"), "models: { n: { nothing: 1 } }\n");
            proxy.signal("HUP");
            proxy.awaitLine("is NOT reloaded");
            proxy.awaitLine(file + ":1: models.n.nothing");
            assertThat(proxy.get("/v1/models").body()).contains("\"id\":\"n\"");
            assertThat(proxy.get("/metrics").body()).contains("glyphgate_config_last_reload_successful 0.0");
        }
    }

    @Test
    void termLetsStreamsEnd() throws Exception {
        try (Service server = server();
                Service proxy = Service.start(
                        INSTALLATION, "serve", "--config", config(server, "m", "drain: 20s").toString());
                Socket stream = stream(proxy)) {
            CompletableFuture<String> answer = rest(stream);
            proxy.signal("TERM");
            proxy.awaitLine("requests in flight may go on for 20 s");
            assertThat(answer.get()).contains("[DONE]").doesNotContain("\"error\"");
            assertThat(proxy.awaitEnd()).isEqualTo(128 + 15);
        }
    }

    @Test
    void aSecondTermEndsAtOnce() throws Exception {
        try (Service server = server();
                Service proxy = Service.start(
                        INSTALLATION, "serve", "--config", config(server, "m", "drain: 1h, drain-delay: 1h").toString())) {
            proxy.signal("TERM");
            proxy.awaitLine("a second signal ends at once");
            assertThat(proxy.get("/ready").status()).isEqualTo(503);
            proxy.signal("TERM");
            assertThat(proxy.awaitEnd()).isEqualTo(128 + 15);
        }
    }

    /** A stream of which the first event has come. */
    private static Socket stream(Service proxy) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.uri().getPort());
        socket.setSoTimeout(30_000);
        socket.getOutputStream()
                .write(("POST /inference/v1/generate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
                                + STREAM.length() + "\r\n\r\n" + STREAM)
                        .getBytes(StandardCharsets.US_ASCII));
        StringBuilder seen = new StringBuilder();
        InputStream in = socket.getInputStream();
        while (seen.indexOf("data: ") < 0) {
            int next = in.read();
            assertThat(next).as("what comes after: %s", seen).isNotNegative();
            seen.append((char) next);
        }
        return socket;
    }

    private static CompletableFuture<String> rest(Socket socket) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
