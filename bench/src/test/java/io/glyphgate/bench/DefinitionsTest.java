package io.glyphgate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.bench.Definitions.Scenario;
import io.glyphgate.bench.Definitions.Way;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class DefinitionsTest {
    private static final Path HERE = Path.of("");

    @Test
    void scenariosNameSystemsThatThereAre() throws IOException {
        List<String> names = Definitions.ways(HERE).stream().map(Way::name).toList();
        assertThat(names).doesNotHaveDuplicates();
        assertThat(Definitions.scenarios(HERE)).extracting(Scenario::name).doesNotHaveDuplicates();
        assertThat(Definitions.scenarios(HERE)).allSatisfy(scenario -> assertThat(names).containsAll(scenario.ways()));
    }

    @Test
    void modelsHaveAScript() throws IOException {
        assertThat(Definitions.ways(HERE)).extracting(Way::model).allMatch(Scripts.FAMILIES::containsKey);
    }
}
