package io.glyphgate.plugin.kvconnectors;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.glyphgate.spi.KvConnector;
import io.glyphgate.spi.KvTransfer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Transfers of Mooncake. Each data-parallel rank of a prefill server is an engine of its own, whose ID the decode server must
 * know; a bootstrap server beside the prefill server lists them.
 */
final class MooncakeConnector implements KvConnector {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    /** How long a list of engines counts: a server that is started anew has new ones. */
    private static final long FRESH_NANOS = Duration.ofSeconds(10).toNanos();

    private final int port;
    private final Map<URI, Engines> known = new ConcurrentHashMap<>();
    private final AtomicInteger next = new AtomicInteger();

    /** Made at the first question: the client reads all certificates of the JDK, which each start would pay for. */
    private static final class Asking {
        private static final JsonMapper JSON = new JsonMapper();
        private static final HttpClient CLIENT = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(LIMIT)
                .build();
    }

    private record Engine(String rank, String id) {}

    private record Engines(List<Engine> list, long since) {}

    MooncakeConnector(int port) {
        this.port = port;
    }

    @Override
    public KvTransfer begin(TransferRequest request) throws IOException {
        URI bootstrap = URI.create("http://" + request.prefillServer().getHost() + ":" + port);
        Engines engines = known.get(bootstrap);
        if (engines == null || System.nanoTime() - engines.since > FRESH_NANOS) {
            engines = new Engines(ask(bootstrap), System.nanoTime());
            known.put(bootstrap, engines);
        }
        Engine engine = engines.list.get(Math.floorMod(next.getAndIncrement(), engines.list.size()));
        return new Push(bootstrap, engine, "xfer-" + UUID.randomUUID());
    }

    private List<Engine> ask(URI bootstrap) throws IOException {
        URI query = bootstrap.resolve("/query");
        HttpResponse<byte[]> answer;
        try {
            answer = Asking.CLIENT.send(
                    HttpRequest.newBuilder(query).timeout(LIMIT).build(), HttpResponse.BodyHandlers.ofByteArray());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while " + query + " was asked");
            interrupted.initCause(e);
            throw interrupted;
        }
        List<Engine> engines = new ArrayList<>();
        if (answer.statusCode() == 200) {
            for (Map.Entry<String, JsonNode> rank : Asking.JSON.readTree(answer.body()).properties()) {
                String id = rank.getValue().path("engine_id").asText("");
                if (!id.isEmpty()) {
                    engines.add(new Engine(rank.getKey(), id));
                }
            }
        }
        if (engines.isEmpty()) {
            throw new IOException(query + " answers " + answer.statusCode() + " and names no engine");
        }
        return engines;
    }

    /** One transfer. */
    private record Push(URI bootstrap, Engine engine, String id) implements KvTransfer {
        @Override
        public Map<String, @Nullable Object> prefillParams() {
            return Map.of("do_remote_decode", true, "do_remote_prefill", false, "transfer_id", id);
        }

        @Override
        public Map<String, String> prefillHeaders() {
            return Map.of("X-data-parallel-rank", engine.rank);
        }

        /** A sequence that ends itself is given to nobody, and the decode server waits for minutes. */
        @Override
        public boolean endsByLength() {
            return true;
        }

        @Override
        public Optional<Map<String, @Nullable Object>> paramsAtOnce() {
            return Optional.of(params());
        }

        /** The prefill server says nothing. */
        @Override
        public Optional<Map<String, @Nullable Object>> decodeParams(Map<String, @Nullable Object> answered) {
            return Optional.of(params());
        }

        private Map<String, @Nullable Object> params() {
            return Map.of(
                    "do_remote_decode", false,
                    "do_remote_prefill", true,
                    "transfer_id", id,
                    "remote_bootstrap_addr", bootstrap.toString(),
                    "remote_engine_id", engine.id);
        }
    }
}
