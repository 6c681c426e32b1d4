package io.glyphgate.proxy.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class DoorDifferenceTest {
    @Test
    void everyRuleHasItsSection() throws Exception {
        String page = Files.readString(Path.of("../../docs/reference/differences.md"));
        assertThat(DoorDifference.ALL)
                .allSatisfy(rule -> assertThat(page).contains("\n### " + rule.id() + " " + rule.title() + "\n"));
    }

    @Test
    void everyRuleIsAboutRecordsOfTheProject() {
        assertThat(DoorDifference.ALL)
                .allSatisfy(rule -> assertThat(DoorGoldens.in(DoorGoldens.RESOURCES).stream()
                                .flatMap(goldens -> goldens.records().stream()))
                        .anyMatch(rule.about()));
    }
}
