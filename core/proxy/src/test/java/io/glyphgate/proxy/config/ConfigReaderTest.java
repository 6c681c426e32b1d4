package io.glyphgate.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.glyphgate.proxy.config.ProxyConfig.OnFailure;
import io.glyphgate.proxy.config.ProxyConfig.Policy;
import io.glyphgate.proxy.config.ProxyConfig.Pool;
import io.glyphgate.proxy.config.ProxyConfig.Prefer;
import io.glyphgate.proxy.config.ProxyConfig.Ready;
import io.glyphgate.proxy.config.ProxyConfig.Role;
import io.glyphgate.proxy.config.ProxyConfig.TokenizerSetting;
import io.glyphgate.proxy.config.ProxyConfig.TokenizerSource;
import io.glyphgate.proxy.config.ProxyConfig.UpstreamDerender;
import io.glyphgate.proxy.pool.Watches;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigReaderTest {
    /** A correct file; tests put something in front of it, so its own lines come last. */
    private static final String SMALL =
            """
            models:
              m: {}
            pools:
              p:
                model: m
                tokenizer: none
                endpoints: [ http://a:8000 ]
            """;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource("io.glyphgate.proxy.config.ExampleConfigs#all")
    void readsEveryExample(Path example) {
        ConfigFile file = ConfigReader.read(example, Map.of());
        assertThat(file.config().pools()).isNotEmpty();
    }

    @Test
    void blocksThatAreMissingTakeTheirDefaults() {
        ProxyConfig config = read(SMALL).config();
        assertThat(config.server())
                .isEqualTo(new ProxyConfig.Server(
                        "0.0.0.0", 8080, new Size(32 << 20), new Size(8 << 10), new Size(16 << 10), 100,
                        ProxyConfig.Streaming.AUTO, Duration.ofMinutes(5), Duration.ofSeconds(5), Ready.ANY_MODEL, Optional.empty(), Optional.empty()));
        assertThat(config.plugins())
                .isEqualTo(new ProxyConfig.Plugins(Path.of("plugins"), OnFailure.FAIL, Map.of()));
        assertThat(config.routing()).isEqualTo(new ProxyConfig.Routing(Prefer.NARROWEST));
        assertThat(config.upstream())
                .isEqualTo(new ProxyConfig.Upstream(
                        Duration.ofSeconds(2),
                        Duration.ofMinutes(10),
                        Duration.ofSeconds(60),
                        256,
                        Duration.ofSeconds(4),
                        ProxyConfig.OnMismatch.WARN,
                        ProxyConfig.OnMismatch.WARN,
                        Duration.ofMinutes(10)));
        assertThat(config.doors()).isEqualTo(new ProxyConfig.Doors(
                true, false, true, Optional.empty(), false, true, true, true, ProxyConfig.UnknownFields.REFUSE));
        assertThat(config.derender())
                .isEqualTo(new ProxyConfig.Derender(1000, new Size(128 << 20), Duration.ofMinutes(2), Duration.ofHours(1), Optional.empty()));
        assertThat(config.retries()).isEqualTo(new ProxyConfig.Retries(3, new Percent(20), 10));
        assertThat(config.clients())
                .isEqualTo(new ProxyConfig.Clients(
                        true, Duration.ofMinutes(1), Duration.ofMinutes(2), Duration.ofSeconds(15)));
        assertThat(model(config, "m").tokenizer()).isEmpty();
        assertThat(model(config, "m").vocabularySize()).isEmpty();
        assertThat(config.pools())
                .containsExactly(Map.entry(
                        "p",
                        new Pool(
                                "m",
                                Optional.empty(),
                                Role.BOTH,
                                TokenizerSetting.NONE,
                                List.of(URI.create("http://a:8000")),
                                Optional.empty(),
                                Watches.DEFAULT,
                                new Policy("power-of-two-choices", Map.of()),
                                UpstreamDerender.BATCH,
                                ProxyConfig.Chat.NONE,
                                new ProxyConfig.Kv(
                                        "default",
                                        new ProxyConfig.Connector("nixl", Map.of()),
                                        ProxyConfig.WithoutPrefill.DECODE_ONLY),
                                new ProxyConfig.Limits(OptionalInt.empty(), 100, Duration.ofSeconds(10)),
                                Optional.empty(),
                                Optional.empty())));
    }

    @Test
    void readsEveryKindOfValue() {
        ProxyConfig config = read(
                        """
                        server: { port: 0, max-body: 1KiB, max-request-line: 100B, max-headers: 8KiB, max-header-count: 7, drain: 0s, streaming: thread }
                        plugins:
                          path: /opt/plugins
                          on-failure: skip
                          prefer: { tool-parser: { hermes: acme } }
                        models:
                          "no":
                            aliases: [ on, 1.5, 0x10 ]
                            vocabulary-size: 12
                            tokenizer: { provider: p2, source: t.json, revision: 010, fast: yes }
                        pools:
                          p:
                            model: no
                            served-model: off
                            role: decode
                            tokenizer: proxy
                            endpoints:
                              - https://a.example/
                              - http://[::1]:9
                            policy: { name: sticky, header: x-session }
                            limits: { in-flight-per-endpoint: 64, queue: 0, queue-wait: 500ms }
                        routing: { prefer: any }
                        retries: { attempts: 2, budget: 5%, min-per-second: 0 }
                        upstream: { connect: 250ms, idle-connections-per-endpoint: 0 }
                        clients: { cancel-on-disconnect: false, stall: 1h }
                        """)
                .config();
        assertThat(config.server()).isEqualTo(new ProxyConfig.Server(
                "0.0.0.0", 0, new Size(1024), new Size(100), new Size(8 << 10), 7, ProxyConfig.Streaming.THREAD,
                Duration.ZERO, Duration.ofSeconds(5), Ready.ANY_MODEL, Optional.empty(), Optional.empty()));
        assertThat(config.retries()).isEqualTo(new ProxyConfig.Retries(2, new Percent(5), 0));
        assertThat(config.plugins().onFailure()).isEqualTo(OnFailure.SKIP);
        assertThat(config.plugins().prefer()).isEqualTo(Map.of("tool-parser", Map.of("hermes", "acme")));
        ProxyConfig.Model model = model(config, "no");
        assertThat(model.aliases()).containsExactly("on", "1.5", "0x10");
        assertThat(model.vocabularySize()).hasValue(12);
        assertThat(model.tokenizer())
                .contains(new TokenizerSource("p2", "t.json", Map.of("revision", "010", "fast", "yes")));
        Pool pool = pool(config, "p");
        assertThat(pool.servedModel()).contains("off");
        assertThat(pool.endpoints())
                .containsExactly(URI.create("https://a.example"), URI.create("http://[::1]:9"));
        assertThat(pool.policy()).isEqualTo(new Policy("sticky", Map.of("header", "x-session")));
        assertThat(pool.limits()).isEqualTo(new ProxyConfig.Limits(OptionalInt.of(64), 0, Duration.ofMillis(500)));
        assertThat(config.routing().prefer()).isEqualTo(Prefer.ANY);
        assertThat(config.upstream().connect()).isEqualTo(Duration.ofMillis(250));
        assertThat(config.clients().cancelOnDisconnect()).isFalse();
        assertThat(config.clients().stall()).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void mapsKeepTheOrderOfTheFile() {
        ProxyConfig config = read(
                        """
                        models: { z: {}, a: {}, k: {} }
                        pools:
                          p3: { model: z, tokenizer: none, endpoints: [ http://a ] }
                          p1: { model: a, tokenizer: none, endpoints: [ http://a ] }
                          p2: { model: k, tokenizer: none, endpoints: [ http://a ] }
                        """)
                .config();
        assertThat(config.models().keySet()).containsExactly("z", "a", "k");
        assertThat(config.pools().keySet()).containsExactly("p3", "p1", "p2");
    }

    @Test
    void blockWithoutKeysIsEmpty() {
        assertThat(read(SMALL.replace(" {}", "") + "server:\n")
                        .config()
                        .server()
                        .port())
                .isEqualTo(8080);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "server: { prot: 1 } | :1: server.prot: unknown key; did you mean 'port'?",
                "sevrer: {} | :1: sevrer: unknown key; did you mean 'server'?",
                "retries: { budget: 20 } | :1: retries.budget: '20' has no unit; (units: %; for example 20%)",
                "retries: { budget: 2000% } | :1: retries.budget: 2000% is out of range; give 0% to 1000%",
                "server: { x-y-z: 1 } | :1: server.x-y-z: unknown key; known: api-key-file, drain, drain-delay, host, max-body, max-header-count, max-headers, max-request-line, port, ready, streaming, tls",
                "server: { port: 1, port: 2 } | :1: server.port: given twice, first on line 1: remove one",
                "server: { drain: 5 } | :1: server.drain: '5' has no unit; (units: ms, s, m, h; for example 30s)",
                "server: { drain: 5 min } | :1: server.drain: '5 min' has the unknown unit min",
                "server: { drain: soon } | :1: server.drain: 'soon' is not a whole number with a unit",
                "server: { drain: 1.5h } | :1: server.drain: '1.5h' is not a whole number with a unit",
                "server: { drain: 25h } | :1: server.drain: 25h is out of range; give 0ms to 24h",
                "server: { drain: 9999999999999999h } | :1: server.drain: 9999999999999999h is out of range",
                "server: { max-body: 32MB } | :1: server.max-body: '32MB' has the unknown unit MB; did you mean 32MiB?",
                "server: { max-body: 0B } | :1: server.max-body: 0B is out of range; give 1B to 1GiB",
                "server: { port: 65536 } | :1: server.port: 65536 is out of range; give a number from 0 to 65535",
                "server: { port: -1 } | :1: server.port: -1 is out of range",
                "server: { port: 99999999999 } | :1: server.port: 99999999999 is out of range",
                "server: { port: 0x50 } | :1: server.port: '0x50' is not a whole number",
                "server: { port: 8_080 } | :1: server.port: '8_080' is not a whole number",
                "server: { port: [ 1 ] } | :1: server.port: is a list, but must be a plain value",
                "server: { port: { a: 1 } } | :1: server.port: is a block of keys, but must be a plain value",
                "server: { port: } | :1: server.port: has no value; give it one, or remove the key",
                "server: { host: '' } | :1: server.host: has no value",
                "server: 8080 | :1: server: is the plain value '8080', but must be a block of keys",
                "server: [ 8080 ] | :1: server: is a list, but must be a block of keys",
                "clients: { cancel-on-disconnect: yes } | :1: clients.cancel-on-disconnect: 'yes' is neither true "
                        + "nor false",
                "plugins: { on-failure: skipp } | :1: plugins.on-failure: 'skipp' is not a value of this key; "
                        + "did you mean 'skip'? (known: fail, skip)",
                "plugins: { on-failure: SKIP } | :1: plugins.on-failure: 'SKIP' is not a value of this key",
                "plugins: { prefer: { parser: acme } } | :1: plugins.prefer.parser: is the plain value 'acme'",
                "server: !!python/object:os.system { port: 1 } | :1: not YAML: Global tag is not allowed",
                "server: !secret x | :1: server: the tag !secret means nothing here, remove it",
                "? [ a ] | :1: a key must be plain text",
                "server: { <<: { port: 1 } } | :1: server: merging with << is not supported",
                "server: &x { port: *x } | :1: server.port: holds itself through an alias",
                "server: { port: 1 | :2: not YAML: while parsing a flow mapping",
            })
    void saysWhatIsWrong(String first, String message) {
        assertThat(problemsOf(first + "\n" + SMALL)).contains(folder.resolve("glyphgate.yaml") + message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "decode-0:8000 | 'decode-0:8000' does not start with http:// or https://",
                "ftp://a | 'ftp://a' does not start with http:// or https://",
                "http:// | 'http://' has no valid host",
                "http://my_host:1 | 'http://my_host:1' has no valid host",
                "http://a:99999 | 'http://a:99999' has a port that does not exist",
                "http://u@a:1 | 'http://u@a:1' must not hold a user, a query or a fragment",
                "http://a:1?x=1 | 'http://a:1?x=1' must not hold",
                "http://a b | 'http://a b' is not an address",
            })
    void saysWhatIsWrongWithAnAddress(String address, String message) {
        assertThat(problemsOf(SMALL.replace("http://a:8000", "http://a:8000, '" + address + "'")))
                .contains(":7: pools.p.endpoints[1]: " + message);
    }

    @Test
    void tellsAllProblemsInTheOrderOfTheFile() {
        String problems = problemsOf(
                """
                server: { prot: 1, drain: 5 }
                pools:
                  decode:
                    tokenzier: proxy
                    role: decoder
                    endpoints: http://a
                clients: { stall: 0s }
                """);
        assertThat(problems.lines().map(line -> line.replace(folder + "/glyphgate.yaml", "")))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith(":1: server.drain: '5' has no unit"),
                        line -> assertThat(line).startsWith(":1: server.prot: unknown key; did you mean 'port'?"),
                        line -> assertThat(line).startsWith(":3: pools.decode.model: missing;"),
                        line -> assertThat(line)
                                .startsWith(":3: pools.decode.tokenizer: missing; it has no default, so give it "
                                        + "(one of none, upstream, proxy): "),
                        line -> assertThat(line)
                                .startsWith(":4: pools.decode.tokenzier: unknown key; did you mean 'tokenizer'?"),
                        line -> assertThat(line)
                                .startsWith(":5: pools.decode.role: 'decoder' is not a value of this key; "
                                        + "did you mean 'decode'? (known: both, decode, prefill, render)"),
                        line -> assertThat(line).startsWith(":6: pools.decode.endpoints: must be a list"),
                        line -> assertThat(line).startsWith(":7: clients.stall: 0s is out of range; give 1ms to 24h"));
    }

    @Test
    void refusesAFileThatIsNotThere() {
        ConfigException refused = catchThrowableOfType(
                ConfigException.class, () -> ConfigReader.read(folder.resolve("none.yaml"), Map.of()));
        assertThat(refused).hasMessage(folder.resolve("none.yaml") + ": there is no such file; name an existing one");
    }

    @Test
    void refusesAFileThatIsNotUtf8() throws IOException {
        Path file = folder.resolve("glyphgate.yaml");
        Files.write(file, "server: { host: é }".getBytes(StandardCharsets.ISO_8859_1));
        ConfigException refused =
                catchThrowableOfType(ConfigException.class, () -> ConfigReader.read(file, Map.of()));
        assertThat(refused).hasMessageEndingWith("is not UTF-8 text; save it as UTF-8");
    }

    @Test
    void refusesControlCharactersByLine() {
        assertThat(problemsOf(SMALL + "# \u0007\n")).contains(":8: not YAML: the character U+0007 is not allowed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "# nothing\n", "---\n"})
    void refusesAnEmptyFile(String text) {
        assertThat(problemsOf(text)).contains("models: there is no model").contains("pools: there is no pool");
    }

    @Test
    void refusesASecondDocument() {
        assertThat(problemsOf(SMALL + "---\n" + SMALL)).contains("not YAML").contains("single document");
    }

    @Test
    void knowsWhereEachKeyStands() {
        ConfigFile file = read(SMALL);
        assertThat(file.problem(KeyPath.of("pools", "p", "endpoints").item(0), "x"))
                .hasToString(file.path() + ":7: pools.p.endpoints[0]: x");
        // A key that is not given is looked for in the block that would hold it.
        assertThat(file.problem(KeyPath.of("pools", "p", "policy", "name"), "x"))
                .hasToString(file.path() + ":4: pools.p.policy.name: x");
        assertThat(file.problem(KeyPath.of("server", "port"), "x"))
                .hasToString(file.path() + ":1: server.port: x");
        assertThat(file.gives(KeyPath.of("pools", "p", "model"))).isTrue();
        assertThat(file.gives(KeyPath.of("pools", "p", "role"))).isFalse();
    }

    @Test
    void locatesSources() throws Exception {
        ConfigFile file = read(SMALL);
        assertThat(file.locate("t/tokenizer.json")).isEqualTo(folder.resolve("t/tokenizer.json").toUri());
        assertThat(file.locate("/models/tokenizer.json")).isEqualTo(Path.of("/models/tokenizer.json").toUri());
        assertThat(file.locate("hf://Qwen/Qwen3-8B")).isEqualTo(URI.create("hf://Qwen/Qwen3-8B"));
    }

    private ConfigFile read(String text) {
        try {
            Path file = Files.writeString(folder.resolve("glyphgate.yaml"), text);
            return ConfigReader.read(file, Map.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String problemsOf(String text) {
        return catchThrowableOfType(ConfigException.class, () -> read(text)).getMessage();
    }

    private static ProxyConfig.Model model(ProxyConfig config, String name) {
        return Objects.requireNonNull(config.models().get(name), name);
    }

    private static ProxyConfig.Pool pool(ProxyConfig config, String name) {
        return Objects.requireNonNull(config.pools().get(name), name);
    }
}
