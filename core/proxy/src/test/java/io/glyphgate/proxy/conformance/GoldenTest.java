package io.glyphgate.proxy.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.plugin.Registry;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The recorded cases that come with the project. {@code -Dglyphgate.tokenizers=DIR} names a folder with a folder per
 * tokenizer; without it that is the one of the distribution. Cases without their tokenizer are played from the recorded
 * text of each token.
 */
class GoldenTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "detok/deepseek_v3",
                "detok/gemma4",
                "detok/gptoss",
                "detok/llama2",
                "detok/llama2_ernie",
                "detok/llama3_1",
                "detok/qwen3",
                "detok/qwen3_kimi",
                "detok/tekken_v13",
                "reasoning/qwen3",
                "reasoning/deepseek_r1",
                "reasoning/olmo3",
                "reasoning/granite",
                "reasoning/hunyuan_a13b",
                "reasoning/gemma4",
                "reasoning/kimi_k2",
                "reasoning/deepseek_v3",
                "tools/kimi_k2",
                "tools/deepseek_v3",
                "tools/deepseek_v31",
                "combo/kimi_k2+kimi_k2",
                "combo/deepseek_r1+deepseek_v3",
                "combo/deepseek_v3+deepseek_v31",
                "tools/granite",
                "tools/hunyuan_a13b",
                "tools/internlm",
                "tools/jamba",
                "tools/llama3_json",
                "tools/phi4_mini_json",
                "tools/hermes",
                "tools/pythonic",
                "tools/llama4_pythonic",
                "tools/olmo3",
                "tools/gemma4",
                "tools/qwen3_coder",
                "tools/qwen3_xml",
                "combo/qwen3+hermes",
                "combo/qwen3+qwen3_coder",
                "reasoning/step3p5",
                "reasoning/nemotron_v3",
                "reasoning/seed_oss",
                "reasoning/glm45",
                "reasoning/glm47",
                "reasoning/minimax_m2",
                "tools/step3p5",
                "tools/seed_oss",
                "tools/glm45",
                "tools/glm47",
                "tools/minimax_m2",
                "tools/deepseek_v32",
                "combo/step3p5+step3p5",
                "combo/nemotron_v3+qwen3_coder",
                "combo/seed_oss+seed_oss",
                "combo/glm45+glm45",
                "combo/glm47+glm47",
                "combo/minimax_m2+minimax_m2",
                "reasoning/step3",
                "tools/step3",
                "combo/step3+step3",
                "reasoning/openai_gptoss",
                "tools/openai",
                "combo/openai_gptoss+openai",
                "combo/olmo3+olmo3",
                "combo/gemma4+gemma4"
            })
    void everyCasePasses(String family) throws IOException, URISyntaxException {
        Path file = Path.of(
                GoldenTest.class.getResource("/goldens/" + family + ".jsonl.gz").toURI());
        Path tokenizers = Path.of(System.getProperty("glyphgate.tokenizers", "../../distribution/src/main/tokenizers"));
        try (Registry registry = Registry.of(GoldenTest.class.getClassLoader())) {
            Report report = new Conformance(registry).run(List.of(file), Optional.of(tokenizers), Optional.empty());
            assertThat(report.families()).hasSize(1);
            assertThat(report.families().get(0).failures()).isEmpty();
            assertThat(report.passed()).isGreaterThan(20);
        }
    }
}
