package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static io.glyphgate.proxy.boot.Stage.encode;
import static io.glyphgate.proxy.boot.Stage.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.config.ConfigException;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parsers that only the configuration describes, in a model. */
class DescribedParserTest {
    private static final String CONTEXT = "\"output_mode\":\"derender\",\"parse_context\":{\"tool_choice\":\"auto\",\"tools\":"
            + "[{\"type\":\"function\",\"function\":{\"name\":\"add\",\"parameters\":{\"type\":\"object\"}}}]}";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"parser: acme", "{ reasoning-parser: acme, tool-parser: acme }"})
    void aCallEndsReasoningThatWasNotClosed(String names) throws Exception {
        JsonNode message = message(names, "[[short <<add>>] here]] ends <<add {\"a\": 1}>>");
        assertThat(message.path("reasoning").asText()).isEqualTo("short <<add>>] here");
        assertThat(message.path("content").asText()).isEqualTo(" ends");
        assertThat(message.at("/tool_calls/0/function/arguments").asText()).isEqualTo("{\"a\": 1}");

        JsonNode unclosed = message(names, "[[short <<add {\"a\": 1}>>");
        assertThat(unclosed.path("reasoning").asText()).isEqualTo("short ");
        assertThat(unclosed.at("/tool_calls/0/function/name").asText()).isEqualTo("add");
    }

    @Test
    void aTokenizerDescribesItsParser() throws Exception {
        Path tokenizer = Files.createDirectory(folder.resolve("tokenizer"));
        Files.copy(Stage.QWEN3.resolve("tokenizer.json.gz"), tokenizer.resolve("tokenizer.json.gz"));
        String template = """
                {"response_template": {"start_anchor": "assistant", "fields": {
                  "thinking": {"open": "[[", "close": "]]"},
                  "tool_calls": {"open": "<<", "close": ">>", "content": "json", "transform": {"function": "{content}"}}}}}
                """;
        Files.writeString(tokenizer.resolve("tokenizer_config.json"), template);
        try (Stage stage = new Stage(folder)) {
            SimulatedServer server = stage.server(Stage.tokensOnly());
            server.direct(request -> Script.tokens(encode("[[so]]<<{\"name\": \"add\", \"arguments\": {\"a\": 1}}>>")));
            String yaml = """
                    server: { host: 127.0.0.1, port: 0 }
                    models:
                      m:
                        tokenizer: { source: %s }
                        parser: hf
                    pools: { chat: { model: m, tokenizer: proxy, endpoints: [ %s ] } }
                    """.formatted(tokenizer, server.uri());
            stage.proxyOf(yaml);
            JsonNode message = json(stage.post(body(CONTEXT)).body()).at("/choices/0/message");
            assertThat(message.path("reasoning").asText()).isEqualTo("so");
            assertThat(message.at("/tool_calls/0/function/arguments").asText()).isEqualTo("{\"a\": 1}");

            Files.writeString(tokenizer.resolve("tokenizer_config.json"), template.replace("<<", "a|b").replace("open\": \"a", "open_pattern\": \"a"));
            assertThatThrownBy(() -> stage.proxyOf(yaml))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("glyphgate.yaml:4: models.m.tokenizer.source: ")
                    .hasMessageContaining("response_template.fields.tool_calls.open_pattern");
        }
    }

    private JsonNode message(String names, String output) throws Exception {
        try (Stage stage = new Stage(folder)) {
            SimulatedServer server = stage.server(Stage.tokensOnly());
            server.direct(request -> Script.tokens(encode(output)));
            stage.proxyOf("""
                    server: { host: 127.0.0.1, port: 0 }
                    parsers:
                      acme:
                        reasoning: { open: "[[", close: "]]" }
                        tools:
                          offered: true
                          calls: [ { opener: "<<", name: { ends: [ " " ] }, arguments: { json-value: {} } } ]
                          call-ends: [ ">>" ]
                    models: { m: { tokenizer: { source: %s }, %s } }
                    pools: { chat: { model: m, tokenizer: proxy, endpoints: [ %s ] } }
                    """.formatted(Stage.QWEN3, names.replaceAll("[{}]", ""), server.uri()));
            return json(stage.post(body(CONTEXT)).body()).at("/choices/0/message");
        }
    }
}
