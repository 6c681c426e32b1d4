package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.config.ConfigReader;
import io.glyphgate.proxy.config.ProxyConfig.OnFailure;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.proxy.simulator.SimulatorOptions;
import io.glyphgate.proxy.simulator.SimulatorOptions.Connector;
import io.glyphgate.proxy.soak.Soak;
import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.TokenizerProvider;
import io.glyphgate.spi.ToolParserProvider;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Asks a proxy at random, in front of simulated servers that go wrong at random, and looks for what is wrong or left open. */
@Command(
        name = "soak",
        description = "Run a proxy in front of simulated servers with random faults, and clients that wait, leave, stall and send"
                + " nonsense. Every answer is judged, and at the end nothing may be left open: status 1 if something is.",
        mixinStandardHelpOptions = true)
final class SoakCommand implements Callable<Integer> {
    /** Short, so that what is silent costs little time, and that between health checks there are moments without any connection. */
    private static final String LIMITS = """
            server: { host: 127.0.0.1, port: 0, drain: 5s }
            upstream: { tokenizer-mismatch: ignore, first-byte: 6s, between-bytes: 3s, idle-life: 200ms }
            clients: { stall: 3s, request: 3s, keep-alive: 500ms }
            """;
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final List<String> GROUPS = List.of("alone", "pull", "push");

    @Option(names = "--minutes", paramLabel = "N", description = "How long. Default: ${DEFAULT-VALUE}.")
    private double minutes = 10;

    @Option(names = "--clients", paramLabel = "N", description = "How many clients ask at the same time. Default: ${DEFAULT-VALUE}.")
    private int clients = 64;

    @Option(
            names = "--patience",
            paramLabel = "SECONDS",
            description = "How long a client waits for bytes; longer than any limit of the proxy. Default: ${DEFAULT-VALUE}.")
    private int patience = 40;

    @Option(names = "--seed", paramLabel = "N", description = "What the clients and the servers do; another one each time by default.")
    private Optional<Long> seed = Optional.empty();

