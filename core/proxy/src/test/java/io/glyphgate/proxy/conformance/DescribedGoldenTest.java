package io.glyphgate.proxy.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.config.ConfigReader;
import io.glyphgate.proxy.config.ExampleConfigs;
import io.glyphgate.proxy.format.DescribedParsers;
import io.glyphgate.proxy.plugin.Registry;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The recorded cases of families whose parsers the example configuration describes: it passes them as the plugins' do. */
class DescribedGoldenTest {
    @ParameterizedTest
    @CsvSource({
        "reasoning/qwen3, json-in-tags, ",
        "tools/hermes, , json-in-tags",
        "combo/qwen3+hermes, json-in-tags, json-in-tags",
        "tools/qwen3_coder, , tags",
        "combo/qwen3+qwen3_coder, json-in-tags, tags",
        "reasoning/kimi_k2, headers, ",
        "tools/kimi_k2, , headers",
        "combo/kimi_k2+kimi_k2, headers, headers",
        "reasoning/granite, phrases, "
    })
    void everyCasePasses(String family, @Nullable String reasoning, @Nullable String tools)
            throws IOException, URISyntaxException {
        Path file = Path.of(DescribedGoldenTest.class.getResource("/goldens/" + family + ".jsonl.gz").toURI());
        Path tokenizers = Path.of(System.getProperty("glyphgate.tokenizers", "../../distribution/src/main/tokenizers"));
        Path example = ExampleConfigs.root().resolve("config/examples/parsers.yaml");
        try (Registry registry = Registry.of(DescribedGoldenTest.class.getClassLoader())
                .with(DescribedParsers.of(ConfigReader.readParsers(example, Map.of())))) {
            OutputPlan.Parsers described = OutputPlan.Parsers.of(
                    registry, Optional.empty(), Optional.ofNullable(reasoning), Optional.ofNullable(tools));
            assertThat(described.reasoning() == null).isEqualTo(reasoning == null);
            assertThat(described.tools() == null).isEqualTo(tools == null);

            Report report = new Conformance(registry, described).run(List.of(file), Optional.of(tokenizers), Optional.empty());

            assertThat(report.families()).hasSize(1);
            assertThat(report.families().get(0).failures()).isEmpty();
            assertThat(report.passed()).isGreaterThan(20);
        }
    }
}
