package io.glyphgate.proxy.boot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.config.ConfigFile;
import io.glyphgate.proxy.config.ConfigReader;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.proxy.simulator.SimulatorOptions;
import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.TokenizerProvider;
import io.glyphgate.spi.ToolParserProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Simulated servers and a proxy before them, over real sockets. Everything that it started ends with it. */
final class Stage implements AutoCloseable {
    static final ObjectMapper JSON = new ObjectMapper();
    static final Duration LIMIT = Duration.ofSeconds(20);
    static final Path QWEN3 = Path.of("../../distribution/src/main/tokenizers/qwen3").toAbsolutePath().normalize();
    static final Registry REGISTRY = Registry.of(Stage.class.getClassLoader());
    static final Tokenizer TOKENIZER = load();
    static final OutputPlan.Parsers PARSERS = new OutputPlan.Parsers(
            null,
            REGISTRY.find(ReasoningParserProvider.class, "qwen3").orElseThrow(),
            REGISTRY.find(ToolParserProvider.class, "hermes").orElseThrow());
    static final String GENERATE = "/inference/v1/generate";

    private final List<Runnable> closers = new ArrayList<>();
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Path folder;
    private @Nullable Proxy proxy;

    Stage(Path folder) {
        this.folder = folder;
    }

    private static Tokenizer load() {
        try {
            return REGISTRY.find(TokenizerProvider.class, "huggingface").orElseThrow().load(QWEN3.toUri(), Map.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static int[] encode(String text) {
        return TOKENIZER.encode(text, false);
    }

    static SimulatorOptions.Builder tokensOnly() {
        return SimulatorOptions.builder().model("m").tokenizer(TOKENIZER).tokensOnly(true);
    }

    static SimulatorOptions.Builder full() {
        return SimulatorOptions.builder()
                .model("m")
                .tokenizer(TOKENIZER)
                .tokensOnly(false)
                .parsers(PARSERS)
                .derender(REGISTRY.find(OutputModeProvider.class, "derender").orElseThrow());
    }

    SimulatedServer server(SimulatorOptions.Builder options) {
        try {
            SimulatedServer server = SimulatedServer.start(options.build());
            closers.add(server::close);
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An address that takes no connections. */
    static URI nobody() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return URI.create("http://127.0.0.1:" + socket.getLocalPort());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts the proxy with one model, {@code m}, and the given pools. */
    Proxy proxy(String pools) {
        return proxyOf("""
                server: { host: 127.0.0.1, port: 0, drain: 5s, max-body: 1MiB }
                models:
                  m:
                    aliases: [alias]
                    tokenizer: { source: %s }
                    reasoning-parser: qwen3
                    tool-parser: hermes
                upstream: { tokenizer-mismatch: ignore }
                pools:
                %s
                """.formatted(QWEN3, pools.indent(2)));
    }

    /** Starts the proxy with a whole configuration. It asks servers nothing but what clients ask. */
    Proxy proxyOf(String yaml) {
        Map<String, String> quiet = new HashMap<>(Map.of("GLYPHGATE_UPSTREAM_MISFIT", "ignore"));
        for (String pool : read(yaml, Map.of()).config().pools().keySet()) {
            String name = pool.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
            quiet.put("GLYPHGATE_POOLS_" + name + "_WATCH_HEALTH_INTERVAL", "0s");
        }
        return start(read(yaml, quiet));
    }

    /** As {@link #proxyOf}, and it watches its servers. */
    Proxy watchingProxyOf(String yaml) {
        return start(read(yaml, Map.of()));
    }

    private ConfigFile read(String yaml, Map<String, String> overrides) {
        try {
            return ConfigReader.read(Files.writeString(folder.resolve("glyphgate.yaml"), yaml), overrides);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Proxy start(ConfigFile file) {
        Proxy started = new Proxy(Setup.of(file, REGISTRY));
        closers.add(started::close);
        proxy = started;
        return started;
    }

    static String pool(String name, String setting, URI... endpoints) {
        return name + ": { model: m, tokenizer: " + setting + ", endpoints: " + List.of(endpoints) + " }\n";
    }

    HttpResponse<String> post(String body, String... headers) throws IOException, InterruptedException {
        return post(uri(), GENERATE, body, headers);
    }

    HttpResponse<String> post(URI server, String path, String body, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.resolve(path))
                .timeout(LIMIT)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> postAs(String contentType, String body) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(uri().resolve(GENERATE))
                        .timeout(LIMIT)
                        .header("Content-Type", contentType)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(uri().resolve(path)).timeout(LIMIT).build(), HttpResponse.BodyHandlers.ofString());
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + port());
    }

    private int port() {
        return Objects.requireNonNull(proxy, "no proxy was started").port();
    }

    /** A raw connection to the proxy on which a request was sent. */
    Socket open(String body) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
        socket.setSoTimeout((int) LIMIT.toMillis());
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        socket.getOutputStream()
                .write(("POST " + GENERATE + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
                                + bytes.length + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return socket;
    }

    /** Waits for what another thread of the proxy is about to do. */
    static void eventually(String what, BooleanSupplier condition) {
        eventually(what, condition, () -> "");
    }

    /** As {@link #eventually(String, BooleanSupplier)}, and tells what there is if the condition does not come true. */
    static void eventually(String what, BooleanSupplier condition, Supplier<String> instead) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("waited " + LIMIT.toSeconds() + " s until " + what + " " + instead.get());
            }
            LockSupport.parkNanos(1_000_000); // who waits must not keep the processor from whom it waits for
        }
    }

    /** A body whose prompt is a chat turn. */
    static String body(String fields) {
        return body(fields, "{}");
    }

    static String body(String fields, String samplingParams) {
        return body("", fields, samplingParams);
    }

    /** A request whose prompt goes on behind the start of the assistant's turn. */
    static String body(String opened, String fields, String samplingParams) {
        StringBuilder ids = new StringBuilder();
        for (int id : encode("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n" + opened)) {
            ids.append(ids.isEmpty() ? "" : ",").append(id);
        }
        return "{\"model\":\"m\",\"request_id\":\"r1\",\"token_ids\":[" + ids + "],\"sampling_params\":" + samplingParams
                + (fields.isEmpty() ? "" : "," + fields) + "}";
    }

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(text, e);
        }
    }

    /** The events of a stream; checks that it ends with {@code [DONE]}. */
    static List<JsonNode> events(String stream) {
        List<JsonNode> events = new ArrayList<>();
        String[] parts = stream.split("\n\n", -1);
        for (String part : parts) {
            if (part.startsWith("data: {")) {
                events.add(json(part.substring(6)));
            }
        }
        if (!stream.endsWith("data: [DONE]\n\n")) {
            throw new AssertionError("the stream does not end with [DONE]: " + stream);
        }
        return events;
    }

    @Override
    public void close() {
        closers.reversed().forEach(Runnable::run);
        client.close();
    }
}
