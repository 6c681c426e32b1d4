package io.glyphgate.proxy.plugin;

import io.glyphgate.proxy.config.FileStamp;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/**
 * What lies in a plugin's folder, before any of its code runs.
 *
 * @param path the folder
 * @param name the name of the folder
 * @param jars its jars
 * @param stamp what tells the jars from others in the same place
 * @param version see {@link Plugin#version}
 * @param spiVersion see {@link Plugin#spiVersion}
 * @param hasNativeTokenizers whether it holds the library of which a process can load one copy only
 */
record PluginFolder(
        Path path,
        String name,
        List<Path> jars,
        String stamp,
        String version,
        String spiVersion,
        boolean hasNativeTokenizers) {
    private static final String NATIVE_TOKENIZERS = "ai/djl/huggingface/tokenizers/";

    /**
     * Looks into a folder.
     *
     * @throws PluginException if it holds nothing that could be loaded, or was built for another SPI
     */
    static PluginFolder scan(Path folder, SpiVersion host) {
        String name = folder.getFileName().toString();
        List<String> faults = new ArrayList<>();
        String stamp = stamp(folder); // before the jars are read: what changes meanwhile is another folder next time
        List<Path> jars = jarsIn(folder);
        if (jars.isEmpty()) {
            faults.add("plugin folder '" + name + "' holds no jar; put the plugin's jars into it, or remove it");
        }
        String version = Plugin.UNKNOWN;
        String spiVersion = Plugin.UNKNOWN;
        boolean hasNativeTokenizers = false;
        for (Path path : jars) {
            try (JarFile jar = new JarFile(path.toFile())) {
                Manifest manifest = jar.getManifest();
                Attributes attributes = manifest == null ? new Attributes() : manifest.getMainAttributes();
                String builtFor = attributes.getValue("Spi-Version");
                if (builtFor != null) {
                    spiVersion = builtFor;
                    checkVersion(name, builtFor, host, faults);
                }
                String says = attributes.getValue("Plugin-Version");
                if (says != null) {
                    version = says;
                }
                hasNativeTokenizers |= jar.stream().anyMatch(entry -> entry.getName().startsWith(NATIVE_TOKENIZERS));
            } catch (IOException e) {
                faults.add("plugin folder '" + name + "': the jar '" + path.getFileName() + "' is broken ("
                        + e.getMessage() + "); copy it again");
            }
        }
        if (!faults.isEmpty()) {
            throw new PluginException(faults);
        }
        return new PluginFolder(folder, name, jars, stamp, version, spiVersion, hasNativeTokenizers);
    }

    /** What tells the jars of a folder from those that were there before. */
    static String stamp(Path folder) {
        return FileStamp.ofFolder(folder, PluginFolder::isJar);
    }

    /** Whether another look at the folder found the same jars. */
    boolean sameFiles(PluginFolder other) {
        return stamp.equals(other.stamp);
    }

    /** Opens a class loader over the jars. */
    PluginClassLoader open() {
        return new PluginClassLoader(name, jars.stream().map(PluginFolder::url).toArray(URL[]::new));
    }

    private static void checkVersion(String name, String builtFor, SpiVersion host, List<String> faults) {
        SpiVersion version = SpiVersion.parse(builtFor).orElse(null);
        if (version == null) {
            faults.add("plugin folder '" + name + "' says Spi-Version '" + builtFor
                    + "' in its manifest, which is no version such as 1.0");
        } else if (!version.runsOn(host)) {
            String remedy = version.major() < host.major()
                    ? "use a newer plugin"
                    : "upgrade the proxy or use an older plugin";
            faults.add("plugin folder '" + name + "' was built for SPI " + version + ", this proxy has SPI " + host
                    + ": " + remedy);
        }
    }

    private static boolean isJar(Path file) {
        return file.toString().endsWith(".jar");
    }

    private static List<Path> jarsIn(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(PluginFolder::isJar).sorted().toList();
        } catch (IOException e) {
            throw new PluginException(
                    List.of("plugin folder '" + folder.getFileName() + "' cannot be read: " + e));
        }
    }

    private static URL url(Path jar) {
        try {
            return jar.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException("the path " + jar + " has no URL", e);
        }
    }
}
