package io.glyphgate.proxy.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.proxy.plugin.Registry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemplateCasesTest {
    private static final String HELLO = "Hello {{ name }}";
    private static final String HELLO_SHA256 = "1cc8b4910ff8026121f71a45ce3e85ec9b0c8f4f8bacec9a1fa4e72386161d08";

    @TempDir
    Path folder;

    @Test
    void aProbeHoldsItsTemplate() throws IOException {
        Report report = run(probe(HELLO, "\"text\": \"Hello Ann\""), Optional.empty());
        assertThat(report.passed()).isOne();
        assertThat(report.families().getFirst()).hasToString(
                "template/probes                     1 passed    0 failed  rendered");
    }

    @Test
    void anotherTextIsShownBesideTheWantedOne() throws IOException {
        Report report = run(probe(HELLO, "\"text\": \"Hello Bob\""), Optional.empty());
        assertThat(report.families().getFirst().failures())
                .containsExactly(new Report.Failure(
                        "a", List.of("Jinja renders Hello Bob", "the proxy renders Hello Ann")));
    }

    @Test
    void whereJinjaFailsTheProxyHasToFail() throws IOException {
        assertThat(run(probe("{% nonsense %}", "\"error\": \"E\", \"message\": \"m\""), Optional.empty()).passed())
                .isOne();
        assertThat(run(probe(HELLO, "\"error\": \"E\", \"message\": \"m\""), Optional.empty())
                        .families()
                        .getFirst()
                        .failures())
                .containsExactly(new Report.Failure(
                        "a", List.of("Jinja fails with 'm', the proxy renders Hello Ann")));
        assertThat(run(probe("{{ 1 / 0 }}", "\"text\": \"x\""), Optional.empty())
                        .families()
                        .getFirst()
                        .failures())
                .containsExactly(new Report.Failure(
                        "a", List.of("it fails: chat template line 1, at 1 / 0: division by zero")));
    }

    @Test
    void aTemplateIsReadFromTheFolder() throws IOException {
        Files.writeString(folder.resolve("hello.jinja"), HELLO);
        String line = recorded();
        assertThat(run(line, Optional.of(folder)).passed()).isOne();
        assertThat(run(line, Optional.empty()).families().getFirst().failures().getFirst().problems())
                .containsExactly(
                        "its template is not at hand; name the folder that holds hello.jinja with --templates");
    }

    @Test
    void anotherTemplateOfThatNameIsRefused() throws IOException {
        Files.writeString(folder.resolve("hello.jinja"), "Hi {{ name }}");
        assertThatThrownBy(() -> run(recorded(), Optional.of(folder)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("hello.jinja is not the template that was recorded");
    }

    private Report run(String line, Optional<Path> templates) throws IOException {
        Path file = Files.writeString(folder.resolve("cases.jsonl"), line);
        try (Registry registry = Registry.of(TemplateCasesTest.class.getClassLoader())) {
            return new Conformance(registry).run(List.of(file), Optional.empty(), templates);
        }
    }

    private static String probe(String template, String expect) {
        return "{\"id\": \"a\", \"template\": \"" + template + "\", \"now\": \"2025-03-09T14:05:06\", \"variables\": "
                + "{\"name\": \"Ann\"}, \"expect\": {" + expect + "}}";
    }

    private static String recorded() {
        return "{\"id\": \"a\", \"template\": \"hello\", \"template_sha256\": \"" + HELLO_SHA256
                + "\", \"now\": \"2025-03-09T14:05:06\", \"variables\": {\"name\": \"Ann\"}, "
                + "\"expect\": {\"text\": \"Hello Ann\"}}";
    }
}
