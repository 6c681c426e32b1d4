package io.glyphgate.proxy.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@code docs/explanation/reliability.md}, whose tables are held to what the tests see. */
final class ReliabilityPage {
    static final Path PAGE = Path.of("../../docs/explanation/reliability.md");
    private static final String WRITE = "glyphgate.write-reference";

    private ReliabilityPage() {}

    /** Holds a table of the page, known by its first line, to what it must be; or writes it anew. */
    static void holds(String table) throws IOException {
        String head = table.substring(0, table.indexOf('\n') + 1);
        String page = Files.readString(PAGE);
        int start = page.indexOf(head);
        assertThat(start).as("a table that starts with " + head).isNotNegative();
        int end = page.indexOf("\n\n", start) + 1;
        if (Boolean.getBoolean(WRITE)) {
            Files.writeString(PAGE, page.substring(0, start) + table + page.substring(end));
        } else {
            assertThat(page.substring(start, end))
                    .as("write it anew with -D" + WRITE + "=true")
                    .isEqualTo(table);
        }
    }
}
