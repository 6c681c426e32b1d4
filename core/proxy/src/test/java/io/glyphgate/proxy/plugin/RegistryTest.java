package io.glyphgate.proxy.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.glyphgate.proxy.config.ProxyConfig.OnFailure;
import io.glyphgate.spi.PoolPolicyProvider;
import io.glyphgate.spi.Provider;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.ToolParserProvider;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RegistryTest {
    @TempDir
    private Path temp;

    private Path plugins = Path.of("");
    private final List<Registry> open = new ArrayList<>();

    @BeforeEach
    void makeFolder() throws IOException {
        plugins = Files.createDirectory(temp.resolve("plugins"));
    }

    @AfterEach
    void close() {
        open.forEach(Registry::close);
    }

    @Test
    void findsProvidersByNameAndAlias() throws IOException {
        plugin("acme").parser("One", "one", aliases("uno", "eins")).write();
        plugin("other").parser("Two", "two", "").write();
        Registry registry = load();
        Provider one = registry.find(ReasoningParserProvider.class, "one").orElseThrow();
        assertThat(one.name()).isEqualTo("one");
        assertThat(registry.find(ReasoningParserProvider.class, "eins")).containsSame((ReasoningParserProvider) one);
        assertThat(registry.find(ReasoningParserProvider.class, "three")).isEmpty();
        assertThat(registry.find(ToolParserProvider.class, "one")).isEmpty();
        assertThat(registry.names(ReasoningParserProvider.class)).containsExactly("eins", "one", "two", "uno");
        assertThat(registry.names(ToolParserProvider.class)).isEmpty();
        assertThat(registry.folderOf(PluginKind.REASONING_PARSER, "uno")).contains("acme");
    }

    @Test
    void listsWhatIsLoaded() throws IOException {
        plugin("acme").parser("One", "one", aliases("uno", "eins")).write();
        plugin("old").parser("Two", "two", "").manifest("Spi-Version", "").write();
        String spi = SpiVersion.ofHost().toString();
        Registry registry = load();
        assertThat(registry.plugins())
                .containsExactly(
                        new Plugin(
                                "acme",
                                "1.2.3",
                                spi,
                                List.of(new Plugin.Extension(
                                        PluginKind.REASONING_PARSER, "one", Set.of("uno", "eins")))),
                        new Plugin(
                                "old",
                                "1.2.3",
                                "unknown",
                                List.of(new Plugin.Extension(PluginKind.REASONING_PARSER, "two", Set.of()))));
        assertThat(registry.skipped()).isEmpty();
    }

    @Test
    void findsEveryKind() throws IOException {
        plugin("all")
                .source(
                        "acme.All",
                        """
                        package acme;
                        import io.glyphgate.spi.*;
                        import java.net.URI;
                        import java.time.LocalDateTime;
                        import java.util.*;
                        public class All {
                            interface Named extends Provider { default String name() { return "all"; } }
                            static class Parser implements ReasoningParser, ToolParser, CombinedParser {
                                public void accept(TokenDelta delta, DeltaSink out) { out.structure(delta.text()); }
                                public void finish(FinishReason reason, DeltaSink out) { out.anomaly("none"); }
                            }
                            public static class Reasoning implements Named, ReasoningParserProvider {
                                public Set<String> markers() { return Set.of(); }
                                public ReasoningParser create(ParseContext context) { return new Parser(); }
                            }
                            public static class Tools implements Named, ToolParserProvider {
                                public Set<String> markers() { return Set.of(); }
                                public List<ToolOpener> openers() { return List.of(); }
                                public ToolParser create(ParseContext context) { return new Parser(); }
                            }
                            public static class Both implements Named, CombinedParserProvider {
                                public Set<String> markers() { return Set.of(); }
                                public CombinedParser create(ParseContext context) { return new Parser(); }
                            }
                            public static class Mode implements Named, OutputModeProvider {
                                public Set<Need> needs() { return Set.of(); }
                                public OutputMode open(GenerateRequest request) { return (step, out) -> {}; }
                            }
                            public static class Tok implements Named, TokenizerProvider {
                                public Tokenizer load(URI source, Map<String, String> options) {
                                    throw new IllegalStateException("tokenizers are not loaded here");
                                }
                            }
                            public static class Template implements Named, ChatTemplateProvider {
                                public ChatTemplate compile(String source) {
                                    return new ChatTemplate() {
                                        public ContentFormat contentFormat() { return ContentFormat.STRING; }
                                        public String render(Map<String, ?> variables, LocalDateTime now) { return source; }
                                    };
                                }
                            }
                            public static class Policy implements Named, PoolPolicyProvider {
                                public PoolPolicy create(Map<String, String> options) {
                                    if (options.isEmpty()) throw new IllegalArgumentException("needs an option");
                                    return (request, endpoints) -> endpoints.get(0);
                                }
                            }
                            public static class Connector implements Named, KvConnectorProvider {
                                public KvConnector create(Map<String, String> options) {
                                    return request -> { throw new IllegalStateException("no prompt is handed over here"); };
                                }
                            }
                            public static class Discovery implements Named, EndpointDiscoveryProvider {
                                public EndpointDiscovery create(Context context) {
                                    throw new IllegalArgumentException("needs an option");
                                }
                            }
                        }
                        """)
                .service(ReasoningParserProvider.class, "acme.All$Reasoning")
                .service(ToolParserProvider.class, "acme.All$Tools")
                .service(io.glyphgate.spi.CombinedParserProvider.class, "acme.All$Both")
                .service(io.glyphgate.spi.OutputModeProvider.class, "acme.All$Mode")
                .service(io.glyphgate.spi.TokenizerProvider.class, "acme.All$Tok")
                .service(io.glyphgate.spi.ChatTemplateProvider.class, "acme.All$Template")
                .service(PoolPolicyProvider.class, "acme.All$Policy")
                .service(io.glyphgate.spi.KvConnectorProvider.class, "acme.All$Connector")
                .service(io.glyphgate.spi.EndpointDiscoveryProvider.class, "acme.All$Discovery")
                .write();
        Registry registry = load();
        for (PluginKind kind : PluginKind.values()) {
            assertThat(registry.find(kind.type(), "all")).as(kind.label()).isPresent();
        }
        assertThat(registry.plugins().getFirst().extensions())
                .extracting(Plugin.Extension::kind)
                .containsExactly(PluginKind.values());
    }

    @Test
    void pluginSeesItsOwnLibrariesAndNothingOfTheProgram() throws IOException {
        String probe =
                """
                static String from(String name) {
                    try {
                        ClassLoader loader = Class.forName(name).getClassLoader();
                        return name + " from " + (loader == null ? "the JDK" : loader.getName());
                    } catch (ClassNotFoundException e) { return name + " hidden"; }
                }
                public Set<String> markers() {
                    return Set.of(
                        from("com.fasterxml.jackson.core.JsonFactory"),
                        from("io.glyphgate.proxy.plugin.Registry"),
                        from("io.helidon.webserver.WebServer"),
                        from("java.sql.Driver"),
                        "context " + Thread.currentThread().getContextClassLoader().getName(),
                        "service files of the program: " + getClass().getClassLoader()
                            .resources("META-INF/services/io.glyphgate.spi.PoolPolicyProvider").count());
                }
                """;
        plugin("own")
                .parser("Probe", "own", probe)
                .source(
                        "com.fasterxml.jackson.core.JsonFactory",
                        "package com.fasterxml.jackson.core; public class JsonFactory {}")
                .write();
        plugin("bare").parser("Probe", "bare", probe).write();
        Registry registry = load();
        assertThat(seenBy(registry, "own")).contains("com.fasterxml.jackson.core.JsonFactory from plugin-own");
        assertThat(seenBy(registry, "bare"))
                .containsExactlyInAnyOrder(
                        "com.fasterxml.jackson.core.JsonFactory hidden",
                        "io.glyphgate.proxy.plugin.Registry hidden",
                        "io.helidon.webserver.WebServer hidden",
                        "java.sql.Driver from platform",
                        "context plugin-bare",
                        "service files of the program: 0");
    }

    @Test
    void callGetsItsLoaderBack() throws IOException {
        plugin("acme").parser("One", "one", "").write();
        Provider provider = load().find(ReasoningParserProvider.class, "one").orElseThrow();
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        ClassLoader inside = Registry.withLoaderOf(provider, thread::getContextClassLoader);
        assertThat(inside).isSameAs(provider.getClass().getClassLoader());
        IOException thrown = catchThrowableOfType(
                IOException.class,
                () -> Registry.withLoaderOf(provider, () -> {
                    throw new IOException("as it is");
                }));
        assertThat(thrown).hasMessage("as it is");
        assertThat(thread.getContextClassLoader()).isSameAs(before);
    }

    @Test
    void copyOfTheSpiInTheFolderDoesNoHarm() throws IOException {
        plugin("acme")
                .parser(
                        "One",
                        "one",
                        """
                        public Set<String> markers() {
                            return Set.of("copies: " + getClass().getClassLoader()
                                .resources("io/glyphgate/spi/spi.properties").count());
                        }
                        """)
                .write();
        pack(TestPlugin.spi(), plugins.resolve("acme/glyphgate-spi.jar"));
        assertThat(seenBy(load(), "one")).containsExactly("copies: 1");
    }

    @Test
    void refusesAServiceFileThatNamesAMissingClass() throws IOException {
        plugin("acme")
                .parser("One", "one", "")
                .service(ReasoningParserProvider.class, "acme.NoSuch")
                .service(ToolParserProvider.class, "acme.NoSuchEither")
                .write();
        assertThat(faults())
                .satisfiesExactly(
                        fault -> assertThat(fault)
                                .startsWith("plugin folder 'acme': its service file for the kind reasoning-parser")
                                .contains("acme.NoSuch not found"),
                        fault -> assertThat(fault).contains("tool-parser").contains("acme.NoSuchEither not found"));
    }

    @Test
    void refusesAMalformedServiceFile() throws IOException {
        plugin("acme").service(ReasoningParserProvider.class, "not a class name").write();
        assertThat(faults())
                .singleElement()
                .asString()
                .startsWith("plugin folder 'acme': its service file for the kind reasoning-parser does not work: ")
                .contains("plugin.jar")
                .contains(":1:");
    }

    @Test
    void refusesAClassOfAnotherKind() throws IOException {
        plugin("acme").parser("One", "one", "").service(ToolParserProvider.class, "acme.One").write();
        assertThat(faults()).singleElement().asString().contains("acme.One not a subtype");
    }

    @Test
    void refusesAClassThatCannotBeMade() throws IOException {
        plugin("acme")
                .parser("One", "one", "public One() { throw new IllegalStateException(\"no licence\"); }")
                .write();
        assertThat(faults()).singleElement().asString().contains("acme.One").contains("no licence");
    }

    @Test
    void refusesAFolderThatBringsNothing() throws IOException {
        plugin("acme").write();
        assertThat(faults())
                .containsExactly("plugin folder 'acme': brings nothing: no jar in it has a file "
                        + "META-INF/services/io.glyphgate.spi.XProvider that names a class");
    }

    @Test
    void refusesAFolderWithoutJars() throws IOException {
        Files.createDirectory(plugins.resolve("acme"));
        Files.writeString(plugins.resolve("acme/README"), "nothing");
        assertThat(faults())
                .containsExactly("plugin folder 'acme' holds no jar; put the plugin's jars into it, or remove it");
    }

    @Test
    void refusesABrokenJar() throws IOException {
        Path jar = plugin("acme").parser("One", "one", "").write();
        byte[] whole = Files.readAllBytes(jar);
        Files.write(jar, Arrays.copyOf(whole, whole.length / 2));
        assertThat(faults())
                .singleElement()
                .asString()
                .startsWith("plugin folder 'acme': the jar 'plugin.jar' is broken (")
                .endsWith("); copy it again");
    }

    @Test
    void refusesAJarBesideTheFolders() throws IOException {
        Files.move(plugin("acme").parser("One", "one", "").write(), plugins.resolve("acme.jar"));
        Files.delete(plugins.resolve("acme"));
        assertThat(faults())
                .containsExactly("the jar 'acme.jar' lies beside the plugin folders; give it a folder of its own");
    }

    @Test
    void passesOverOtherFilesAndHiddenFolders() throws IOException {
        Files.writeString(plugins.resolve("README.md"), "hello");
        Files.createDirectory(plugins.resolve(".hidden"));
        assertThat(load().plugins()).isEmpty();
    }

    @Test
    void refusesAMissingPluginsFolder() {
        PluginException refused = catchThrowableOfType(
                PluginException.class, () -> Registry.load(temp.resolve("none"), OnFailure.SKIP, Map.of()));
        assertThat(refused)
                .hasMessageStartingWith("the plugins folder '" + temp.resolve("none") + "' cannot be read (")
                .hasMessageEndingWith("); set plugins.path to the folder that holds the plugins");
    }

    /** Java loads a class only when it is needed, so only the self-check can see these. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "public ReasoningParser create(ParseContext c) { return new Lib().parser(); }",
                "public Set<String> markers() { return new Lib().markers(); }",
                "public Set<String> aliases() { return new Lib().markers(); }",
                """
                public ReasoningParser create(ParseContext c) {
                    return new ReasoningParser() {
                        public void accept(TokenDelta delta, DeltaSink out) { new Lib(); }
                        public void finish(FinishReason reason, DeltaSink out) {}
                    };
                }""",
                """
                public ReasoningParser create(ParseContext c) {
                    return new ReasoningParser() {
                        public void accept(TokenDelta delta, DeltaSink out) {}
                        public void finish(FinishReason reason, DeltaSink out) { new Lib(); }
                    };
                }""",
                """
                public Set<String> markers() { return Set.of("[["); }
                public ReasoningParser create(ParseContext c) {
                    return new ReasoningParser() {
                        public void accept(TokenDelta delta, DeltaSink out) {
                            if (delta.text().toString().contains("[[")) new Lib();
                        }
                        public void finish(FinishReason reason, DeltaSink out) {}
                    };
                }""",
            })
    void refusesAMissingLibraryAtTheStart(String methods) throws IOException {
        plugin("acme")
                .source(
                        "acme.Lib",
                        """
                        package acme;
                        public class Lib {
                            io.glyphgate.spi.ReasoningParser parser() { return null; }
                            java.util.Set<String> markers() { return null; }
                        }
                        """)
                .parser("One", "one", methods)
                .omit("acme.Lib")
                .write();
        assertThat(faults())
                .containsExactly("plugin folder 'acme': the reasoning-parser acme.One needs a class that is not there "
                        + "(NoClassDefFoundError: acme/Lib); put the jar that holds it into the folder");
    }

    @Test
    void refusesAClassThatFailsToSetItselfUp() throws IOException {
        plugin("acme")
                .source("acme.Lib", "package acme; class Lib { static final int SIZE = Integer.parseInt(\"many\"); }")
                .parser("One", "one", "public Set<String> markers() { return Set.of(\"\" + Lib.SIZE); }")
                .write();
        assertThat(faults())
                .singleElement()
                .asString()
                .startsWith("plugin folder 'acme': the reasoning-parser acme.One fails while its classes are set up: "
                        + "NumberFormatException: ");
    }

    @Test
    void refusesClassesThatDoNotFitTogether() throws IOException {
        Path jar = plugin("other")
                .source("acme.Lib", "package acme; class Lib { static String marker() { return \"x\"; } }")
                .parser("One", "one", "public Set<String> markers() { return Set.of(Lib.marker()); }")
                .omit("acme.Lib")
                .write();
        plugin("acme").source("acme.Lib", "package acme; class Lib {}").write();
        Files.move(jar, plugins.resolve("acme/one.jar"));
        Files.delete(plugins.resolve("other"));
        assertThat(faults())
                .singleElement()
                .asString()
                .startsWith("plugin folder 'acme': the reasoning-parser acme.One does not fit the classes it finds "
                        + "(NoSuchMethodError: ")
                .endsWith("); compile the plugin with the jars that it runs with");
    }

    @Test
    void refusesAMissingSuperclassAndReadsOn() throws IOException {
        plugin("acme")
                .source("acme.Lib", "package acme; public abstract class Lib extends Base {}")
                .source(
                        "acme.Bad",
                        "package acme; public class Bad extends Lib { public String name() { return \"bad\"; } }")
                .service(ReasoningParserProvider.class, "acme.Bad")
                .parser("Worse", "Worse", "")
                .omit("acme.Lib")
                .write();
        assertThat(faults())
                .satisfiesExactly(
                        fault -> assertThat(fault).contains("acme/Lib"),
                        fault -> assertThat(fault).contains("acme.Worse fails its self-check"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "public String name() { return \"One\"; } | its name 'One' holds something other than",
                "public Set<String> aliases() { return Set.of(\"a b\"); } | its alias 'a b' holds something other than",
                "public Set<String> aliases() { return Set.of(\"one\"); } | its aliases hold its name 'one'",
                "public Set<String> markers() { return Set.of(\"\"); } | markers() holds an empty text",
                "public Set<String> markers() { return null; } | markers() gave null",
                "public Set<String> aliases() { return null; } | aliases() gave null",
                "public String name() { return null; } | name() gave null",
                "public ReasoningParser create(ParseContext c) { return null; } | create(..) gave null",
                "public ReasoningParser create(ParseContext c) { throw new IllegalStateException(\"later\"); } | "
                        + "IllegalStateException: later",
            })
    void refusesAProviderThatBreaksARule(String methods, String fault) throws IOException {
        String name = methods.contains("String name()") ? "" : "public String name() { return \"one\"; }";
        plugin("acme")
                .source("acme.One", "package acme; import io.glyphgate.spi.*; import java.util.*; "
                        + "public class One extends Named { " + name + methods + " }")
                .source("acme.Named", "package acme; public abstract class Named extends Base {}")
                .parser("Two", "two", "")
                .service(ReasoningParserProvider.class, "acme.One")
                .write();
        assertThat(faults())
                .singleElement()
                .asString()
                .startsWith("plugin folder 'acme': the reasoning-parser acme.One fails its self-check: " + fault);
    }

    @Test
    void refusesOneNameTwiceInAPlugin() throws IOException {
        plugin("acme")
                .parser("One", "one", "")
                .parser("Two", "two", aliases("one"))
                .write();
        assertThat(faults())
                .containsExactly(
                        "plugin folder 'acme': brings two of the kind reasoning-parser called 'one'; rename one");
    }

    @Test
    void refusesOneNameInTwoPlugins() throws IOException {
        plugin("acme").parser("One", "one", "").write();
        plugin("zeta").parser("Two", "two", aliases("one")).write();
        String fault = "the plugin folders 'acme' and 'zeta' each bring the reasoning-parser 'one'; remove one, or set "
                + "plugins.prefer: { reasoning-parser: { one: acme } }";
        assertThat(faults()).containsExactly(fault);
        // It is for the operator to decide, also where plugins that do not load are skipped.
        assertThat(faults(OnFailure.SKIP, Map.of())).containsExactly(fault);
        assertThat(faults(OnFailure.FAIL, Map.of("tool-parser", Map.of("one", "acme")))).containsExactly(fault);
        assertThat(faults(OnFailure.FAIL, Map.of("reasoning-parser", Map.of("one", "other")))).containsExactly(fault);
    }

    @ParameterizedTest
    @CsvSource({"acme, one", "zeta, two"})
    void preferenceSettlesAName(String folder, String name) throws IOException {
        plugin("acme").parser("One", "one", "").write();
        plugin("zeta").parser("Two", "two", aliases("one")).write();
        Registry registry = load(OnFailure.FAIL, Map.of("reasoning-parser", Map.of("one", folder)));
        assertThat(registry.find(ReasoningParserProvider.class, "one").map(Provider::name)).contains(name);
        assertThat(registry.folderOf(PluginKind.REASONING_PARSER, "one")).contains(folder);
        // What is not in doubt stays.
        assertThat(registry.find(ReasoningParserProvider.class, "two")).isPresent();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1.9 | was built for SPI 1.9, this proxy has SPI 1.0: upgrade the proxy or use an older plugin",
                "2.0 | was built for SPI 2.0, this proxy has SPI 1.0: upgrade the proxy or use an older plugin",
                "0.9 | was built for SPI 0.9, this proxy has SPI 1.0: use a newer plugin",
                "one | says Spi-Version 'one' in its manifest, which is no version such as 1.0",
            })
    void refusesAnotherSpi(String version, String fault) throws IOException {
        plugin("acme").parser("One", "one", "").manifest("Spi-Version", version).write();
        assertThat(faults()).containsExactly("plugin folder 'acme' " + fault);
    }

    @Test
    void takesPluginsOfEarlierMinorVersions() {
        assertThat(new SpiVersion(1, 2).runsOn(new SpiVersion(1, 2))).isTrue();
        assertThat(new SpiVersion(1, 2).runsOn(new SpiVersion(1, 10))).isTrue();
        assertThat(new SpiVersion(1, 10).runsOn(new SpiVersion(1, 2))).isFalse();
        assertThat(new SpiVersion(1, 0).runsOn(new SpiVersion(2, 0))).isFalse();
    }

    @Test
    void nativeTokenizersMayLieInOneFolderOnly() throws IOException {
        String name = "ai.djl.huggingface.tokenizers.HuggingFaceTokenizer";
        String text = "package ai.djl.huggingface.tokenizers; public class HuggingFaceTokenizer {}";
        plugin("one").parser("One", "one", "").source(name, text).write();
        assertThat(load().plugins()).hasSize(1);
        plugin("two").parser("Two", "two", "").source(name, text).write();
        assertThat(faults())
                .containsExactly("the plugin folders 'one' and 'two' each hold DJL's native tokenizer library, which a "
                        + "process can load only once; keep it in one of them (a parser gets its tokenizer from the "
                        + "proxy)");
    }

    @Test
    void tellsTheFaultsOfAllPlugins() throws IOException {
        Files.createDirectory(plugins.resolve("empty"));
        plugin("acme").write();
        plugin("good").parser("One", "one", "").write();
        plugin("copy").parser("One", "one", "").write();
        assertThat(faults())
                .satisfiesExactly(
                        fault -> assertThat(fault).startsWith("plugin folder 'empty' holds no jar"),
                        fault -> assertThat(fault).startsWith("plugin folder 'acme': brings nothing"),
                        fault -> assertThat(fault).startsWith("the plugin folders 'copy' and 'good' each bring"));
    }

    @Test
    void skipsPluginsThatDoNotLoad() throws IOException {
        Files.createDirectory(plugins.resolve("empty"));
        plugin("acme").parser("One", "One", "").parser("Two", "Two", "").write();
        plugin("good").parser("One", "one", "").write();
        Registry registry = load(OnFailure.SKIP, Map.of());
        assertThat(registry.plugins()).extracting(Plugin::folder).containsExactly("good");
        assertThat(registry.find(ReasoningParserProvider.class, "one")).isPresent();
        assertThat(registry.skipped()).extracting(Plugin.Skipped::folder).containsExactly("empty", "acme");
        assertThat(registry.skipped().get(1).reason())
                .contains("acme.One fails its self-check")
                .contains("; plugin folder 'acme': the reasoning-parser acme.Two fails its self-check");
    }

    @Test
    void pluginLeavesMemoryOnceClosed() throws Exception {
        plugin("acme").parser("One", "one", "").write();
        ReferenceQueue<ClassLoader> gone = new ReferenceQueue<>();
        WeakReference<ClassLoader> loader = loadAndClose(gone);
        Reference<? extends ClassLoader> collected = null;
        for (int attempt = 0; attempt < 100 && collected == null; attempt++) {
            System.gc();
            collected = gone.remove(50);
        }
        assertThat((Object) collected).isSameAs(loader);
    }

    @Test
    void closedPluginLoadsNoMoreClasses() throws IOException {
        plugin("acme").parser("One", "one", "").source("acme.Later", "package acme; public class Later {}").write();
        Registry registry = load();
        ClassLoader loader = registry.find(ReasoningParserProvider.class, "one")
                .orElseThrow()
                .getClass()
                .getClassLoader();
        registry.close();
        assertThat(catchThrowableOfType(ClassNotFoundException.class, () -> loader.loadClass("acme.Later")))
                .isNotNull();
    }

    @Test
    void findsProvidersOnTheClassPath() {
        try (Registry registry = Registry.of(RegistryTest.class.getClassLoader())) {
            assertThat(registry.names(PoolPolicyProvider.class))
                    .contains("power-of-two-choices", "round-robin", "least-in-flight");
            assertThat(registry.plugins()).extracting(Plugin::folder).containsExactly("class path");
        }
    }

    private WeakReference<ClassLoader> loadAndClose(ReferenceQueue<ClassLoader> gone) {
        try (Registry registry = Registry.load(plugins, OnFailure.FAIL, Map.of())) {
            Provider provider = registry.find(ReasoningParserProvider.class, "one").orElseThrow();
            return new WeakReference<>(provider.getClass().getClassLoader(), gone);
        }
    }

    private static Set<String> seenBy(Registry registry, String name) {
        ReasoningParserProvider probe = registry.find(ReasoningParserProvider.class, name).orElseThrow();
        return Registry.withLoaderOf(probe, probe::markers);
    }

    private static String aliases(String... aliases) {
        return "public Set<String> aliases() { return Set.of(\"" + String.join("\", \"", aliases) + "\"); }";
    }

    private TestPlugin plugin(String folder) {
        return new TestPlugin(temp, plugins.resolve(folder));
    }

    private Registry load() {
        return load(OnFailure.FAIL, Map.of());
    }

    private Registry load(OnFailure onFailure, Map<String, Map<String, String>> prefer) {
        Registry registry = Registry.load(plugins, onFailure, prefer);
        open.add(registry);
        return registry;
    }

    private List<String> faults() {
        return faults(OnFailure.FAIL, Map.of());
    }

    private List<String> faults(OnFailure onFailure, Map<String, Map<String, String>> prefer) {
        return catchThrowableOfType(PluginException.class, () -> load(onFailure, prefer)).faults();
    }

    /** Copies a jar, or makes one of a folder of classes. */
    private static void pack(Path from, Path jar) throws IOException {
        if (Files.isRegularFile(from)) {
            Files.copy(from, jar);
            return;
        }
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                out.putNextEntry(new JarEntry(from.relativize(file).toString().replace('\\', '/')));
                out.write(Files.readAllBytes(file));
            }
        }
    }
}
