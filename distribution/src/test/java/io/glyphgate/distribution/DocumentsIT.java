package io.glyphgate.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the documents show and point to is there. */
class DocumentsIT {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(?:#[^)]*)?\\)");
    /** A fenced block that says which file it shows. */
    private static final Pattern SHOWN = Pattern.compile("<!-- source: (\\S+) -->\n```\\w*\n(.*?)```\n", Pattern.DOTALL);

    static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>();
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
                Stream<Path> root = Files.list(ROOT)) {
            Stream.concat(docs, root)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .forEach(documents::add);
        }
        documents.add(ROOT.resolve("spi/starter/README.md"));
        return documents;
    }

    @ParameterizedTest
    @MethodSource("documents")
    void linksLeadSomewhere(Path document) throws IOException {
        Path folder = document.resolveSibling(".");

        assertThat(LINK.matcher(Files.readString(document)).results().map(link -> link.group(1)))
                .allSatisfy(link -> assertThat(folder.resolve(link)).exists());
    }

    @ParameterizedTest
    @MethodSource("documents")
    void sourcesAreShownAsTheyAre(Path document) throws IOException {
        String text = Files.readString(document);
        List<MatchResult> shown = SHOWN.matcher(text).results().toList();

        assertThat(shown).as("blocks").hasSize(text.split("<!-- source: ", -1).length - 1);
        for (MatchResult block : shown) {
            assertThat(block.group(2)).as(block.group(1)).isEqualTo(Files.readString(ROOT.resolve(block.group(1))));
        }
    }
}
