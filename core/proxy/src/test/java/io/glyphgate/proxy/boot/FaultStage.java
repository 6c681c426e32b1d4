package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static io.glyphgate.proxy.boot.Stage.encode;
import static io.glyphgate.proxy.boot.Stage.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.config.ProxyConfig.Streaming;
import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.proxy.simulator.SimulatorOptions.Connector;
import io.glyphgate.proxy.soak.BareClient;
import io.glyphgate.proxy.soak.BareClient.Answer;
import java.net.ServerSocket;
import java.net.InetSocketAddress;
import java.net.InetAddress;
import java.io.UncheckedIOException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Collectors;

/** One model behind pools of every setting, with and without prefill servers, for tests of what goes wrong. */
final class FaultStage implements AutoCloseable {
    /** How long a client may take no bytes, or take to send its request. */
    private static final Duration STALL = Duration.ofSeconds(2);
    /** How long a prefill server holds a prompt that nobody takes. */
    static final Duration LEASE = Duration.ofSeconds(4);

    private static final String OUTPUT = "<think>\nWho is it?\n</think>\n\nHello there, my friend 🛶!";

    private final Stage stage;
    private final Proxy proxy;
    private final Leftovers leftovers;
    private final List<SimulatedServer> servers = new ArrayList<>();
    private final ServerSocket deaf;

    /** A way of serving a request: the pool, and what the request asks for. */
    enum Lane {
        TOKENS("bulk", "tokens", "", false),
        SERVER_TEXT("full", "text", "", false),
        SERVER_MESSAGE("full", "derender", "", false),
        TEXT("chat", "text", "", false),
        MESSAGE("chat", "derender", "", false),
        /** A batch answer that the proxy makes of a stream, to be able to stop it. */
        COLLECTED("chat", "text", ",\"stop\":[\"never said\"]", true);

        final String pool;
        final String mode;
        private final String sampling;
        final boolean collected;

        Lane(String pool, String mode, String sampling, boolean collected) {
            this.pool = pool;
            this.mode = mode;
            this.sampling = sampling;
            this.collected = collected;
        }

        /** Whether it can be asked for a stream. */
        boolean streams() {
            return this != SERVER_MESSAGE && !collected;
        }
    }

    /** Which servers have a part in a request. */
    enum Group {
        /** One server. */
        ALONE("alone"),
        /** A prefill server, and a decode server that fetches the prompt. */
        PULL("pull"),
        /** The same, where the decode server may not compute the prompt itself. */
        PULL_ONLY("only"),
        /** A prefill server and a decode server that are asked at the same time. */
        PUSH("push");

        final String prefix;

        Group(String prefix) {
            this.prefix = prefix;
        }
    }

