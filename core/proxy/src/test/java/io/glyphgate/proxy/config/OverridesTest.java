package io.glyphgate.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OverridesTest {
    private static final String FILE =
            """
            models:
              qwen2.5:
                aliases: [ a ]
            pools:
              decode-tokens:
                model: qwen2.5
                tokenizer: none
                endpoints: [ http://a, http://b ]
                policy: { name: sticky, by-header: x }
              decode:
                model: qwen2.5
                tokenizer: none
                endpoints: [ http://c ]
            """;

    @TempDir
    private Path folder;

    @Test
    void setsKeysThatTheFileDoesNotName() {
        ProxyConfig config = read("SERVER_PORT", "9000", "UPSTREAM_IDLE_CONNECTIONS_PER_ENDPOINT", "3").config();
        assertThat(config.server().port()).isEqualTo(9000);
        assertThat(config.server().host()).isEqualTo("0.0.0.0");
        assertThat(config.upstream().idleConnectionsPerEndpoint()).isEqualTo(3);
    }

    @Test
    void replacesItemsOfAList() {
        ProxyConfig config = read("POOLS_DECODE_TOKENS_ENDPOINTS_1", "http://z").config();
        assertThat(pool(config, "decode-tokens").endpoints())
                .containsExactly(URI.create("http://a"), URI.create("http://z"));
    }

    @Test
    void addsItemsAtTheEndOfAListInTheirOrder() {
        String[] variables = new String[24];
        for (int i = 0; i < 12; i++) {
            variables[2 * i] = "MODELS_QWEN2_5_ALIASES_" + i;
            variables[2 * i + 1] = "alias-" + i;
        }
        assertThat(model(read(variables).config(), "qwen2.5").aliases())
                .hasSize(12)
                .startsWith("alias-0", "alias-1", "alias-2")
                .endsWith("alias-10", "alias-11");
    }

    @Test
    void startsAListThatTheFileDoesNotName() throws IOException {
        Path file = folder.resolve("glyphgate.yaml");
        Files.writeString(file, "models: { m: {} }\npools: { p: { model: m, tokenizer: none } }\n");
        Map<String, String> environment =
                Map.of("GLYPHGATE_POOLS_P_ENDPOINTS_0", "http://a", "GLYPHGATE_POOLS_P_ENDPOINTS_1", "http://b");
        assertThat(pool(ConfigReader.read(file, environment).config(), "p").endpoints())
                .containsExactly(URI.create("http://a"), URI.create("http://b"));
    }

    @Test
    void refusesAnItemThatWouldLeaveAGap() {
        assertThat(problemsOf("POOLS_DECODE_ENDPOINTS_2", "http://z"))
                .isEqualTo("environment variable GLYPHGATE_POOLS_DECODE_ENDPOINTS_2: sets no key of the configuration; "
                        + "did you mean GLYPHGATE_POOLS_DECODE_ENDPOINTS_0?");
    }

    @Test
    void reachesTheNameOfAPolicyAndItsOptions() {
        ProxyConfig config = read(
                        "POOLS_DECODE_TOKENS_POLICY_BY_HEADER", "y", "POOLS_DECODE_TOKENS_POLICY_NAME", "other")
                .config();
        assertThat(pool(config, "decode-tokens").policy())
                .isEqualTo(new ProxyConfig.Policy("other", Map.of("by-header", "y")));
    }

    @Test
    void replacesAPolicyByItsNameAlone() {
        assertThat(pool(read("POOLS_DECODE_TOKENS_POLICY", "round-robin").config(), "decode-tokens").policy())
                .isEqualTo(new ProxyConfig.Policy("round-robin", Map.of()));
        assertThat(pool(read("POOLS_DECODE_POLICY_NAME", "round-robin").config(), "decode").policy())
                .isEqualTo(new ProxyConfig.Policy("round-robin", Map.of()));
    }

    @Test
    void setsABlockThatMayBeLeftOut() {
        assertThat(model(read("MODELS_QWEN2_5_TOKENIZER_SOURCE", "t.json").config(), "qwen2.5").tokenizer())
                .contains(new ProxyConfig.TokenizerSource("huggingface", "t.json", Map.of()));
    }

    @Test
    void refusesAVariableThatSetsNothing() {
        assertThat(problemsOf("SERVER_PROT", "1"))
                .isEqualTo("environment variable GLYPHGATE_SERVER_PROT: sets no key of the configuration; "
                        + "did you mean GLYPHGATE_SERVER_PORT?");
        assertThat(problemsOf("POOLS_NEW_MODEL", "m")).contains("GLYPHGATE_POOLS_NEW_MODEL: sets no key");
        assertThat(problemsOf("SERVER", "m")).contains("GLYPHGATE_SERVER: sets no key");
    }

    @Test
    void explainsTheVariablesOfKubernetes() {
        assertThat(problemsOf("PORT", "tcp://10.0.0.1:80")).contains("enableServiceLinks: false");
        assertThat(problemsOf("SERVICE_HOST", "10.0.0.1")).contains("enableServiceLinks: false");
    }

    @Test
    void refusesAVariableThatCouldMeanTwoKeys() throws IOException {
        Path file = folder.resolve("glyphgate.yaml");
        Files.writeString(file, FILE.replace("decode:", "decode_tokens:"));
        ConfigException refused = catchThrowableOfType(
                ConfigException.class,
                () -> ConfigReader.read(file, Map.of("GLYPHGATE_POOLS_DECODE_TOKENS_MODEL", "m")));
        assertThat(refused)
                .hasMessage("environment variable GLYPHGATE_POOLS_DECODE_TOKENS_MODEL: could mean "
                        + "pools.decode-tokens.model or pools.decode_tokens.model; set it in the file, or give "
                        + "one of them another name");
    }

    @Test
    void namesTheVariableWhoseValueIsWrong() {
        assertThat(problemsOf("SERVER_PORT", "many"))
                .isEqualTo("environment variable GLYPHGATE_SERVER_PORT: server.port: 'many' is not a whole number");
        assertThat(problemsOf("SERVER_PORT", "")).contains("GLYPHGATE_SERVER_PORT: server.port: has no value");
        assertThat(problemsOf("POOLS_DECODE_MODEL", "qwen3.5"))
                .isEqualTo("environment variable GLYPHGATE_POOLS_DECODE_MODEL: pools.decode.model: there is no model "
                        + "'qwen3.5'; did you mean 'qwen2.5'? (known: qwen2.5)");
    }

    @Test
    void leavesOtherVariablesAlone() {
        ConfigFile file = read(FILE, Map.of("SERVER_PORT", "tcp://10.0.0.1:1", "GLYPHGATEX", "1"));
        assertThat(file.config().server().port()).isEqualTo(8080);
    }

    private ConfigFile read(String... namesAndValues) {
        Map<String, String> environment = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            environment.put("GLYPHGATE_" + namesAndValues[i], namesAndValues[i + 1]);
        }
        return read(FILE, environment);
    }

    private ConfigFile read(String text, Map<String, String> environment) {
        try {
            return ConfigReader.read(Files.writeString(folder.resolve("glyphgate.yaml"), text), environment);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String problemsOf(String... namesAndValues) {
        return catchThrowableOfType(ConfigException.class, () -> read(namesAndValues)).getMessage();
    }

    private static ProxyConfig.Model model(ProxyConfig config, String name) {
        return Objects.requireNonNull(config.models().get(name), name);
    }

    private static ProxyConfig.Pool pool(ProxyConfig config, String name) {
        return Objects.requireNonNull(config.pools().get(name), name);
    }
}
