package io.glyphgate.proxy.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.plugin.Registry;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The recorded cases that come with the project. {@code -Dglyphgate.tokenizers=DIR} names a folder with a folder per
 * tokenizer; without it that is the one of the distribution. Cases without their tokenizer are played from the recorded
 * text of each token.
 */
class GoldenTest {
    static List<String> families() throws IOException, URISyntaxException {
        return Goldens.families();
    }

    @ParameterizedTest
    @MethodSource("families")
    void everyCasePasses(String family) throws IOException, URISyntaxException {
        Report report = play(Goldens.file(family));
        assertThat(report.families()).hasSize(1);
        assertThat(report.families().get(0).failures()).isEmpty();
        assertThat(report.passed()).isGreaterThan(20);
    }

    /** Outputs that models seldom write: cut anywhere, malformed, demanded and not given, with text around. */
    @Test
    void seldomOutputsPass() throws IOException, URISyntaxException {
        Report report = play(Goldens.file("seldom"));
        assertThat(report.families()).hasSizeGreaterThan(50).allSatisfy(family -> assertThat(family.failures())
                .isEmpty());
        assertThat(report.passed()).isGreaterThan(700);
    }

    /** Messages of the harmony format with markers deleted, doubled, swapped and moved, and text between. */
    @Test
    void brokenMessagesPass() throws IOException, URISyntaxException {
        Report report = play(Goldens.file("broken-messages"));
        assertThat(report.families()).hasSize(3).allSatisfy(family -> assertThat(family.failures())
                .isEmpty());
        assertThat(report.passed()).isGreaterThan(200);
    }

    /** Outputs that were damaged at random: tokens, markers, quotes and values deleted, doubled, swapped, cut and joined. */
    @Test
    void damagedOutputsPass() throws IOException, URISyntaxException {
        Report report = play(Goldens.file("damaged"));
        assertThat(report.families()).hasSizeGreaterThan(25).allSatisfy(family -> assertThat(family.failures())
                .isEmpty());
        assertThat(report.passed()).isGreaterThan(100);
    }

    private static Report play(Path file) throws IOException {
        Path tokenizers = Path.of(System.getProperty("glyphgate.tokenizers", "../../distribution/src/main/tokenizers"));
        try (Registry registry = Registry.of(GoldenTest.class.getClassLoader())) {
            return new Conformance(registry).run(List.of(file), Optional.of(tokenizers), Optional.empty());
        }
    }
}
