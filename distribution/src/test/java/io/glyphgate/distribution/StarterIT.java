package io.glyphgate.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.proxy.simulator.SimulatorOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The starter, which the build has built as an outsider would, dropped into a distribution. */
class StarterIT {
    @TempDir
    private Path temp;

    private Installation installation = Installation.built();

    @BeforeEach
    void dropTheStarterIn() throws Exception {
        installation = Installation.built().copiedTo(temp.resolve("glyphgate"));
        Path folder = Files.createDirectory(installation.home().resolve("plugins/acme"));
        Path jar = Path.of(System.getProperty("starter.target"), "glyphgate-plugin-brackets-1.0.0.jar");
        Files.copy(jar, folder.resolve(jar.getFileName()));
    }

    @Test
    void isListedAmongThePlugins() throws Exception {
        Launch launch = installation.run("plugins");

        assertThat(launch.output()).containsPattern("(?s)acme.*brackets");
        assertThat(launch.status()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void parsesTheReasoningOfARequest(boolean stream) throws Exception {
        try (SimulatedServer server = SimulatedServer.start(SimulatorOptions.builder().build())) {
            server.enqueue(Script.tokens(characters("[[short]]Hello!")));
            Path config = Files.writeString(temp.resolve("glyphgate.yaml"), """
                    server: { host: 127.0.0.1, port: 0 }
                    models:
                      tiny:
                        tokenizer: { source: "%s" }
                        reasoning-parser: brackets
                    pools:
                      only: { model: tiny, tokenizer: proxy, endpoints: [ "%s" ] }
                    """.formatted(installation.home().resolve("tokenizers/qwen3/tokenizer.json.gz"), server.uri()));
            try (Service proxy = Service.start(installation, "serve", "--config", config.toString())) {
                Answer answer = proxy.post("/inference/v1/generate", """
                        {"token_ids": [0], "output_mode": "derender", "parse_context": {}, "stream": %s,
                         "sampling_params": {"max_tokens": 100}}""".formatted(stream));

                assertThat(answer.status()).as(answer.body()).isEqualTo(200);
                assertThat(answer.all("reasoning")).isEqualTo("short");
                assertThat(answer.all("content")).isEqualTo("Hello!");
            }
        }
    }

    /** One token a character: in the vocabulary of Qwen3 those of ASCII come first, from the exclamation mark on. */
    private static int[] characters(String text) {
        return text.chars().map(c -> c - '!').toArray();
    }
}
