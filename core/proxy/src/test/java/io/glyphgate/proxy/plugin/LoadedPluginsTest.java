package io.glyphgate.proxy.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.glyphgate.proxy.config.ProxyConfig.OnFailure;
import io.glyphgate.spi.ReasoningParserProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plugins from one registry to the next. */
class LoadedPluginsTest {
    private static final String NATIVE = "ai.djl.huggingface.tokenizers.HuggingFaceTokenizer";
    private static final String NATIVE_TEXT = "package ai.djl.huggingface.tokenizers; public class HuggingFaceTokenizer {}";

    @TempDir
    private Path temp;

    private Path plugins = Path.of("");
    private final LoadedPlugins loaded = new LoadedPlugins();

    @BeforeEach
    void makeFolder() throws IOException {
        plugins = Files.createDirectory(temp.resolve("plugins"));
    }

    @AfterEach
    void close() {
        loaded.close();
    }

    private TestPlugin plugin(String folder) {
        return new TestPlugin(temp, plugins.resolve(folder));
    }

    private Registry load() {
        return Registry.load(plugins, OnFailure.FAIL, Map.of(), loaded);
    }

    private static ReasoningParserProvider parser(Registry registry, String name) {
        return registry.find(ReasoningParserProvider.class, name).orElseThrow();
    }

    private static boolean loads(ReasoningParserProvider parser, String className) {
        try {
            return parser.getClass().getClassLoader().loadClass(className) != null;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Jars are replaced, not written over: what is loaded may still read the old one. */
    private void replace(String folder, TestPlugin plugin) throws IOException {
        Files.delete(plugins.resolve(folder).resolve("plugin.jar"));
        plugin.write();
    }

    @Test
    void whatHasNotChangedIsLoadedOnceAndClosedWithTheLastThatUsesIt() throws IOException {
        plugin("acme").parser("One", "one", "").source("acme.Later", "package acme; public class Later {}")
                .source("acme.MuchLater", "package acme; public class MuchLater {}").write();
        Registry first = load();
        Registry second = load();
        ReasoningParserProvider one = parser(first, "one");
        assertThat(parser(second, "one")).isSameAs(one);
        first.close();
        first.close();
        assertThat(loads(one, "acme.Later")).isTrue();
        second.close();
        assertThat(loads(one, "acme.MuchLater")).isFalse();
        Registry third = load();
        assertThat(parser(third, "one")).isNotSameAs(one);
        third.close();
    }

    @Test
    void whatHasChangedIsLoadedAnewBesideTheOld() throws IOException {
        plugin("acme").parser("One", "one", "").source("acme.Later", "package acme; public class Later {}").write();
        Registry first = load();
        replace("acme", plugin("acme").parser("One", "one", "public Set<String> aliases() { return Set.of(\"uno\"); }"));
        Registry second = load();
        assertThat(parser(second, "one")).isNotSameAs(parser(first, "one"));
        assertThat(parser(second, "uno").name()).isEqualTo("one");
        assertThat(loads(parser(first, "one"), "acme.Later")).as("the old one works").isTrue();
        first.close();
        assertThat(loads(parser(second, "uno"), "acme.Base")).isTrue();
        second.close();
    }

    @Test
    void whatIsBrokenLeavesTheOldAsItIs() throws IOException {
        plugin("acme").parser("One", "one", "").source("acme.Later", "package acme; public class Later {}").write();
        plugin("good").parser("Two", "two", "").write();
        Registry first = load();
        replace("acme", plugin("acme").parser("One", "one", "").omit("acme.Base"));
        assertThat(catchThrowableOfType(PluginException.class, this::load).faults())
                .singleElement().asString().contains("acme").contains("needs a class that is not there");
        assertThat(loads(parser(first, "one"), "acme.Later")).isTrue();
        assertThat(loads(parser(first, "two"), "acme.Two")).isTrue();
        first.close();
    }

    @Test
    void nativeCodeIsLoadedOnceInAProcess() throws IOException {
        plugin("deep").parser("One", "one", "").source(NATIVE, NATIVE_TEXT).write();
        Registry first = load();
        ReasoningParserProvider one = parser(first, "one");
        assertThat(first.stale()).isEmpty();
        replace("deep", plugin("deep").parser("One", "one", "").source(NATIVE, NATIVE_TEXT).parser("New", "new", ""));
        Registry second = load();
        assertThat(parser(second, "one")).isSameAs(one);
        assertThat(second.names(ReasoningParserProvider.class)).containsExactly("one");
        assertThat(second.stale()).singleElement().asString().contains("'deep'").contains("started again");

        Path away = Files.move(plugins.resolve("deep"), temp.resolve("away"));
        Registry without = load();
        assertThat(without.plugins()).isEmpty();
        first.close();
        second.close();
        without.close();
        Files.move(away, plugins.resolve("deep"));
        Registry back = load();
        assertThat(parser(back, "one")).as("it stays when nobody uses it").isSameAs(one);
        back.close();

        Files.move(plugins.resolve("deep"), plugins.resolve("renamed"));
        assertThat(catchThrowableOfType(PluginException.class, this::load).faults())
                .singleElement().asString().contains("'renamed'").contains("start the proxy again");
    }
}
