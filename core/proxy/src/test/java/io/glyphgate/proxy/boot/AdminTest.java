package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.eventually;
import static io.glyphgate.proxy.boot.Stage.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.simulator.SimulatedServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The socket of the operators. */
class AdminTest {
    @TempDir
    private Path folder;

    private Stage stage;
    private SimulatedServer server;

    @BeforeEach
    void start() {
        stage = new Stage(folder);
        server = stage.server(Stage.tokensOnly());
    }

    @AfterEach
    void stop() {
        stage.close();
    }

    private Proxy proxy(String admin) {
        return stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0 }
                admin: %s
                models: { m: { vocabulary-size: 200000 } }
                pools:
                  p: { model: m, tokenizer: none, served-model: M, endpoints: [ %s, %s ] }
                """.formatted(admin, server.uri(), Stage.nobody()));
    }

    private static String ask(int port, String path, String... headers) throws IOException {
        try (RawConnection connection = new RawConnection(port)) {
            String lines = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
            return connection
                    .send("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + lines + "\r\n")
                    .readToEnd();
        }
    }

    private static JsonNode page(int port, String path) throws IOException {
        String answer = ask(port, path);
        assertThat(answer).startsWith("HTTP/1.1 200 ").contains("application/json");
        return json(answer.substring(answer.indexOf("\r\n\r\n") + 4));
    }

    @Test
    void hasItsOwnDoorsAndTheClientsHaveNoneOfThem() throws IOException {
        Proxy proxy = proxy("{ port: 0 }");
        int admin = proxy.adminPort().orElseThrow();
        assertThat(admin).isNotEqualTo(proxy.port());
        assertThat(ask(admin, "/health")).startsWith("HTTP/1.1 200 ");
        assertThat(ask(admin, "/ready")).startsWith("HTTP/1.1 200 ");
        assertThat(ask(admin, "/metrics")).startsWith("HTTP/1.1 200 ").contains("glyphgate_in_flight");
        assertThat(ask(admin, "/v1/models")).startsWith("HTTP/1.1 404 ");
        assertThat(ask(admin, "/admin/../admin/pools")).startsWith("HTTP/1.1 400 ");
        assertThat(ask(proxy.port(), "/health")).startsWith("HTTP/1.1 200 ");
        for (String path : new String[] {"/metrics", "/admin/pools", "/admin/plugins"}) {
            assertThat(ask(proxy.port(), path)).startsWith("HTTP/1.1 404 ");
        }
    }

    @Test
    void withoutItMetricsAreOnTheSocketOfTheClients() {
        Proxy proxy = stage.proxy(Stage.pool("p", "none", server.uri()));
        assertThat(proxy.adminPort()).isEmpty();
        assertThat(assertDoes(() -> ask(proxy.port(), "/metrics"))).startsWith("HTTP/1.1 200 ");
        assertThat(assertDoes(() -> ask(proxy.port(), "/admin/pools"))).startsWith("HTTP/1.1 404 ");
    }

    private static String assertDoes(Callable<String> call) {
        try {
            return call.call();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void showsThePools() throws Exception {
        Proxy proxy = proxy("{ port: 0 }");
        stage.post(Stage.body("")); // one of them rests then, if it was asked first
        eventually("the request has ended, which its client knows a moment before", () -> proxy.inFlight() == 0);
        JsonNode pool = page(proxy.adminPort().orElseThrow(), "/admin/pools").at("/pools/0");
        assertThat(pool.path("name").asText()).isEqualTo("p");
        assertThat(pool.path("model").asText()).isEqualTo("m");
        assertThat(pool.path("served_model").asText()).isEqualTo("M");
        assertThat(pool.path("role").asText()).isEqualTo("both");
        assertThat(pool.path("tokenizer").asText()).isEqualTo("none");
        assertThat(pool.at("/endpoints/0/id").asText()).isEqualTo(server.uri().toString());
        assertThat(pool.at("/endpoints/0/state").asText()).isEqualTo("up");
        assertThat(pool.at("/endpoints/0/in_flight").asInt(-1)).isZero();
        assertThat(pool.at("/endpoints/0/tls").asBoolean(true)).isFalse();
        assertThat(pool.path("endpoints")).hasSize(2);
    }

    @Test
    void showsThePlugins() throws IOException {
        JsonNode page = page(proxy("{ port: 0 }").adminPort().orElseThrow(), "/admin/plugins");
        assertThat(page.path("skipped").isArray()).isTrue();
        assertThat(page.path("described").isArray()).isTrue();
        assertThat(page.at("/plugins/0/extensions").findValuesAsText("name")).contains("tokens", "qwen3", "hermes");
    }

    @Test
    void hasKeysOfItsOwn() throws IOException {
        Files.writeString(folder.resolve("admin-keys"), "sk-admin\n");
        int admin = proxy("{ port: 0, api-key-file: admin-keys }").adminPort().orElseThrow();
        assertThat(ask(admin, "/health")).startsWith("HTTP/1.1 200 ");
        for (String path : new String[] {"/metrics", "/admin/pools", "/admin/plugins", "/admin"}) {
            assertThat(ask(admin, path)).startsWith("HTTP/1.1 401 ");
        }
        assertThat(ask(admin, "/admin/pools", "Authorization: Bearer sk-admin")).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void aPortThatIsTakenStopsTheStart() {
        assertThatThrownBy(() -> proxy("{ port: " + server.port() + " }"))
                .hasMessageContaining("cannot listen on 127.0.0.1:" + server.port() + " (admin.host, admin.port)");
    }
}
