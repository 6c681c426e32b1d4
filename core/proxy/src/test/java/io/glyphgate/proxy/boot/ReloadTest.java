package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static io.glyphgate.proxy.boot.Stage.encode;
import static io.glyphgate.proxy.boot.Stage.events;
import static io.glyphgate.proxy.boot.Stage.eventually;
import static io.glyphgate.proxy.boot.Stage.json;
import static io.glyphgate.proxy.boot.Stage.pool;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.config.ConfigReader;
import io.glyphgate.proxy.simulator.Fault;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.PoolPolicyProvider;
import io.glyphgate.spi.Provider;
import io.glyphgate.spi.Tokenizer;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URISyntaxException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of the configuration while the proxy serves: what has begun goes on, what is wrong changes nothing, nothing is left over. */
class ReloadTest {
    private static final String MESSAGE_STREAM =
            "\"output_mode\":\"derender\",\"stream\":true,\"parse_context\":{\"tool_choice\":\"none\"}";
    /** Long enough for a reload, and for a request after it. */
    private static final String PAUSE = "stall@2=3s";

    @TempDir
    private Path folder;

    private Stage stage;
    private SimulatedServer server;
    private Proxy proxy;

    @BeforeEach
    void start() {
        stage = new Stage(folder);
        server = stage.server(Stage.tokensOnly());
        proxy = stage.watchingProxyOf(parsing("qwen3"));
    }

    @AfterEach
    void nothingStaysOpen() {
        eventually("nothing is in flight", () -> proxy.inFlight() == 0 && proxy.running() == 0 && proxy.watched() == 0);
        eventually("one configuration serves", () -> proxy.generations() == 1);
        stage.close();
        assertThat(proxy.generations()).isZero();
    }

    /** One pool whose texts the proxy makes. */
    private String parsing(String reasoningParser) {
        return """
                server: { host: 127.0.0.1, port: 0, drain: 5s, max-body: 1MiB }
                models: { m: { tokenizer: { source: %s }, reasoning-parser: %s } }
                upstream: { tokenizer-mismatch: ignore }
                pools:
                %s
                """.formatted(Stage.QWEN3, reasoningParser, pool("chat", "proxy", server.uri()).indent(2));
    }

    private String with(String pools) {
        return """
                server: { host: 127.0.0.1, port: 0, drain: 5s }
                models: { m: {} }
                pools:
                %s
                """.formatted(pools.indent(2));
    }

    private Path write(String yaml) throws IOException {
        Path written = Files.writeString(folder.resolve("glyphgate.new"), yaml);
        return Files.move(written, folder.resolve("glyphgate.yaml"), StandardCopyOption.REPLACE_EXISTING);
    }

    private Reload.Outcome reload(String yaml) throws IOException {
        write(yaml);
        return proxy.reload("test");
    }

    /** One chunk of a stream at the derender door; gives the answer. */
    private HttpResponse<String> chunk(String text, String finish, JsonNode state) throws Exception {
        ObjectNode body = Stage.JSON.createObjectNode().put("model", "m").put("stream", true);
        ObjectNode choice = body.putObject("generate_chunk").put("request_id", "r").putArray("choices").addObject();
        choice.put("index", 0).set("finish_reason", json(finish));
        for (int id : encode(text)) {
            choice.withArray("token_ids").add(id);
        }
        body.set("stream_state", state);
        body.putArray("prompt_token_ids").add(encode("Hi")[0]);
        body.putObject("chat_request").putArray("messages").addObject().put("role", "user").put("content", "Hi");
        return stage.post(stage.uri(), "/v1/chat/completions/derender", body.toString());
    }

    private JsonNode delta(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return json(answer.body()).at("/chunk/choices/0/delta");
    }

