package io.glyphgate.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher at the root of a checkout, in a small checkout of its own whose Maven only pretends to build. */
class CheckoutLauncherIT {
    private static final String BUILDS = """
            #!/bin/sh
            echo "mvn builds" >&2
            mkdir -p distribution/target/glyphgate-1/bin
            printf '#!/bin/sh\\necho "started with $# arguments, the last: $2"\\n' > distribution/target/glyphgate-1/bin/glyphgate
            chmod +x distribution/target/glyphgate-1/bin/glyphgate
            touch distribution/target/glyphgate-1.tar.gz
            """;
    private static final String STARTED = "started with 2 arguments, the last: b c";

    @TempDir
    private Path temp;

    private Path root = Path.of("");
    private Path source = Path.of("");

    @BeforeEach
    void makeCheckout() throws IOException {
        root = temp.resolve("a checkout");
        Path scripts = Files.createDirectories(root.resolve("distribution/src/main/bin"));
        Files.copy(Path.of("src/main/bin/find-java.sh"), scripts.resolve("find-java.sh"));
        Path launcher = Files.copy(Path.of("../glyphgate"), root.resolve("glyphgate"));
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
        for (String folder : List.of("core/proxy/src/main/java", "core/proxy/src/test/java", "spi", "plugins", "config")) {
            Files.createDirectories(root.resolve(folder));
        }
        Files.createFile(root.resolve("pom.xml"));
        source = Files.createFile(root.resolve("core/proxy/src/main/java/Main.java"));
        maven(BUILDS);
    }

    @Test
    void buildsWhenNothingIsBuilt() throws Exception {
        Launch launch = launch();

        assertThat(launch.output()).contains("nothing is built yet", "mvn builds", STARTED);
        assertThat(launch.status()).isZero();
    }

    @Test
    void startsWhatIsBuilt() throws Exception {
        launch();

        assertThat(launch()).isEqualTo(new Launch(0, STARTED + "\n"));
    }

    @Test
    void buildsWhenASourceIsNewer() throws Exception {
        launch();
        touch(source);

        assertThat(launch().output())
                .contains("core/proxy/src/main/java/Main.java is newer than the last build", "mvn builds", STARTED);
    }

    @Test
    void buildsWhenASourceIsGone() throws Exception {
        launch();
        Files.delete(source);
        touch(source.getParent());

        assertThat(launch().output()).contains("is newer than the last build", "mvn builds", STARTED);
    }

    @Test
    void doesNotBuildForATest() throws Exception {
        launch();
        touch(Files.createFile(root.resolve("core/proxy/src/test/java/MainTest.java")));

        assertThat(launch()).isEqualTo(new Launch(0, STARTED + "\n"));
    }

    @Test
    void saysThatTheBuildFailed() throws Exception {
        maven("#!/bin/sh\nexit 3\n");

        Launch launch = launch();

        assertThat(launch.output()).contains("the build failed").doesNotContain("started");
        assertThat(launch.status()).isEqualTo(1);
    }

    private Launch launch() throws Exception {
        return Launch.of(
                temp,
                Map.of("PATH", temp.resolve("bin") + ":" + System.getenv("PATH")),
                List.of(root.resolve("glyphgate").toString(), "a", "b c"));
    }

    private void maven(String script) throws IOException {
        Path mvn = Files.createDirectories(temp.resolve("bin")).resolve("mvn");
        Files.writeString(mvn, script.replace("distribution/target", "\"" + root + "\"/distribution/target"));
        assertThat(mvn.toFile().setExecutable(true)).isTrue();
    }

    private static void touch(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plus(Duration.ofMinutes(1))));
    }
}
