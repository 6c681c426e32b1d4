package io.glyphgate.proxy.plugin;

import io.glyphgate.spi.Provider;
import io.glyphgate.spi.ReasoningParserProvider;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles a small plugin and packs it into a jar in a folder of its own. Its classes are in the package acme. */
final class TestPlugin {
    /** A reasoning parser that does nothing, for classes that only differ in a method. */
    private static final String BASE =
            """
            package acme;
            import io.glyphgate.spi.*;
            import java.util.*;
            public abstract class Base implements ReasoningParserProvider {
                public Set<String> markers() { return Set.of(); }
                public ReasoningParser create(ParseContext context) {
                    return new ReasoningParser() {
                        public void accept(TokenDelta delta, DeltaSink out) { out.content(delta.text()); }
                        public void finish(FinishReason reason, DeltaSink out) {}
                    };
                }
            }
            """;

    private final Path work;
    private final Path folder;
    private final Map<String, String> sources = new LinkedHashMap<>();
    private final Map<String, List<String>> services = new LinkedHashMap<>();
    private final Map<String, String> manifest = new LinkedHashMap<>();
    private final List<String> omitted = new ArrayList<>();

    /**
     * A plugin without anything in it, for this version of the SPI.
     *
     * @param work where to put files that are on the way
     * @param folder the plugin's folder
     */
    TestPlugin(Path work, Path folder) {
        this.work = work;
        this.folder = folder;
        manifest.put("Spi-Version", SpiVersion.ofHost().toString());
        manifest.put("Plugin-Version", "1.2.3");
    }

    /** Adds a reasoning parser and names it in the service file. */
    TestPlugin parser(String className, String name, String methods) {
        sources.put("acme.Base", BASE);
        service(ReasoningParserProvider.class, "acme." + className);
        return source("acme." + className, """
                package acme;
                import io.glyphgate.spi.*;
                import java.util.*;
                public class %s extends Base {
                    public String name() { return "%s"; }
                    %s
                }
                """.formatted(className, name, methods));
    }

    /** Adds a class. */
    TestPlugin source(String className, String text) {
        sources.put(className, text);
        return this;
    }

    /** Adds a line to a service file. */
    TestPlugin service(Class<? extends Provider> type, String line) {
        services.computeIfAbsent(type.getName(), name -> new ArrayList<>()).add(line);
        return this;
    }

    /** Sets an attribute of the manifest; the empty text leaves it out. */
    TestPlugin manifest(String name, String value) {
        manifest.put(name, value);
        return this;
    }

    /** Leaves a compiled class out of the jar, as somebody does who forgets a library. */
    TestPlugin omit(String className) {
        omitted.add(className);
        return this;
    }

    /** Compiles, packs and gives the jar. */
    Path write() throws IOException {
        Path classes = Files.createTempDirectory(work, "classes");
        compile(classes);
        Files.createDirectories(folder);
        Path jar = folder.resolve("plugin.jar");
        Manifest written = new Manifest();
        written.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.forEach((name, value) -> {
            if (!value.isEmpty()) {
                written.getMainAttributes().putValue(name, value);
            }
        });
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file, written);
                Stream<Path> compiled = Files.walk(classes)) {
            for (Map.Entry<String, List<String>> service : services.entrySet()) {
                out.putNextEntry(new JarEntry("META-INF/services/" + service.getKey()));
                out.write(String.join("\n", service.getValue()).getBytes(StandardCharsets.UTF_8));
            }
            for (Path path : compiled.filter(Files::isRegularFile).sorted().toList()) {
                String entry = classes.relativize(path).toString().replace('\\', '/');
                if (!omitted.contains(entry.replace('/', '.').replace(".class", ""))) {
                    out.putNextEntry(new JarEntry(entry));
                    out.write(Files.readAllBytes(path));
                }
            }
        }
        return jar;
    }

    /** The SPI as it lies on this class path: a jar or a folder of classes. */
    static Path spi() {
        try {
            return Path.of(Provider.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private void compile(Path target) {
        if (sources.isEmpty()) {
            return;
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<JavaFileObject> files = new ArrayList<>();
        sources.forEach((name, text) -> files.add(
                new SimpleJavaFileObject(
                        URI.create("memory:///" + name.replace('.', '/') + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return text;
                    }
                }));
        StringWriter messages = new StringWriter();
        List<String> options =
                List.of("-proc:none", "-cp", spi().toString(), "-d", target.toString(), "--release", "21");
        if (!compiler.getTask(messages, null, null, options, null, files).call()) {
            throw new IllegalStateException("the test's plugin does not compile:\n" + messages);
        }
    }
}
