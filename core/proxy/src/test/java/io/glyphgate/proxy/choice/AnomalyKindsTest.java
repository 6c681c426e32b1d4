package io.glyphgate.proxy.choice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page lists the kinds of anomalies that there are, and no others. */
class AnomalyKindsTest {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final Pattern TOLD = Pattern.compile("\\.anomaly\\(\\s*\"([^\"]+)\"");
    private static final Pattern CALLS = Pattern.compile("\\.anomaly\\(");
    private static final Pattern ROW = Pattern.compile("^\\| `([a-z-]+)` \\|", Pattern.MULTILINE);

    @Test
    void thePageListsThoseOfTheHost() throws IOException {
        assertThat(documented(0))
                .isEqualTo(Stream.of(HostAnomaly.values()).map(HostAnomaly::kind).collect(Collectors.toCollection(TreeSet::new)));
    }

    @Test
    void thePageListsThoseOfTheParsers() throws IOException {
        Set<String> told = new TreeSet<>();
        for (Path source : sources()) {
            String code = Files.readString(source);
            List<String> kinds = TOLD.matcher(code).results().map(each -> each.group(1)).toList();
            assertThat(kinds).as("%s names its kinds where it tells them", source).hasSize((int) CALLS.matcher(code).results().count());
            told.addAll(kinds);
        }
        assertThat(documented(1)).isEqualTo(told);
    }

    /** The kinds in one of the tables below the title. */
    private static Set<String> documented(int table) throws IOException {
        String page = Files.readString(ROOT.resolve("docs/reference/metrics.md"));
        String[] tables = page.substring(page.indexOf("## Anomalies")).split("\\| Kind \\| Meaning \\|", -1);
        return ROW.matcher(tables[table + 1]).results()
                .map((MatchResult row) -> row.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** All code of the toolkit and of the plugins that come with the proxy. */
    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String folder : List.of("spi/toolkit/src/main", "plugins")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
                files.filter(file -> file.toString().endsWith(".java") && file.toString().contains("src/main")).forEach(sources::add);
            }
        }
        return sources;
    }
}