    /** What waits belongs to the old configuration, so the stream is made again of its state: by the new one, where it has changed. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDerenderedStreamGoesOnUnderTheNewConfiguration(boolean sameParser) throws Exception {
        HttpResponse<String> first = chunk("<think>It is", "null", Stage.JSON.nullNode());
        String changed = sameParser ? parsing("qwen3") : parsing("qwen3").replace(", reasoning-parser: qwen3", "");

        assertThat(reload(changed.replace("drain: 5s", "drain: 4s, max-header-count: 99")).good()).isTrue();
        eventually("the old configuration is closed", () -> proxy.generations() == 1);
        HttpResponse<String> second = chunk(" so.</thi", "null", json(first.body()).path("stream_state"));
        HttpResponse<String> third = chunk("nk>Yes", "\"stop\"", json(second.body()).path("stream_state"));

        assertThat(delta(first).path("reasoning").asText()).isEqualTo("It is");
        if (sameParser) {
            assertThat(delta(second).path("reasoning").asText()).isEqualTo(" so.");
            assertThat(delta(third).path("content").asText()).isEqualTo("Yes");
        } else {
            assertThat(delta(second).path("content").asText() + delta(third).path("content").asText()).isEqualTo(" so.</think>Yes");
        }
        assertThat(metrics()).contains("glyphgate_derender_replays_total{reason=\"gone\"} 1.0");
        assertThat(metrics()).contains("glyphgate_derender_streams 0.0");
    }

    private CompletableFuture<HttpResponse<String>> later(String body) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return stage.post(body);
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private String metrics() throws Exception {
        return stage.get("/metrics").body();
    }

    private static String joined(String stream, String field) {
        return events(stream).stream()
                .map(event -> event.at("/choices/0/delta/" + field).asText(""))
                .collect(Collectors.joining());
    }

    @Test
    void aStreamEndsWithTheParserThatItBeganWith() throws Exception {
        server.direct(request -> Script.tokens(encode("<think>\nso it is\n</think>\n\nHello there, all of you"))
                .failing(Fault.parse(PAUSE)));
        CompletableFuture<HttpResponse<String>> before = later(body(MESSAGE_STREAM));
        server.await("the request has arrived", Stage.LIMIT, () -> server.activeRequests() == 1);

        // the same notation, but reasoning never ends by itself
        Reload.Outcome outcome = reload(parsing("never").replace("models:", """
                parsers: { never: { reasoning: { open: "<think>", close: "</nothing>" } } }
                models:"""));

        assertThat(outcome).isEqualTo(new Reload.Outcome(true, 2, List.of()));
        server.direct(request -> Script.tokens(encode("<think>\nso it is\n</think>\n\nHello there, all of you")));
        String after = stage.post(body(MESSAGE_STREAM)).body();
        assertThat(before).as("the first stream is still running").isNotDone();
        assertThat(proxy.generations()).isEqualTo(2);
        assertThat(joined(after, "reasoning")).contains("so it is").contains("Hello there");

        String first = before.get().body();
        assertThat(joined(first, "reasoning")).contains("so it is").doesNotContain("Hello");
        assertThat(joined(first, "content")).contains("Hello there, all of you");
        eventually("the first generation is closed", () -> proxy.generations() == 1);
    }

    @Test
    void aModelThatIsGoneIsServedToItsEnd() throws Exception {
        server.direct(request -> Script.tokens(encode("one two three four")).failing(Fault.parse(PAUSE)));
        CompletableFuture<HttpResponse<String>> before = later(body("\"output_mode\":\"text\",\"stream\":true"));
        server.await("the request has arrived", Stage.LIMIT, () -> server.activeRequests() == 1);

        assertThat(reload(with(pool("bulk", "none", server.uri()).replace("model: m", "model: n"))
                        .replace("m: {}", "n: {}")).good()).isTrue();
        assertThat(stage.post(body("")).headers().firstValue("X-Glyphgate-Error")).hasValue("unknown-model");
        assertThat(stage.get("/v1/models").body()).contains("\"n\"").doesNotContain("\"m\"");

        assertThat(events(before.get().body()).stream().map(event -> event.at("/choices/0/text").asText("")))
                .isNotEmpty()
                .last()
                .isNotNull();
        assertThat(String.join("", events(before.get().body()).stream()
                        .map(event -> event.at("/choices/0/text").asText(""))
                        .toList()))
                .contains("one two three four");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "models: { m: [",
        "models: { m: {} }\npools: { p: { model: m, tokenizer: none, endpoints: [] } }",
        "models: { m: { tokenizer: { source: nowhere/tokenizer.json } } }\n"
                + "pools: { p: { model: m, tokenizer: proxy, endpoints: ['http://localhost:1'] } }",
        "models: { m: { tool-parser: nobody } }\n"
                + "pools: { p: { model: m, tokenizer: none, endpoints: ['http://localhost:1'] } }",
        "models: { m: {} }\npools: { p: { model: m, tokenizer: none, endpoints: ['http://localhost:1'] } }\n"
                + "capture: { folder: nowhere }"
    })
    void whatIsWrongChangesNothingAndIsTold(String yaml) throws Exception {
        Reload.Outcome outcome = reload(yaml);

        assertThat(outcome.good()).isFalse();
        assertThat(outcome.generation()).isEqualTo(1);
        assertThat(outcome.messages()).isNotEmpty().allSatisfy(message -> assertThat(message)
                .contains("glyphgate.yaml:"));
        server.direct(request -> Script.tokens(encode("still here")));
        assertThat(json(stage.post(body("\"output_mode\":\"text\"")).body()).at("/choices/0/text").asText())
                .contains("still here");
        assertThat(metrics())
                .contains("glyphgate_config_reloads_total{result=\"failure\"} 1.0")
                .contains("glyphgate_config_reloads_total{result=\"success\"} 0.0")
                .contains("glyphgate_config_last_reload_successful 0.0")
                .contains("glyphgate_config_generation 1.0");
        assertThat(proxy.generations()).isEqualTo(1);

        assertThat(reload(parsing("qwen3")).good()).isTrue();
        assertThat(metrics())
                .contains("glyphgate_config_last_reload_successful 1.0")
                .contains("glyphgate_config_generation 2.0")
                .contains("glyphgate_config_last_reload_success_timestamp_seconds");
    }

    @Test
    void aMissingFileChangesNothing() throws Exception {
        Files.delete(folder.resolve("glyphgate.yaml"));
        assertThat(proxy.reload("test").messages()).singleElement().asString().contains("there is no such file");
        assertThat(stage.get("/ready").statusCode()).isEqualTo(200);
    }

    @Test
    void whatNeedsAnotherStartIsTold() throws Exception {
        Reload.Outcome outcome = reload(parsing("qwen3")
                .replace("port: 0", "port: 1")
                .replace("upstream:", "doors: { happy-vllm-prefix: /x, tokenize: false }\nupstream:"));

        assertThat(outcome.good()).isTrue();
        assertThat(outcome.messages()).hasSize(2);
        assertThat(outcome.messages().getFirst()).contains("glyphgate.yaml:1: server.port: takes effect when").contains("'0'");
        assertThat(outcome.messages().getLast()).contains("doors.happy-vllm-prefix");
        assertThat(metrics()).contains("glyphgate_config_restart_needed 2.0");
        assertThat(stage.get("/liveness").statusCode()).isEqualTo(200);
        assertThat(stage.post(stage.uri(), "/tokenize", "{}").statusCode()).as("a door that is closed now").isEqualTo(404);
        assertThat(stage.get("/tokenize").statusCode()).isEqualTo(404);
        assertThat(stage.get("/openapi.json").body()).doesNotContain("\"/tokenize\"").contains("\"/liveness\"");
    }

    @Test
    void endpointsThatStayKeepWhatIsKnownOfThem() throws Exception {
        SimulatedServer other = stage.server(Stage.tokensOnly());
        assertThat(reload(with(pool("bulk", "none", server.uri(), Stage.nobody()))).good()).isTrue();
        server.direct(request -> Script.tokens(encode("one two three four")).failing(Fault.parse(PAUSE)));
        CompletableFuture<HttpResponse<String>> running = later(body("\"stream\":true"));
        server.await("the request has arrived", Stage.LIMIT, () -> server.activeRequests() == 1);

        assertThat(reload(with(pool("bulk", "none", server.uri(), other.uri()))).good()).isTrue();

        assertThat(running).isNotDone();
        assertThat(metrics())
                .contains("glyphgate_in_flight{endpoint=\"" + server.uri() + "\",pool=\"bulk\"} 1.0")
                .contains("glyphgate_in_flight{endpoint=\"" + other.uri() + "\",pool=\"bulk\"} 0.0")
                .doesNotContain("pool=\"chat\"");
        assertThat(running.get().statusCode()).isEqualTo(200);
        eventually("the generation is closed", () -> proxy.generations() == 1);
        assertThat(metrics()).contains("glyphgate_in_flight{endpoint=\"" + server.uri() + "\",pool=\"bulk\"} 0.0");
        String counted = "glyphgate_requests_total{mode=\"tokens\",pool=\"bulk\",status=\"200\"} 1.0";
        eventually("the request is counted", () -> {
            try {
                return metrics().contains(counted);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });

        assertThat(reload(with(pool("bulk", "none", other.uri()))).good()).isTrue();
        assertThat(metrics()).as("counts of a pool that stays").contains(counted).doesNotContain(server.uri().toString());

        assertThat(reload(with(pool("another", "none", other.uri()))).good()).isTrue();
        assertThat(metrics()).doesNotContain("pool=\"bulk\"").contains("pool=\"another\"");
    }

    @Test
    void twoHundredReloadsUnderLoadFailNoRequestAndLeaveNothing() throws Exception {
        server.direct(request -> Script.tokens(encode("one two three four five six")));
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger served = new AtomicInteger();
        List<CompletableFuture<List<String>>> load = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            String fields = i % 2 == 0 ? "\"output_mode\":\"text\",\"stream\":true" : MESSAGE_STREAM;
            load.add(CompletableFuture.supplyAsync(() -> requests(fields, over, served)));
        }
        Stock stock = proxy.stock();
        int threads = 0;
        for (int i = 0; i < 200; i++) {
            String yaml = parsing(i % 2 == 0 ? "deepseek_r1" : "qwen3")
                    .replace("tokenizer-mismatch: ignore", "tokenizer-mismatch: ignore, connect: " + (2 + i % 2) + "s");
            assertThat(reload(yaml)).isEqualTo(new Reload.Outcome(true, i + 2L, List.of()));
            if (i == 20) {
                threads = platformThreads();
            }
        }
        int before = served.get();
        eventually("requests are served after the last reload", () -> served.get() > before + 4);
        over.set(true);
        for (CompletableFuture<List<String>> each : load) {
            assertThat(each.get()).as("requests that failed").isEmpty();
        }
        assertThat(served.get()).isGreaterThan(50);
        eventually("older generations are closed", () -> proxy.generations() == 1);
        assertThat(stock.tokenizers().size()).isEqualTo(1);
        assertThat(stock.known("chat")).hasSize(1);
        assertThat(proxy.clients()).isEqualTo(1);
        assertThat(proxy.watched()).isZero();
        assertThat(platformThreads()).as("platform threads").isLessThanOrEqualTo(threads + 8);
        String metrics = metrics();
        assertThat(metrics).contains("glyphgate_config_reloads_total{result=\"success\"} 200.0");
        assertThat(metrics.lines().filter(line -> line.startsWith("glyphgate_in_flight{"))).hasSize(1);
    }

    private List<String> requests(String fields, AtomicBoolean over, AtomicInteger served) {
        List<String> failed = new ArrayList<>();
        try {
            while (!over.get()) {
                HttpResponse<String> answer = stage.post(body(fields));
                if (answer.statusCode() != 200 || answer.body().contains("\"error\"")
                        || !answer.body().endsWith("data: [DONE]\n\n")) {
                    failed.add(answer.statusCode() + " " + answer.body());
                }
                served.incrementAndGet();
            }
        } catch (IOException | InterruptedException e) {
            failed.add(e.toString());
        }
        return failed;
    }

    private static int platformThreads() {
        return Thread.getAllStackTraces().size();
    }

    @Test
    void unchangedTokenizersAreTakenOver() throws Exception {
        Path own = Files.createDirectory(folder.resolve("own"));
        try (Stream<Path> files = Files.list(Stage.QWEN3)) {
            for (Path file : files.toList()) {
                Files.copy(file, own.resolve(file.getFileName()));
            }
        }
        Setup first = Setup.of(
                ConfigReader.read(write(parsing("qwen3").replace(Stage.QWEN3.toString(), own.toString())), Map.of()),
                Stage.REGISTRY);
        Setup same = first.next(first.file());
        assertThat(tokenizer(same)).isSameAs(tokenizer(first));

        Files.writeString(own.resolve("model.safetensors"), "weights on their way");
        Setup weights = first.next(first.file());
        assertThat(tokenizer(weights)).isSameAs(tokenizer(first));

        Path settings = own.resolve("tokenizer_config.json");
        Files.writeString(settings, Files.readString(settings) + " ");
        Setup changed = first.next(first.file());
        assertThat(tokenizer(changed)).isNotSameAs(tokenizer(first));
        assertThat(first.stock().tokenizers().size()).isEqualTo(2);

        first.close();
        assertThat(tokenizer(same).encode("still open", false)).isNotEmpty();
        List.of(same, weights, changed).forEach(Setup::close);
        assertThat(first.stock().tokenizers().size()).isZero();
    }

    private static Tokenizer tokenizer(Setup setup) {
        return Objects.requireNonNull(setup.router().models().getFirst().tokenizer());
    }

    /** Plugins in folders, as in an installation: those that make no texts are enough. */
    @Test
    void changedPluginsAreLoadedAnewAndOldOnesGo() throws Exception {
        Path plugins = Files.createDirectory(folder.resolve("plugins"));
        Path modes = pack(OutputModeProvider.class, "tokens", plugins.resolve("output-modes"));
        pack(PoolPolicyProvider.class, "round-robin", plugins.resolve("pool-policies"));
        String yaml = "plugins: { path: " + plugins + " }\n" + with(pool("bulk", "none", server.uri()));
        proxy.close();
        Setup first = Setup.of(ConfigReader.read(write(yaml), Map.of()));
        ClassLoader policies = loader(first, PoolPolicyProvider.class, "round-robin");
        List<WeakReference<ClassLoader>> old = new ArrayList<>();
        try (Proxy own = new Proxy(first)) {
            proxy = own;
            for (int i = 0; i < 10; i++) {
                old.add(nextGeneration(own, first, modes, policies));
            }
            WeakReference<ClassLoader> serving = old.removeLast();
            eventually("older plugins are collected", () -> {
                System.gc();
                return old.stream().allMatch(each -> each.get() == null);
            });
            assertThat(serving.get()).isNotNull();

            Files.writeString(modes, "no jar");
            Reload.Outcome outcome = own.reload("test");
            assertThat(outcome.good()).isFalse();
            assertThat(outcome.messages()).singleElement().asString().contains("output-modes").contains("is broken");
            assertThat(own.generations()).isEqualTo(1);
        }
        proxy = stage.watchingProxyOf(parsing("qwen3"));
    }

