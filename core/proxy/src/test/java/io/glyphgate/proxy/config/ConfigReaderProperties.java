package io.glyphgate.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

class ConfigReaderProperties {
    private static final String SMALL =
            "models: { m: {} }\npools: { p: { model: m, tokenizer: none, endpoints: [ http://a ] } }\n";
    private static Path file = Path.of("");

    @BeforeContainer
    static void makeFile() throws IOException {
        file = Files.createTempFile("glyphgate", ".yaml");
    }

    @AfterContainer
    static void removeFile() throws IOException {
        Files.delete(file);
    }

    /** Whatever somebody does to a file, the answer is a configuration or a list of problems with places. */
    @Property(tries = 2_000)
    void damagedFilesAreReadOrRefused(
            @ForAll("examples") String example,
            @ForAll("junk") String junk,
            @ForAll int from,
            @ForAll @IntRange(max = 9) int cut)
            throws IOException {
        int start = Math.floorMod(from, example.length());
        int end = Math.min(example.length(), start + cut);
        Files.writeString(file, example.substring(0, start) + junk + example.substring(end));
        try {
            assertThat(ConfigReader.read(file, Map.of()).config().pools()).isNotEmpty();
        } catch (ConfigException e) {
            assertThat(e.problems()).allMatch(problem -> problem.place().line() > 0 && !problem.text().isEmpty());
        }
    }

    @Property(tries = 200)
    void durationsAreWhatTheySay(@ForAll @LongRange(min = 1, max = 86_400_000) long milliseconds) throws IOException {
        assertThat(drain(milliseconds + "ms")).isEqualTo(Duration.ofMillis(milliseconds));
        assertThat(drain(Units.TIME.shown(milliseconds))).isEqualTo(Duration.ofMillis(milliseconds));
    }

    /** A name that stands in the file is reached by its variable, whatever letters it is made of. */
    @Property(tries = 300)
    void everyNameCanBeReachedByAVariable(@ForAll("names") String name) throws IOException {
        Files.writeString(file, SMALL.replace("m: {}", "'" + name + "': {}"));
        String variable = Overrides.variable(KeyPath.of("models", name, "aliases").item(0));
        Map<String, String> environment = Map.of(variable, "an-alias", "GLYPHGATE_POOLS_P_MODEL", name);
        assertThat(ConfigReader.read(file, environment).config().models().values())
                .singleElement()
                .extracting(ProxyConfig.Model::aliases)
                .isEqualTo(List.of("an-alias"));
    }

    @Provide
    Arbitrary<String> examples() throws IOException {
        List<String> texts = ExampleConfigs.all()
                .map(path -> {
                    try {
                        return Files.readString(path);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .toList();
        return Arbitraries.of(texts);
    }

    @Provide
    Arbitrary<String> junk() {
        return Arbitraries.oneOf(
                Arbitraries.of("", "\n", ": ", "- ", "[", "]", "{ ", " }", "'", "\"", "&a ", "*a", "!x ", "? "),
                Arbitraries.strings().ofMaxLength(4));
    }

    @Provide
    Arbitrary<String> names() {
        return Arbitraries.strings()
                .withCharRange('a', 'z')
                .withCharRange('0', '9')
                .withChars("-_./:+")
                .ofMinLength(1)
                .ofMaxLength(12)
                .filter(name -> Character.isLetterOrDigit(name.charAt(0)));
    }

    private static Duration drain(String text) throws IOException {
        Files.writeString(file, SMALL + "server: { drain: " + text + " }\n");
        return ConfigReader.read(file, Map.of()).config().server().drain();
    }
}
