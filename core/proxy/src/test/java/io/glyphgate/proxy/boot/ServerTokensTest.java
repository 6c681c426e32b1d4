package io.glyphgate.proxy.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.config.ConfigException;
import io.glyphgate.proxy.http.Doors;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A proxy without the model's tokenizer before servers that have it; another proxy plays the server. */
class ServerTokensTest {
    private static final String TEXT = "\"Hey, how are you ? Fine. Thanks\"";

    @TempDir
    private Path folder;

    private static Stage server;
    private Stage stage;

    @BeforeAll
    static void startServer(@TempDir Path home) throws Exception {
        Files.writeString(home.resolve("server.jinja"), "{% for m in messages %}({{ m.content }}){% endfor %}");
        server = new Stage(home);
        server.proxyOf("""
                server: { host: 127.0.0.1, port: 0 }
                models:
                  served:
                    max-model-len: 4096
                    tokenizer: { source: %s }
                    chat-template: { source: server.jinja }
                pools:
                  none: { model: served, tokenizer: none, endpoints: [ %s ] }
                doors: { tokenizer-info: true }
                """.formatted(Stage.QWEN3, Stage.nobody()));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void start() {
        stage = new Stage(folder);
    }

    private void behind(URI... endpoints) {
        stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0 }
                models: { m: {} }
                pools:
                  servers: { model: m, served-model: served, tokenizer: upstream, endpoints: %s }
                doors: { tokenizer-info: true }
                """.formatted(List.of(endpoints)));
    }

    @AfterEach
    void stop() {
        stage.close();
    }

    private JsonNode post(Stage at, String path, String body) throws Exception {
        HttpResponse<String> answer = at.post(at.uri(), path, body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return Stage.json(answer.body());
    }

    private void sameAtBoth(String path, String body) throws Exception {
        assertThat(post(stage, path, body)).isEqualTo(post(server, path, body));
    }

    @Test
    void theServersTokenizerAnswersAtAllDoors() throws Exception {
        behind(Stage.nobody(), server.uri());
        sameAtBoth("/tokenize", "{\"prompt\":" + TEXT + ",\"return_token_strs\":true}");
        sameAtBoth("/tokenize", "{\"messages\":[{\"role\":\"user\",\"content\":" + TEXT + "}]}");
        sameAtBoth("/detokenize", "{\"tokens\":[9707,11,1879]}");
        sameAtBoth("/v2/tokenizer", "{\"prompt\":" + TEXT + "}");
        sameAtBoth("/v2/tokenizer", "{\"messages\":[{\"role\":\"user\",\"content\":" + TEXT + "}],\"tools\":[]}");
        sameAtBoth("/v2/decode", "{\"tokens\":[9707,11,1879]}");
        sameAtBoth("/v1/tokenizer", "{\"text\":" + TEXT + "}");
        sameAtBoth("/v1/tokenizer", "{\"text\":" + TEXT + ",\"vanilla\":false,\"with_tokens_str\":true}");
        sameAtBoth("/v1/decode", "{\"token_ids\":[9707,11,1879],\"vanilla\":false}");
        sameAtBoth("/v1/split_text", "{\"text\":" + TEXT + ",\"num_tokens_in_chunk\":2}");
        sameAtBoth("/v1/metadata_text", "{\"text\":" + TEXT + ",\"max_length\":3}");
        assertThat(Stage.json(stage.get("/tokenizer_info").body())).isEqualTo(Stage.json(server.get("/tokenizer_info").body()));
    }

    @Test
    void whatTheServerRefusesIsRefused() throws Exception {
        behind(server.uri());
        String images = "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"u\"}}]}]}";
        HttpResponse<String> answer = stage.post(stage.uri(), "/tokenize", images);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.headers().firstValue("X-Glyphgate-Error")).hasValue("upstream-refused");
        assertThat(Stage.json(answer.body()).at("/error/message").asText()).contains("image_url");
        answer = stage.post(stage.uri(), "/v2/tokenizer", images);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(Stage.json(answer.body()).path("object").asText()).isEqualTo("error");
        assertThat(Stage.json(answer.body()).path("message").asText()).contains("image_url");
    }

    @Test
    void singleTokensAsTextsAreRefused() throws Exception {
        behind(server.uri());
        HttpResponse<String> answer =
                stage.post(stage.uri(), "/v1/tokenizer", "{\"text\":" + TEXT + ",\"with_tokens_str\":true}");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(Stage.json(answer.body()).path("detail").asText()).contains("models.*.tokenizer");
    }

    @Test
    void noServerIsNoAnswer() throws Exception {
        behind(Stage.nobody());
        HttpResponse<String> answer = stage.post(stage.uri(), "/tokenize", "{\"prompt\":\"x\"}");
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("X-Glyphgate-Error")).hasValue("no-endpoint");
    }

    @Test
    void noTokenizerAnywhereIsARefusalThatNamesThePools() throws Exception {
        stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0 }
                models: { m: {} }
                pools: { bulk: { model: m, tokenizer: none, endpoints: [ %s ] } }
                """.formatted(Stage.nobody()));
        HttpResponse<String> answer = stage.post(stage.uri(), "/tokenize", "{\"prompt\":\"x\"}");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(Stage.json(answer.body()).at("/error/message").asText()).contains("'bulk' has tokenizer: none");
    }

    private void same(String model, String more) {
        stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0 }
                models:
                  m: { tokenizer: { source: %s }, %s }
                pools:
                  servers: { model: m, served-model: %s, tokenizer: proxy, endpoints: [ %s ] }
                upstream: { tokenizer-mismatch: fail }
                """.formatted(Stage.QWEN3, more, model, server.uri()));
    }

    @Test
    void theStartGoesOnWhereTheTokenizersAreTheSame() {
        same("served", "max-model-len: 4096");
    }

    @Test
    void theStartGoesOnWhereTheServerHasNone() {
        same("unknown", "max-model-len: 4096");
    }

    @Test
    void theStartFailsAtAnotherLimit() {
        assertThatThrownBy(() -> same("served", "max-model-len: 1024")).hasMessageContaining("set max-model-len to 4096");
    }

    @Test
    void theStartFailsAtAnotherTokenizer() {
        Path llama = Path.of("../../plugins/tokenizer-huggingface/src/test/resources/tokenizers/llama2").toAbsolutePath();
        assertThatThrownBy(() -> stage.proxyOf("""
                        server: { host: 127.0.0.1, port: 0 }
                        models: { m: { tokenizer: { source: %s } } }
                        pools:
                          servers: { model: m, served-model: served, tokenizer: proxy, endpoints: [ %s ] }
                        upstream: { tokenizer-mismatch: fail }
                        """.formatted(llama, server.uri())))
                .hasMessageContaining("makes other tokens of a text")
                .hasMessageContaining("makes another text of tokens")
                .hasMessageContaining("servers");
    }

    @Test
    void aWrongChatTemplateStopsTheStart() throws Exception {
        Files.writeString(folder.resolve("wrong.jinja"), "{% for %}");
        for (String file : List.of("wrong.jinja", "missing.jinja")) {
            assertThatThrownBy(() -> stage.proxyOf("""
                            server: { host: 127.0.0.1, port: 0 }
                            models: { m: { tokenizer: { source: %s }, chat-template: %s } }
                            pools: { p: { model: m, tokenizer: proxy, endpoints: [ %s ] } }
                            """.formatted(Stage.QWEN3, file, Stage.nobody())))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("models.m.chat-template.source")
                    .hasMessageContaining(file);
        }
    }

    @Test
    void modelsTellWhatTheirTokenizersAre() throws Exception {
        JsonNode model = Stage.json(server.get("/v1/models").body()).at("/data/0");
        assertThat(model.path("max_model_len").asInt()).isEqualTo(4096);
        assertThat(model.at("/tokenizer/vocabulary").asText()).isEqualTo(Stage.TOKENIZER.fingerprint());
        assertThat(model.at("/tokenizer/chat_template").asText()).hasSize(64);
    }

    @Test
    void theDocumentDescribesTheOpenDoors() throws Exception {
        JsonNode document = Stage.json(server.get("/openapi.json").body());
        assertThat(document.at("/paths/~1v1~1tokenizer/post/deprecated").asBoolean()).isTrue();
        assertThat(document.at("/paths/~1v2~1tokenizer/post").has("deprecated")).isFalse();
        try (var all = Doors.class.getResourceAsStream("openapi.json")) {
            // every door is open here, so nothing described may be missing
            assertThat(document.path("paths")).isEqualTo(Stage.JSON.readTree(all).path("paths"));
        }
    }

    @Test
    void closedDoorsAreNotDescribed() throws Exception {
        stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0 }
                models: { m: {} }
                pools: { bulk: { model: m, tokenizer: none, endpoints: [ %s ] } }
                doors: { tokenize: false, happy-vllm-prefix: /llm }
                """.formatted(Stage.nobody()));
        JsonNode paths = Stage.json(stage.get("/openapi.json").body()).path("paths");
        assertThat(paths.has("/tokenize")).isFalse();
        assertThat(paths.has("/llm/v2/decode")).isTrue();
        assertThat(paths.has("/v2/decode")).isFalse();
        assertThat(stage.post(stage.uri(), "/tokenize", "{}").statusCode()).isEqualTo(404);
        assertThat(stage.get("/llm/liveness").body()).isEqualTo("{\"alive\":\"ok\"}");
    }

    @Test
    void withSeveralModelsTheRequestNamesOne() throws Exception {
        stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0 }
                models:
                  a: { tokenizer: { source: %1$s }, max-model-len: 1 }
                  b: { tokenizer: { source: %1$s }, max-model-len: 2, aliases: [ c ] }
                pools:
                  a: { model: a, tokenizer: proxy, endpoints: [ %2$s ] }
                  b: { model: b, tokenizer: proxy, endpoints: [ %2$s ] }
                """.formatted(Stage.QWEN3, Stage.nobody()));
        assertThat(post(stage, "/tokenize", "{\"model\":\"c\",\"prompt\":\"x\"}").path("max_model_len").asInt()).isEqualTo(2);
        assertThat(stage.post(stage.uri(), "/tokenize", "{\"prompt\":\"x\"}").statusCode()).isEqualTo(400);
        assertThat(post(stage, "/v1/split_text", "{\"model\":\"b\",\"text\":\"x\"}").path("split_text").size()).isEqualTo(1);
        assertThat(stage.post(stage.uri(), "/v1/split_text", "{\"text\":\"x\"}").statusCode()).isEqualTo(400);
        assertThat(stage.post(stage.uri(), "/v1/tokenizer", "{\"model\":\"nope\",\"text\":\"x\"}").statusCode()).isEqualTo(404);
        assertThat(Stage.json(stage.get("/v1/info?model=b").body()).path("max_length").asInt()).isEqualTo(2);
        assertThat(Stage.json(stage.get("/v1/info").body()).path("model_name").asText()).isEqualTo("a");
    }
}