    private static WeakReference<ClassLoader> nextGeneration(Proxy proxy, Setup first, Path jar, ClassLoader unchanged)
            throws IOException {
        Files.setLastModifiedTime(jar, FileTime.from(Files.getLastModifiedTime(jar).toInstant().plusSeconds(60)));
        Setup next = proxy.serve(first.next(first.file())).setup();
        assertThat(loader(next, PoolPolicyProvider.class, "round-robin")).isSameAs(unchanged);
        return new WeakReference<>(loader(next, OutputModeProvider.class, "tokens"));
    }

    private static ClassLoader loader(Setup setup, Class<? extends Provider> type, String name) {
        return setup.registry().find(type, name).orElseThrow().getClass().getClassLoader();
    }

    /** Makes a plugin folder of what is on the class path. */
    private static Path pack(Class<? extends Provider> type, String name, Path target)
            throws IOException, URISyntaxException {
        Path from = Path.of(Stage.REGISTRY.find(type, name).orElseThrow().getClass()
                .getProtectionDomain().getCodeSource().getLocation().toURI());
        Path jar = Files.createDirectory(target).resolve("plugin.jar");
        if (Files.isRegularFile(from)) {
            return Files.copy(from, jar);
        }
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar)); Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                out.putNextEntry(new JarEntry(from.relativize(file).toString().replace('\\', '/')));
                out.write(Files.readAllBytes(file));
            }
        }
        return jar;
    }

    @ParameterizedTest
    @ValueSource(strings = {"rename", "in place", "link"})
    void aChangeOfTheFileIsTakenUp(String how) throws Exception {
        Path file = folder.resolve("glyphgate.yaml");
        String changed = with(pool("watched", "none", server.uri())) + "reload: { every: 100ms }\n";
        if (how.equals("link")) { // as a ConfigMap is mounted
            Path one = Files.createDirectory(folder.resolve("one"));
            Files.move(file, one.resolve("glyphgate.yaml"));
            Files.createSymbolicLink(folder.resolve("..data"), one);
            Files.createSymbolicLink(file, Path.of("..data/glyphgate.yaml"));
        }
        Path two = Files.createDirectory(folder.resolve("two"));
        Reload.Outcome first = reloadInPlace(file, parsing("qwen3") + "reload: { every: 100ms }\n");
        assertThat(first.good()).isTrue();
        try (ConfigWatch watch = proxy.watch()) {
            assertThat(watch).isNotNull();
            switch (how) {
                case "rename" -> write(changed);
                case "in place" -> {
                    Files.writeString(file, changed.substring(0, changed.length() / 2));
                    Files.writeString(file, changed);
                }
                default -> {
                    Files.writeString(two.resolve("glyphgate.yaml"), changed);
                    Path link = Files.createSymbolicLink(folder.resolve("..next"), two);
                    Files.move(link, folder.resolve("..data"), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
                }
            }
            eventually("the change is taken up", () -> {
                try {
                    return metrics().contains("pool=\"watched\"");
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
        }
    }

    private Reload.Outcome reloadInPlace(Path file, String yaml) throws IOException {
        Files.writeString(file, yaml);
        return proxy.reload("test");
    }

    @Test
    void aFileThatWasRefusedIsReadAgainWhenSomethingIsRepaired() throws Exception {
        String yaml = parsing("qwen3").replace(Stage.QWEN3.toString(), folder.resolve("late").toString())
                + "reload: { every: 100ms }\n";
        assertThat(reload(parsing("qwen3") + "reload: { every: 100ms }\n").good()).isTrue();
        try (ConfigWatch watch = proxy.watch()) {
            assertThat(watch).isNotNull();
            write(yaml);
            eventually("it is refused", () -> failures() == 1);
            Path made = Files.createDirectory(folder.resolve("coming"));
            try (Stream<Path> files = Files.list(Stage.QWEN3)) {
                for (Path each : files.toList()) {
                    Files.copy(each, made.resolve(each.getFileName()));
                }
            }
            Files.move(made, folder.resolve("late"));
            eventually("it is taken up", () -> metric("glyphgate_config_generation") == 3);
            assertThat(failures()).as("it was not read for nothing").isEqualTo(1);
        }
    }

    private int failures() {
        return metric("glyphgate_config_reloads_total{result=\"failure\"}");
    }

    private int metric(String name) {
        try {
            return metrics().lines()
                    .filter(line -> line.startsWith(name + " "))
                    .mapToInt(line -> (int) Double.parseDouble(line.substring(name.length() + 1)))
                    .sum();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