    @Option(
            names = "--proxy",
            paramLabel = "URL",
            description = "A proxy that is running, in front of 'glyphgate simulate' servers of the tokenizer that comes with the"
                    + " installation. Then only answers are judged.")
    private Optional<URI> proxy = Optional.empty();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path tokenizers = Installation.home().resolve("tokenizers/qwen3");
        return run(Registry.load(Installation.home().resolve("plugins"), OnFailure.FAIL, Map.of()), tokenizers);
    }

    /** Runs it with plugins that are loaded; they are closed with it. */
    int run(Registry registry, Path source) throws IOException, InterruptedException {
        long start = seed.orElseGet(() -> new SplittableRandom().nextLong() >>> 32);
        out().println("seed " + start);
        out().flush();
        TokenizerProvider provider = registry.find(TokenizerProvider.class, "huggingface").orElseThrow();
        Tokenizer tokenizer = Registry.withLoaderOf(provider, () -> provider.load(source.toUri(), Map.of()));
        if (proxy.isPresent()) {
            try (registry) {
                return report(new Soak(proxy.get(), tokenizer, List.of(), List.of(), clients, Duration.ofSeconds(patience), start, Map::of), start);
            }
        }
        List<SimulatedServer> servers = new ArrayList<>();
        Path folder = Files.createTempDirectory("glyphgate-soak");
        Path file = folder.resolve("glyphgate.yaml");
        try {
            List<String> pools = new ArrayList<>();
            Files.writeString(file, config(registry, tokenizer, source, servers, pools));
            try (Proxy inside = new Proxy(Setup.of(ConfigReader.read(file, Map.of()), registry))) {
                Soak soak = new Soak(
                        URI.create("http://127.0.0.1:" + inside.port()),
                        tokenizer,
                        pools,
                        pools.stream().filter(pool -> !pool.startsWith("alone")).toList(),
                        clients,
                        Duration.ofSeconds(patience),
                        start,
                        () -> open(inside, servers));
                return report(soak, start);
            }
        } finally {
            servers.forEach(SimulatedServer::close);
            Files.deleteIfExists(file);
            Files.delete(folder);
        }
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private int report(Soak soak, long start) throws InterruptedException {
        Soak.Result result = soak.run(Duration.ofMillis((long) (minutes * 60_000)));
        PrintWriter out = out();
        out.print(result.table());
        out.println();
        out.println(result.requests() + " requests, seed " + start + ", " + clients + " clients, " + minutes + " min, Java "
                + Runtime.version() + ", " + Runtime.getRuntime().availableProcessors() + " processors");
        out.println("after the warm-up: " + result.before());
        out.println("at the end:        " + result.after());
        result.problems().forEach(problem -> out.println("WRONG: " + problem));
        out.println(result.problems().isEmpty() ? "All is well." : "To do the same again: --seed " + start);
        out.flush();
        return result.problems().isEmpty() ? 0 : Main.FAILED;
    }

    /** Starts the servers, and writes a configuration with pools of every setting before them. */
    private static String config(
            Registry registry, Tokenizer tokenizer, Path source, List<SimulatedServer> servers, List<String> names) throws IOException {
        StringBuilder pools = new StringBuilder("pools:\n");
        for (String group : GROUPS) {
            Connector connector = group.equals("push") ? Connector.NIXL_PUSH : Connector.NIXL;
            URI first = start(tokensOnly(tokenizer), connector, servers);
            URI second = start(tokensOnly(tokenizer), connector, servers);
            URI full = start(full(registry, tokenizer), connector, servers);
            pool(group + "-bulk", group, "none", List.of(first, second), names, pools);
            pool(group + "-chat", group, "proxy", List.of(first, second), names, pools);
            pool(group + "-full", group, "upstream", List.of(full), names, pools);
            if (!group.equals("alone")) {
                pools.append("  %s-prefill: { model: m, role: prefill, tokenizer: none, endpoints: [%s, %s], kv: { group: %s, connector: %s } }\n"
                        .formatted(group, start(tokensOnly(tokenizer), connector, servers),
                                start(tokensOnly(tokenizer), connector, servers), group, group.equals("push") ? "nixl-push" : "nixl"));
            }
        }
        return LIMITS + "models: { m: { tokenizer: { source: \"" + source.toUri() + "\" }, reasoning-parser: qwen3, tool-parser: hermes } }\n"
                + pools;
    }

    private static void pool(
            String name, String group, String setting, List<URI> endpoints, List<String> names, StringBuilder pools) {
        names.add(name);
        pools.append("  %s: { model: m, role: decode, tokenizer: %s, endpoints: %s, kv: { group: %s } }\n"
                .formatted(name, setting, endpoints, group));
    }

    private static SimulatorOptions.Builder tokensOnly(Tokenizer tokenizer) {
        return SimulatorOptions.builder().model("m").tokenizer(tokenizer);
    }

    private static SimulatorOptions.Builder full(Registry registry, Tokenizer tokenizer) {
        return tokensOnly(tokenizer)
                .tokensOnly(false)
                .derender(registry.find(OutputModeProvider.class, "derender").orElseThrow())
                .parsers(new OutputPlan.Parsers(
                        null,
                        registry.find(ReasoningParserProvider.class, "qwen3").orElseThrow(),
                        registry.find(ToolParserProvider.class, "hermes").orElseThrow()));
    }

    private static URI start(SimulatorOptions.Builder options, Connector connector, List<SimulatedServer> servers)
            throws IOException {
        SimulatedServer server =
                SimulatedServer.start(options.connector(connector).kvLease(LEASE).keptRequests(0).build());
        servers.add(server);
        return server.uri();
    }

    /** What is open: all of it must come to an end. */
    private static Map<String, Long> open(Proxy proxy, List<SimulatedServer> servers) {
        Map<String, Long> open = new LinkedHashMap<>();
        open.put("requests in flight", (long) proxy.inFlight());
        open.put("requests running on servers", (long) proxy.running());
        open.put("connections of clients", (long) proxy.connections());
        open.put("things that the ticker watches", (long) proxy.watched());
        open.put("requests that servers work on", servers.stream().mapToLong(SimulatedServer::activeRequests).sum());
        open.put("connections to servers", servers.stream().mapToLong(SimulatedServer::openConnections).sum());
        open.put("prompts held by prefill servers", servers.stream().mapToLong(SimulatedServer::heldPrompts).sum());
        return open;
    }
}