    /**
     * A stage.
     *
     * @param silence how long a server may be silent
     * @param streaming what carries streams
     */
    FaultStage(Path folder, Duration silence, Streaming streaming) {
        stage = new Stage(folder);
        SimulatedServer tokens = server(false, Connector.NIXL);
        SimulatedServer full = server(true, Connector.NIXL);
        SimulatedServer prefill = server(false, Connector.NIXL);
        SimulatedServer pushTokens = server(false, Connector.NIXL_PUSH);
        SimulatedServer pushFull = server(true, Connector.NIXL_PUSH);
        SimulatedServer pushPrefill = server(false, Connector.NIXL_PUSH);
        StringBuilder pools = new StringBuilder();
        for (Group group : Group.values()) {
            boolean push = group == Group.PUSH;
            pools(group.prefix, (push ? pushTokens : tokens).uri(), (push ? pushFull : full).uri(), pools);
            if (group != Group.ALONE) {
                pools.append("  %s-p: { model: m, role: prefill, tokenizer: none, endpoints: [%s], kv: { group: %s, connector: %s, without-prefill: %s } }\n"
                        .formatted(group.prefix, (push ? pushPrefill : prefill).uri(), group.prefix, push ? "nixl-push" : "nixl",
                                group == Group.PULL_ONLY ? "fail" : "decode-only"));
            }
        }
        pools("dead", Stage.nobody(), Stage.nobody(), pools);
        deaf = deaf();
        URI nobodyReads = URI.create("http://127.0.0.1:" + deaf.getLocalPort());
        pools("deaf", nobodyReads, nobodyReads, pools);
        for (String rule : List.of("decode-only", "fail")) {
            pools("deaf-" + rule, tokens.uri(), full.uri(), pools);
            pools.append("  deaf-%s-p: { model: m, role: prefill, tokenizer: none, endpoints: [%s], kv: { group: deaf-%s, without-prefill: %s } }\n"
                    .formatted(rule, nobodyReads, rule, rule));
        }
        proxy = stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0, drain: 5s, max-body: 8MiB, streaming: %s }
                models: { m: { tokenizer: { source: %s }, reasoning-parser: qwen3, tool-parser: hermes } }
                upstream: { tokenizer-mismatch: ignore, first-byte: %dms, between-bytes: %dms }
                clients: { stall: %dms, request: %dms }
                pools:
                """.formatted(streaming.name().toLowerCase(Locale.ROOT), Stage.QWEN3, silence.toMillis(), silence.toMillis(), STALL.toMillis(), STALL.toMillis()) + pools);
        for (Lane lane : Lane.values()) { // what is made once is there from now on
            for (Group group : Group.values()) {
                assertThat(ask(group, lane, false, "", "").status()).isEqualTo(200);
            }
        }
        leftovers = new Leftovers(proxy, servers);
    }

    /** The system takes its connections, and nobody reads. */
    private static ServerSocket deaf() {
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReceiveBufferSize(4 << 10);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void pools(String prefix, URI tokens, URI full, StringBuilder pools) {
        String pool = "  %s-%s: { model: m, role: decode, tokenizer: %s, endpoints: [%s], kv: { group: %s } }\n";
        pools.append(pool.formatted(prefix, "bulk", "none", tokens, prefix));
        pools.append(pool.formatted(prefix, "chat", "proxy", tokens, prefix));
        pools.append(pool.formatted(prefix, "full", "upstream", full, prefix));
    }

    private SimulatedServer server(boolean full, Connector connector) {
        SimulatedServer server =
                stage.server((full ? Stage.full() : Stage.tokensOnly()).connector(connector).kvLease(LEASE).keptRequests(10_000));
        servers.add(server);
        return server;
    }

    /** How many events a stream of the output has. */
    static int events() {
        return encode(OUTPUT).length + 1; // the end-of-sequence token
    }

    /**
     * The bytes of a request.
     *
     * @param prefix the pools
     * @param fault how the answer goes wrong
     * @param prefillFault how the answer of a prefill server goes wrong
     */
    static byte[] request(String prefix, Lane lane, boolean stream, String fault, String prefillFault) {
        return request(prefix, lane, stream, fault, prefillFault, Arrays.toString(encode(OUTPUT)), "");
    }

    /**
     * The bytes of a request for another output.
     *
     * @param tokens what the server says, as JSON
     * @param more further sampling parameters
     */
    static byte[] request(
            String prefix, Lane lane, boolean stream, String fault, String prefillFault, String tokens, String more) {
        String sampling = "{\"extra_args\":{\"glyphgate_tokens\":" + tokens
                + (fault.isEmpty() ? "" : ",\"glyphgate_fault\":\"" + fault + "\"")
                + (prefillFault.isEmpty() ? "" : ",\"glyphgate_prefill_fault\":\"" + prefillFault + "\"") + "}" + lane.sampling + more + "}";
        String fields = "\"output_mode\":\"" + lane.mode + "\",\"stream\":" + stream
                + (lane.mode.equals("derender") ? ",\"parse_context\":{}" : "");
        return BareClient.post(
                Stage.GENERATE,
                body(fields, sampling),
                "X-Glyphgate-Pool: " + prefix + "-" + lane.pool,
                "X-Request-Id: " + UUID.randomUUID());
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + proxy.port());
    }

    BareClient client() throws IOException {
        return new BareClient(uri(), Stage.LIMIT);
    }

    /** Asks as a client does that waits for its answer. */
    Answer ask(Group group, Lane lane, boolean stream, String fault, String prefillFault) {
        return ask(request(group.prefix, lane, stream, fault, prefillFault));
    }

    Answer ask(byte[] request) {
        try (BareClient client = client()) {
            return client.send(request).answer();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What a client has got: the choices of a batch answer, or of each event that is no error. */
    static List<JsonNode> choices(Answer answer) {
        if (!answer.header("Content-Type").startsWith("text/event-stream")) {
            return List.of(json(answer.body()).path("choices"));
        }
        return events(answer).stream()
                .filter(event -> !event.has("error"))
                .map(event -> event.path("choices"))
                .filter(choices -> !choices.isEmpty())
                .toList();
    }

    /** The events of a stream that ends with {@code [DONE]}, however they are written. */
    static List<JsonNode> events(Answer answer) {
        List<JsonNode> events = new ArrayList<>();
        boolean done = false;
        for (String event : answer.body().replace("\r\n", "\n").split("\n\n", -1)) {
            String data = event.lines()
                    .filter(line -> line.startsWith("data: "))
                    .map(line -> line.substring("data: ".length()))
                    .collect(Collectors.joining("\n"));
            assertThat(done && !data.isEmpty()).as("data behind [DONE]: " + answer).isFalse();
            done |= data.equals("[DONE]");
            if (!data.isEmpty() && !done) {
                events.add(json(data));
            }
        }
        assertThat(done).as("the stream ends with [DONE]: " + answer).isTrue();
        return events;
    }

    Proxy proxy() {
        return proxy;
    }

    List<SimulatedServer> servers() {
        return servers;
    }

    Stage stage() {
        return stage;
    }

    /** How many requests servers are at work on. */
    int active() {
        return leftovers.active();
    }

    /** Whether the server that gives the answer has got a request. */
    boolean isAsked(byte[] request) {
        String id = new String(request, StandardCharsets.UTF_8).replaceFirst("(?s).*X-Request-Id: (\\S+).*", "$1");
        return servers.stream()
                .flatMap(server -> server.requests().stream())
                .anyMatch(received -> received.headers().getOrDefault("x-request-id", "").equals(id)
                        && !received.body().contains("\"do_remote_decode\":true"));
    }

    /** How many requests servers have aborted. */
    int aborted() {
        return servers.stream().mapToInt(server -> server.abortedRequestIds().size()).sum();
    }

    /** How many prompts were computed for nobody. */
    long lostPrompts() {
        return servers.stream().mapToLong(server -> server.computedPrompts() - server.takenPrompts()).sum();
    }

    /** What became of the prompts, in words. */
    String prompts() {
        return servers.stream()
                .map(server -> server.computedPrompts() + " computed, " + server.takenPrompts() + " taken, "
                        + server.expiredPrompts() + " expired")
                .toList()
                .toString();
    }

    /** How many prompts are held for nobody yet. */
    int heldPrompts() {
        return servers.stream().mapToInt(SimulatedServer::heldPrompts).sum();
    }

    /** Waits until all is as at the start: requests, connections, threads, and what the proxy looks after. */
    void nothingStaysOpen() {
        leftovers.none();
    }

    @Override
    public void close() {
        stage.close();
        try {
            deaf.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
