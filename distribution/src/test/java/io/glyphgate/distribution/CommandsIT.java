package io.glyphgate.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of the launcher, and the configurations that come with it. */
class CommandsIT {
    private static final Installation INSTALLATION = Installation.built();
    /** How the JVM begins to call the place of a class that is in what was prepared. */
    private static final String PREPARED = "shared objects file";
    private static final Path GOLDENS = Path.of("../core/proxy/src/test/resources/goldens");

    @TempDir
    private Path temp;

    static Stream<Path> configurations() throws IOException {
        Path config = INSTALLATION.home().resolve("config");
        return Stream.concat(
                Installation.children(config).stream(), Installation.children(config.resolve("examples")).stream())
                .filter(file -> file.toString().endsWith(".yaml"))
                // it needs keys and certificates: SecureExampleTest makes some and starts it
                .filter(file -> !file.endsWith("secure.yaml"));
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void everyConfigurationStarts(Path file) throws Exception {
        Path config = temp.resolve("glyphgate.yaml");
        Path template = file.resolveSibling("demo.jinja"); // of the demo's model, beside its configuration
        if (Files.exists(template)) {
            Files.copy(template, temp.resolve("demo.jinja"));
        }
        String here = Files.readString(file).replaceAll("source: (/models|\\.\\./tokenizers)/\\S+(?=[ \\n])", source());
        Files.writeString(config, (here.contains("\nserver:") ? here.replaceFirst("port: 8080", "port: 0") : here
                + "\nserver: { port: 0 }\n"));
        try (Service service = Service.start(INSTALLATION, "serve", "--config", config.toString())) {
            assertThat(service.get("/ready").status()).isEqualTo(200);
            assertThat(service.get("/v1/models").body()).contains("\"object\":\"model\"");
        }
    }

    /** What the build, or an operator, has prepared is used in whatever folder, and no longer once a jar is another one. */
    @Test
    void theBuildHasPreparedItForAnyFolder() throws Exception {
        Installation copy = INSTALLATION.copiedTo(temp.resolve("somewhere/else"));
        assertThat(sourceOfMain(copy)).startsWith(PREPARED);

        Path jar = Installation.children(copy.home().resolve("lib")).stream()
                .filter(file -> file.getFileName().toString().startsWith("glyphgate-spi"))
                .findFirst()
                .orElseThrow();
        try (FileSystem entries = FileSystems.newFileSystem(jar)) {
            Files.writeString(entries.getPath("another"), "one");
        }
        assertThat(sourceOfMain(copy)).endsWith(".jar");

        // a busy machine is too late for the answers that it is prepared with, and it is prepared none the less
        Path java = java("case \"$*\" in *' soak '*) exit 1 ;; esac");
        Files.copy(home().resolve("release"), java.resolve("release"));
        Launch prepare = Launch.of(
                temp, Map.of("JAVA_HOME", java.toString()), List.of(copy.launcher().toString(), "prepare"));
        assertThat(prepare.status()).as(prepare.output()).isZero();
        assertThat(Installation.children(copy.home().resolve("cache")))
                .filteredOn(file -> file.getFileName().toString().startsWith("java-"))
                .hasSize(1);
        assertThat(sourceOfMain(copy)).startsWith(PREPARED);
    }

    /** The JVM would have longer references for a heap of 64 GB, and what was prepared would not fit. */
    @Test
    void whatIsPreparedFitsAMachineWithMuchMemory() throws Exception {
        assertThat(sourceOfMain(INSTALLATION, "-XX:MaxRAM=128g")).startsWith(PREPARED);
    }

    /** The JVM starts with one such option only. */
    @ParameterizedTest
    @ValueSource(strings = {"-Xshare:off", "-Xshare:auto", "-XX:SharedArchiveFile=none.jsa"})
    void anOptionOfTheOperatorsGoesBeforeWhatIsPrepared(String option) throws Exception {
        assertThat(sourceOfMain(INSTALLATION, option)).endsWith(".jar");
    }

    @Test
    void theJvmSaysWhatItMakesOfThePreparedIfItIsAsked() throws Exception {
        String tag = Runtime.version().feature() < 25 ? "cds" : "aot";
        assertThat(version(Map.of("JDK_JAVA_OPTIONS", "-Xlog:" + tag)).output()).contains("cache/java-");
    }

    /** One option that begins as that of a collector, and another one that ends so, choose none. */
    @Test
    void theLauncherChoosesTheCollectorWhereTheOperatorHasNot() throws Exception {
        Map<String, String> options = Map.of(
                "JDK_JAVA_OPTIONS", "-XX:+UseStringDeduplication -XX:MaxGCPauseMillis=50 -XX:+PrintFlagsFinal");
        assertThat(version(options).output()).containsPattern("bool UseSerialGC += true");
    }

    /** The launcher's own sizes must not be larger than the heap. */
    @Test
    void aSmallHeapIsTakenWithoutAWord() throws Exception {
        assertThat(version(Map.of("JDK_JAVA_OPTIONS", "-Xmx48m")).output())
                .isEqualTo("NOTE: Picked up JDK_JAVA_OPTIONS: -Xmx48m\n" + version(Map.of()).output());
    }

    @Test
    void aJavaWithoutAFileThatDescribesItWillDo() throws Exception {
        Launch launch = version(Map.of("JAVA_HOME", java("").toString()));

        assertThat(launch.status()).as(launch.output()).isZero();
        assertThat(launch.output()).startsWith("glyphgate " + Installation.version());
    }

    @Test
    void refusesToRunTwoVersionsThatWereUnpackedIntoOneFolder() throws Exception {
        Installation copy = INSTALLATION.copiedTo(temp.resolve("home"));
        Path lib = copy.home().resolve("lib");
        Files.copy(lib.resolve("glyphgate-proxy-" + Installation.version() + ".jar"), lib.resolve("glyphgate-proxy-0.0.1.jar"));

        Launch launch = copy.run("--version");

        assertThat(launch.status()).isEqualTo(1);
        assertThat(launch.output()).contains("lib has the program 2 times");
    }

    @Test
    void whatWasPreparedStaysWhereItCannotBeMadeAgain() throws Exception {
        Installation copy = INSTALLATION.copiedTo(temp.resolve("home"));

        Launch launch = Launch.of(
                temp, Map.of("JDK_JAVA_OPTIONS", "-XX:NoSuchOption"), List.of(copy.launcher().toString(), "prepare"));

        assertThat(launch.status()).isEqualTo(1);
        assertThat(launch.output()).isEqualTo("glyphgate: nothing is prepared: see " + copy.home().resolve("cache/prepare.log") + "\n");
        assertThat(copy.home().resolve("cache/prepare.log")).content().contains("NoSuchOption");
        assertThat(sourceOfMain(copy)).startsWith(PREPARED);
    }

    /** The Java that the launcher finds. */
    private static Path home() throws Exception {
        Launch launch =
                Launch.of(INSTALLATION.home(), Map.of(), List.of("sh", "-c", ". bin/find-java.sh && find_java java"));
        return Path.of(launch.output().strip());
    }

    /** One that does the same, and then something else. */
    private Path java(String then) throws Exception {
        Path folder = temp.resolve("java");
        Path program = Files.createDirectories(folder.resolve("bin")).resolve("java");
        Files.writeString(program, "#!/bin/sh\n'" + home() + "/bin/java' \"$@\"\nstatus=$?\n" + then + "\nexit $status\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        return folder;
    }

    private static Launch version(Map<String, String> environment) throws Exception {
        return Launch.of(
                INSTALLATION.home(), environment, List.of(INSTALLATION.launcher().toString(), "--version"));
    }

    /** Where the JVM has the program from. */
    private String sourceOfMain(Installation installation, String... options) throws Exception {
        Path log = temp.resolve("classes.log");
        Launch launch = Launch.of(
                installation.home(),
                Map.of("JDK_JAVA_OPTIONS", "-Xlog:class+load:file=" + log + " " + String.join(" ", options)),
                List.of(installation.launcher().toString(), "--version"));
        assertThat(launch.status()).as(launch.output()).isZero();
        return Files.readAllLines(log).stream()
                .filter(line -> line.contains("io.glyphgate.proxy.boot.Main source: "))
                .map(line -> line.replaceFirst(".* source: ", ""))
                .findFirst()
                .orElseThrow();
    }

    /** As in the making of an image: the first start of it finds the vocabularies. */
    @Test
    void checkingAConfigurationKeepsItsVocabularies() throws Exception {
        Installation copy = INSTALLATION.copiedTo(temp.resolve("home"));
        Path kept = copy.home().resolve("cache/vocabularies");
        Path config = Files.writeString(temp.resolve("glyphgate.yaml"), """
                models: { m: { tokenizer: { %s } } }
                pools: { p: { model: m, tokenizer: proxy, endpoints: [http://localhost:1] } }
                """.formatted(source()));
        if (Files.exists(kept)) {
            for (Path file : Installation.children(kept)) {
                Files.delete(file);
            }
        }
        for (int i = 0; i < 2; i++) {
            Launch check = copy.run("check", "--config", config.toString());
            assertThat(check.status()).as(check.output()).isZero();
            assertThat(check.output()).doesNotContain("vocabular");
            assertThat(Installation.children(kept)).hasSize(1);
        }
    }

    @Test
    void aBadConfigurationIsRefusedWithFileLineAndTheNearestName() throws Exception {
        Path config = Files.writeString(temp.resolve("bad.yaml"), """
                models:
                  m:
                    tool-parser: herms
                    tokenizer: { source: nothing/there.json }
                pools:
                  p: { model: n, tokenizer: proxy, endpoints: [http://localhost:1], polcy: x }
                """);
        Launch launch = INSTALLATION.run("check", "--config", config.toString());

        assertThat(launch.status()).isEqualTo(1);
        assertThat(launch.output()).contains(config + ":6").contains("polcy").contains("policy").contains("'n'");

        Files.writeString(config, Files.readString(config).replace("model: n", "model: m").replace(", polcy: x", ""));
        Launch second = INSTALLATION.run("check", "--config", config.toString());

        assertThat(second.status()).isEqualTo(1);
        assertThat(second.output()).contains(config + ":3").contains("herms").contains("hermes");

        Files.writeString(config, Files.readString(config).replace("herms", "hermes"));
        Launch third = INSTALLATION.run("check", "--config", config.toString());

        assertThat(third.status()).isEqualTo(1);
        assertThat(third.output()).contains(config + ":4").contains("there.json");
    }

    @Test
    void probesTheServers() throws Exception {
        try (Service tokens = Service.start(INSTALLATION, "simulate", "--port", "0", "--tokens-only")) {
            Path config = config("none", tokens);
            Launch good = INSTALLATION.run("check", "--probe", "--config", config.toString());
            assertThat(good.output()).contains("vLLM 0.33.0").contains("tokens only");
            assertThat(good.status()).as(good.output()).isZero();

            Launch bad = INSTALLATION.run("check", "--probe", "--config", config("upstream", tokens).toString());
            assertThat(bad.output()).contains("it makes no text").contains("tokenizer: proxy");
            assertThat(bad.status()).isEqualTo(1);
        }
    }

    @Test
    void explainsARequest() throws Exception {
        Path config = Files.writeString(temp.resolve("glyphgate.yaml"), """
                models: { m: { %s, reasoning-parser: qwen3, tool-parser: hermes } }
                pools:
                  bulk: { model: m, tokenizer: none, endpoints: [http://localhost:1] }
                  chat: { model: m, tokenizer: proxy, endpoints: [http://localhost:2] }
                """.formatted("tokenizer: { " + source() + " }"));
        Path request = Files.writeString(
                temp.resolve("request.json"), "{\"token_ids\":[1],\"sampling_params\":{\"stop\":\"x\"},\"output_mode\":\"text\"}");

        Launch launch = INSTALLATION.run("explain", "--config", config.toString(), request.toString());
        assertThat(launch.status()).as(launch.output()).isZero();
        assertThat(launch.output()).contains("pool: chat").doesNotContain("pool: bulk").contains("hermes").contains("qwen3");

        Launch refused = INSTALLATION.run(
                "explain", "--config", config.toString(), "--header", "X-Glyphgate-Pool=bulk", request.toString());
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.output()).contains("400 pool-cannot-serve").contains("has no tokenizer");
    }

    @Test
    void showsAParserAtWork() throws Exception {
        Launch launch = INSTALLATION.run("parse", "--reasoning-parser", "qwen3", "--tokens-per-step", "2", "--text",
                "<think>so</think>Hello there");
        assertThat(launch.status()).as(launch.output()).isZero();
        assertThat(launch.output()).contains("\"reasoning\":\"so\"").contains("\"content\":\"Hello").contains("\"content\":\" there\"").contains("of them reasoning: ");
    }

    @Test
    void playsACapturedOutputAgain() throws Exception {
        Path file = Files.writeString(temp.resolve("captured.json"), """
                {"request_id": "r", "choice": 0, "time": "2026-01-01T00:00:00Z", "pool": "chat", "model": "m",
                 "tokenizer": {"provider": "huggingface", "source": "%s", "options": {}},
                 "parsers": {"parser": null, "reasoning_parser": "qwen3", "tool_parser": null},
                 "anomalies": [{"parser_kind": "reasoning-parser", "parser": "qwen3", "kind": "unclosed-reasoning"}],
                 "prompt_token_ids": [], "prompt_tokens_left_out": 0, "token_ids": [151667, 198, 13048], "tokens_left_out": 0,
                 "finish_reason": "stop", "stop_reason": "", "sampling": {"skip_special_tokens": true,
                 "spaces_between_special_tokens": true, "stop": [], "include_stop_str_in_output": false, "min_tokens": 0},
                 "parse_context": {}}
                """.formatted(INSTALLATION.home().resolve("tokenizers/qwen3").toUri()));
        Launch launch = INSTALLATION.run("parse", "--captured", file.toString());
        assertThat(launch.status()).as(launch.output()).isZero();
        assertThat(launch.output()).contains("\"reasoning\":").contains("anomaly: unclosed-reasoning (reasoning-parser qwen3)");
    }

    @Test
    void playsTheGoldens() throws Exception {
        Path file = Files.copy(GOLDENS.resolve("detok/qwen3.jsonl.gz"), temp.resolve("qwen3.jsonl.gz"));
        Launch launch = INSTALLATION.run(
                "conformance", "--tokenizers", INSTALLATION.home().resolve("tokenizers").toString(), file.toString());
        assertThat(launch.status()).as(launch.output()).isZero();
        assertThat(launch.output().strip()).endsWith(" passed, 0 failed");
    }

    @Test
    void listsAndPlaysTheParsersThatAConfigurationDescribes() throws Exception {
        String config = INSTALLATION.home().resolve("config/examples/parsers.yaml").toString();
        Launch list = INSTALLATION.run("plugins", "--config", config);
        assertThat(list.status()).as(list.output()).isZero();
        assertThat(list.output())
                .contains("  tool-parser hermes (also qwen3_json)")
                .contains("described in " + config)
                .contains("  reasoning-parser json-in-tags\n  tool-parser json-in-tags\n  tool-parser tags\n");

        Launch played = INSTALLATION.run(
                "conformance",
                "--config",
                config,
                "--tool-parser",
                "json-in-tags",
                "--tokenizers",
                INSTALLATION.home().resolve("tokenizers").toString(),
                GOLDENS.resolve("tools/hermes.jsonl.gz").toAbsolutePath().toString());
        assertThat(played.status()).as(played.output()).isZero();
        assertThat(played.output()).contains("from token IDs").endsWith(" passed, 0 failed\n");
    }

    private Path config(String setting, Service server) throws IOException {
        return Files.writeString(temp.resolve(setting + ".yaml"), """
                models: { tiny: { tokenizer: { %s } } }
                pools: { p: { model: tiny, tokenizer: %s, endpoints: [%s] } }
                """.formatted(source(), setting, server.uri()));
    }

    private static String source() {
        return "source: \"" + Matcher.quoteReplacement(INSTALLATION.home().resolve("tokenizers/qwen3").toString()) + "\"";
    }
}
