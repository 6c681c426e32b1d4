package io.glyphgate.proxy.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds the names, and the tables of {@code docs/reference/parsers.md}, to the parsers that there are. */
class UnbuiltParsersTest {
    private static final Path PAGE = Path.of("../../docs/reference/parsers.md");
    private static final Registry BUILT = Registry.of(UnbuiltParsersTest.class.getClassLoader());

    @Test
    void noneOfThemIsBuilt() {
        assertThat(UnbuiltParsers.NAMES)
                .allSatisfy((kind, names) -> assertThat(BUILT.names(kind.type())).doesNotContainAnyElementsOf(names));
    }

    @Test
    void thePageNamesThem() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(UnbuiltParsers.NAMES)
                .allSatisfy((kind, names) -> assertThat(page)
                        .contains("\n| " + kind.label() + " | "
                                + new TreeSet<>(names).stream()
                                        .map(name -> "`" + name + "`")
                                        .collect(Collectors.joining(", "))
                                + " |\n"));
    }

    @Test
    void thePageNamesThoseThatAreBuilt() throws IOException {
        try (Stream<String> lines = Files.lines(PAGE)) {
            String rows = lines.filter(line -> line.matches("\\| (?:reasoning-parser|tool-parser|parser) \\| `.*"))
                    .map(line -> line.replaceFirst("((?:\\|[^|]*){3}).*", "$1"))
                    .collect(Collectors.joining("\n"));
            assertThat(Stream.of(PluginKind.REASONING_PARSER, PluginKind.TOOL_PARSER, PluginKind.PARSER))
                    .allSatisfy(kind -> assertThat(BUILT.names(kind.type()))
                            .allSatisfy(name -> assertThat(rows)
                                    .containsPattern("(?m)^\\| " + kind.label() + " \\|.*`" + name + "`")));
        }
    }
}
