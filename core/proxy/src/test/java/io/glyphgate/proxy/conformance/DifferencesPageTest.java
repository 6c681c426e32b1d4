package io.glyphgate.proxy.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Holds {@code docs/reference/differences.md} to the code; {@code -Dglyphgate.write-reference=true} writes its table
 * anew.
 */
class DifferencesPageTest {
    private static final Path PAGE = Path.of("../../docs/reference/differences.md");
    private static final String TABLE = "| Cases | in all |";
    private static final String TABLE_END = "\n\n";

    @Test
    void everyRuleHasItsSection() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(DifferenceRules.ALL)
                .allSatisfy(rule -> assertThat(page).contains("\n### " + rule.id() + " "));
    }

    @Test
    void theTableOfContradictionsIsTrue() throws IOException, URISyntaxException {
        String page = Files.readString(PAGE);
        int start = page.indexOf(TABLE);
        int end = page.indexOf(TABLE_END, start);
        String table = table();
        if (Boolean.getBoolean("glyphgate.write-reference")) {
            Files.writeString(PAGE, page.substring(0, start) + table + page.substring(end));
        } else {
            assertThat(page.substring(start, end)).isEqualTo(table);
        }
    }

    private static String table() throws IOException, URISyntaxException {
        StringBuilder table = new StringBuilder(TABLE + " contradictions |");
        for (Settled how : Settled.values()) {
            table.append(' ').append(how.words()).append(" |");
        }
        table.append("\n|---|---|---|").append("---|".repeat(Settled.values().length));
        Line sum = new Line();
        for (String family : Goldens.families()) {
            if (!family.startsWith("detok/")) {
                Line line = line(Goldens.file(family));
                table.append("\n| `").append(family).append("` | ").append(line);
                sum.add(line);
            }
        }
        return table.append("\n| together | ").append(sum).toString();
    }

    private static Line line(Path file) throws IOException {
        Line line = new Line();
        try (GoldenFile cases = new GoldenFile(file)) {
            for (Optional<JsonNode> json = cases.next(); json.isPresent(); json = cases.next()) {
                GoldenCase played = cases.golden(json.get());
                line.cases++;
                DifferenceRules.promise(DifferenceRules.ALL, played, rule -> {})
                        .flatMap(promised -> Settled.of(played, promised))
                        .ifPresent(how -> line.settled.merge(how, 1, Integer::sum));
            }
        }
        return line;
    }

    private static final class Line {
        private final Map<Settled, Integer> settled = new EnumMap<>(Settled.class);
        private int cases;

        void add(Line other) {
            cases += other.cases;
            other.settled.forEach((how, count) -> settled.merge(how, count, Integer::sum));
        }

        @Override
        public String toString() {
            int all = settled.values().stream().mapToInt(Integer::intValue).sum();
            StringBuilder line = new StringBuilder(cases + " | " + all + " |");
            for (Settled how : Settled.values()) {
                line.append(' ').append(settled.getOrDefault(how, 0)).append(" |");
            }
            return line.toString();
        }
    }
}
