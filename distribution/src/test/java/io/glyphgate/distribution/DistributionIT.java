package io.glyphgate.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DistributionIT {
    private final Installation built = Installation.built();

    @TempDir
    private Path temp;

    @Test
    void saysItsVersion() throws Exception {
        Launch launch = built.run("--version");

        assertThat(launch.output()).contains(Installation.version());
        assertThat(launch.status()).isZero();
    }

    @Test
    void startsThroughALinkFromAnotherFolderAndWithSpacesInThePath() throws Exception {
        Installation spaced = built.copiedTo(temp.resolve("with some spaces/glyphgate"));
        Path elsewhere = Files.createDirectory(temp.resolve("elsewhere"));
        Path link = Files.createSymbolicLink(elsewhere.resolve("gg"), spaced.launcher());

        Launch launch = Launch.of(elsewhere, Map.of(), List.of(link.toString(), "--version"));

        assertThat(launch.output()).contains(Installation.version());
        assertThat(launch.status()).isZero();
    }

    @Test
    void passesOverAJavaThatIsTooOld() throws Exception {
        Path old = temp.resolve("jdk-17");
        Path java = Files.createDirectories(old.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho the old one\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.writeString(old.resolve("release"), "JAVA_VERSION=\"17.0.15\"\n");

        Launch launch = Launch.of(
                temp, Map.of("JAVA_HOME", old.toString()), List.of(built.launcher().toString(), "--version"));

        assertThat(launch.output()).contains(Installation.version()).doesNotContain("the old one");
        assertThat(launch.status()).isZero();
    }

    @Test
    void theArchiveUnpacksToSomethingThatStarts() throws Exception {
        Path archive = built.home().resolveSibling(built.home().getFileName() + ".tar.gz");
        Launch unpacked = Launch.of(temp, Map.of(), List.of("tar", "-xzf", archive.toString()));
        assertThat(unpacked).isEqualTo(new Launch(0, ""));

        Launch launch = new Installation(temp.resolve(built.home().getFileName())).run("--version");

        assertThat(launch.output()).contains(Installation.version());
        assertThat(launch.status()).isZero();
    }

    @Test
    void everyPluginFolderHoldsItsPluginAndNoSpi() throws Exception {
        assertThat(built.plugins()).isNotEmpty();
        for (Path folder : built.plugins()) {
            List<String> named = new ArrayList<>();
            for (Path jar : Installation.children(folder)) {
                try (JarFile file = new JarFile(jar.toFile())) {
                    assertThat(file.getEntry("io/glyphgate/spi/Provider.class")).as("the SPI in %s", jar).isNull();
                    Attributes attributes = file.getManifest().getMainAttributes();
                    if (attributes.getValue("Plugin-Name") != null) {
                        named.add(attributes.getValue("Plugin-Name"));
                        assertThat(attributes.getValue("Spi-Version")).as("Spi-Version of %s", jar).isNotNull();
                    }
                }
            }
            assertThat(named).as("plugins in %s", folder).containsExactly(folder.getFileName().toString());
        }
    }

    @Test
    void theNativeLibraryIsInOnePlaceOnly() throws IOException {
        List<Path> holders = new ArrayList<>();
        List<Path> folders = new ArrayList<>(built.plugins());
        folders.add(built.home().resolve("lib"));
        for (Path folder : folders) {
            for (Path jar : Installation.children(folder)) {
                try (JarFile file = new JarFile(jar.toFile())) {
                    if (file.stream().anyMatch(entry -> entry.getName().startsWith("ai/djl/huggingface/tokenizers/"))) {
                        holders.add(folder.getFileName());
                    }
                }
            }
        }
        assertThat(holders).containsExactly(Path.of("tokenizer-huggingface"));
    }
}
