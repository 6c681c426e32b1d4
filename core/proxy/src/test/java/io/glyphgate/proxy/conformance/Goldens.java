package io.glyphgate.proxy.conformance;

import static java.util.stream.Collectors.toList;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The recorded cases that come with the project, a file per family. */
final class Goldens {
    private static final String END = ".jsonl.gz";

    private Goldens() {}

    /** The families, as folder and file, for example {@code tools/hermes}. */
    static List<String> families() throws IOException, URISyntaxException {
        Path root = root();
        try (Stream<Path> files = Files.walk(root, 2)) {
            return files.map(file -> root.relativize(file).toString().replace('\\', '/'))
                    .filter(name -> name.contains("/") && name.endsWith(END))
                    .map(name -> name.substring(0, name.length() - END.length()))
                    .sorted()
                    .collect(toList());
        }
    }

    /** The file of a family. */
    static Path file(String family) throws URISyntaxException {
        return root().resolve(family + END);
    }

    private static Path root() throws URISyntaxException {
        return Path.of(Goldens.class.getResource("/goldens").toURI());
    }
}
