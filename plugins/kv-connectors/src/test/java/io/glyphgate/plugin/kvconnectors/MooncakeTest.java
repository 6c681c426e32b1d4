package io.glyphgate.plugin.kvconnectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.glyphgate.spi.KvConnector;
import io.glyphgate.spi.KvConnectorProvider;
import io.glyphgate.spi.KvTransfer;
import io.glyphgate.testkit.KvConnectorContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MooncakeTest extends KvConnectorContract {
    @Override
    protected KvConnectorProvider provider() {
        return new Mooncake();
    }

    private final HttpServer bootstrap = start();
    private final AtomicInteger queries = new AtomicInteger();
    private volatile String answer = "{\"0\":{\"engine_id\":\"e0\",\"worker_addr\":\"w\"},\"1\":{\"engine_id\":\"e1\"}}";

    private HttpServer start() {
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/query", exchange -> {
                queries.incrementAndGet();
                byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, bytes.length);
                exchange.getResponseBody().write(bytes);
                exchange.close();
            });
            server.start();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterEach
    void stop() {
        bootstrap.stop(0);
    }

    @Override
    protected Map<String, String> options() {
        return Map.of("bootstrap-port", String.valueOf(bootstrap.getAddress().getPort()));
    }

    @Override
    protected Map<String, @Nullable Object> answer(Map<String, @Nullable Object> asked) {
        return Map.of();
    }

    @Test
    void bothServersAreAskedAtOnceWithOneNameAndTheRanksInTurn() throws IOException {
        KvConnector connector = provider().create(options());
        Set<Object> names = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            KvTransfer transfer = begin(connector, "a" + i);
            Map<String, @Nullable Object> decode = transfer.paramsAtOnce().orElseThrow();
            String rank = String.valueOf(i % 2);
            assertThat(transfer.prefillHeaders()).containsOnly(Map.entry("X-data-parallel-rank", rank));
            assertThat(decode)
                    .containsEntry("remote_engine_id", "e" + rank)
                    .containsEntry("remote_bootstrap_addr", "http://127.0.0.1:" + bootstrap.getAddress().getPort())
                    .containsEntry("transfer_id", transfer.prefillParams().get("transfer_id"))
                    .containsEntry("do_remote_prefill", true);
            assertThat(transfer.endsByLength()).isTrue();
            names.add(String.valueOf(decode.get("transfer_id")));
        }
        assertThat(names).hasSize(4).allMatch(name -> String.valueOf(name).startsWith("xfer-"));
        assertThat(queries).hasValue(1);
    }

    @Test
    void aServerThatNamesNoEngineCannotBeUsed() {
        answer = "{}";
        assertThatThrownBy(() -> begin(provider().create(options()), "a"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("/query answers 200 and names no engine");
    }

    @Test
    void aPortThatIsNoneIsRefused() {
        assertThatThrownBy(() -> provider().create(Map.of("bootstrap-port", "x"))).hasMessageContaining("'x'");
        assertThatThrownBy(() -> provider().create(Map.of("bootstrap-port", "70000"))).hasMessageContaining("70000");
    }
}
