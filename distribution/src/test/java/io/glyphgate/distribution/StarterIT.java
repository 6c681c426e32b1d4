package io.glyphgate.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The starter, which the build has built as an outsider would, dropped into a distribution. */
class StarterIT {
    @TempDir
    private Path temp;

    @Test
    void isListedAmongThePlugins() throws Exception {
        Installation installation = withStarter();

        Launch launch = installation.run("plugins");

        assertThat(launch.output().lines().filter(line -> line.contains("brackets"))).as(launch.output()).isNotEmpty();
        assertThat(launch.output()).contains("acme");
        assertThat(launch.status()).isZero();
    }

    private Installation withStarter() throws Exception {
        Installation installation = Installation.built().copiedTo(temp.resolve("glyphgate"));
        Path folder = Files.createDirectory(installation.home().resolve("plugins/acme"));
        Path jar = Path.of(System.getProperty("starter.target"), "glyphgate-plugin-brackets-1.0.0.jar");
        Files.copy(jar, folder.resolve(jar.getFileName()));
        return installation;
    }
}
