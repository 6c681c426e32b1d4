package io.glyphgate.jinja.template;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The engine can be taken out of the proxy: it knows the JDK, the null annotations, and its own packages in one order. */
class StandAloneTest {
    private static final Path ENGINE = Path.of("src/main/java/io/glyphgate/jinja");
    private static final Pattern IMPORT = Pattern.compile("import (?:static )?([\\w.]+);");
    private static final List<String> ORDER = List.of("", "value", "syntax", "builtin", "tree", "template");

    @Test
    void theEngineImportsTheJdkOnly() throws IOException {
        Path engine = Files.isDirectory(ENGINE) ? ENGINE : Path.of("../../plugins/chat-template-jinja").resolve(ENGINE);
        try (Stream<Path> files = Files.walk(engine)) {
            List<Path> sources = files.filter(file -> file.toString().endsWith(".java")).toList();
            assertThat(sources).hasSizeGreaterThan(60);
            for (Path source : sources) {
                int place = ORDER.indexOf(engine.relativize(source.getParent()).toString());
                assertThat(place).as("the package of %s", source).isNotNegative();
                assertThat(imports(source)).as("imports of %s", source).allMatch(name -> isKnown(name, place));
            }
        }
    }

    private static List<String> imports(Path source) throws IOException {
        return IMPORT.matcher(Files.readString(source)).results().map(match -> match.group(1)).toList();
    }

    private static boolean isKnown(String name, int place) {
        Matcher own = Pattern.compile("io\\.glyphgate\\.jinja\\.(?:([a-z]+)\\.)?[A-Z].*").matcher(name);
        if (own.matches()) {
            String room = own.group(1) == null ? "" : own.group(1);
            return ORDER.indexOf(room) <= place;
        }
        return name.startsWith("java.") || name.startsWith("org.jspecify.annotations.");
    }
}
