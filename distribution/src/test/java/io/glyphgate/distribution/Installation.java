package io.glyphgate.distribution;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * An installed distribution.
 *
 * @param home its folder
 */
record Installation(Path home) {
    /** The one that the build made. */
    static Installation built() {
        return new Installation(Path.of(System.getProperty("glyphgate.home")).toAbsolutePath());
    }

    /** The version that the build made. */
    static String version() {
        return System.getProperty("glyphgate.version");
    }

    /** A copy, to change. */
    Installation copiedTo(Path target) throws IOException {
        Files.walkFileTree(home, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                Files.createDirectories(target.resolve(home.relativize(folder)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.copy(file, target.resolve(home.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
                return FileVisitResult.CONTINUE;
            }
        });
        return new Installation(target);
    }

    /** The launcher. */
    Path launcher() {
        return home.resolve("bin/glyphgate");
    }

    /** Runs a command of the launcher to its end. */
    Launch run(String... arguments) throws IOException, InterruptedException {
        return Launch.of(
                home,
                Map.of(),
                Stream.concat(Stream.of(launcher().toString()), Stream.of(arguments)).toList());
    }

    /** The plugin folders. */
    List<Path> plugins() throws IOException {
        return children(home.resolve("plugins"));
    }

    /** What is in a folder, sorted. */
    static List<Path> children(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }
}
