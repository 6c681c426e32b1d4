package io.glyphgate.proxy.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The configurations that the project ships, for {@code @MethodSource}. */
public final class ExampleConfigs {
    private ExampleConfigs() {}

    /** The root of the project, found from the module or the folder that the tests run in. */
    public static Path root() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.isRegularFile(at.resolve("config/glyphgate.yaml"))) {
                return at;
            }
        }
        throw new IllegalStateException("the tests run outside the project");
    }

    /** All files, the small one first. */
    public static Stream<Path> all() throws IOException {
        try (Stream<Path> examples = Files.list(root().resolve("config/examples"))) {
            return Stream.concat(
                    Stream.of(root().resolve("config/glyphgate.yaml")),
                    examples.filter(file -> file.toString().endsWith(".yaml"))
                            .sorted()
                            .toList()
                            .stream());
        }
    }
}
