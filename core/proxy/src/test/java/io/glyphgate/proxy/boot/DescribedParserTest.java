package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static io.glyphgate.proxy.boot.Stage.encode;
import static io.glyphgate.proxy.boot.Stage.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import java.nio.file.Path;
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
                          calls: [ "<<" ]
                          name-ends: [ " " ]
                          arguments: { json-value: {} }
                          call-ends: [ ">>" ]
                    models: { m: { tokenizer: { source: %s }, %s } }
                    pools: { chat: { model: m, tokenizer: proxy, endpoints: [ %s ] } }
                    """.formatted(Stage.QWEN3, names.replaceAll("[{}]", ""), server.uri()));
            return json(stage.post(body(CONTEXT)).body()).at("/choices/0/message");
        }
    }
}
