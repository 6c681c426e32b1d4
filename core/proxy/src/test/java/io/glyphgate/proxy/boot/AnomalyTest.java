package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.body;
import static io.glyphgate.proxy.boot.Stage.encode;
import static io.glyphgate.proxy.boot.Stage.eventually;
import static io.glyphgate.proxy.boot.Stage.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.config.ConfigException;
import io.glyphgate.proxy.simulator.Chunking;
import io.glyphgate.proxy.simulator.Fault;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.proxy.wire.CapturedOutput;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Outputs that go wrong are counted, and captured where that is asked for, so that they can be played again. */
class AnomalyTest {
    private static final String TOOLS = "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"parameters\":"
            + "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}},\"required\":[\"city\"]}}}]";
    private static final String CONTEXT = "\"output_mode\":\"derender\",\"parse_context\":{\"tool_choice\":\"auto\"," + TOOLS + "}";
    private static final String WRONG_CITY =
            "<think>hm</think>\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": 7}}\n</tool_call><|im_end|>";

    @TempDir
    private Path folder;

    private Path captures;
    private Stage stage;
    private SimulatedServer server;

    @BeforeEach
    void start() throws IOException {
        captures = Files.createDirectory(folder.resolve("captures"));
        stage = new Stage(folder);
        server = stage.server(Stage.tokensOnly());
    }

    @AfterEach
    void stop() {
        stage.close();
    }

    private void proxy(String capture) {
        stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0, drain: 5s }
                models: { m: { tokenizer: { source: %s }, reasoning-parser: qwen3, tool-parser: hermes } }
                pools: { chat: { model: m, tokenizer: proxy, endpoints: [%s] } }
                %s
                """.formatted(Stage.QWEN3, server.uri(), capture));
    }

    private void say(String output) {
        server.direct(request -> Script.tokens(encode(output)).chunked(Chunking.of(3)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock = """
            <think>no end                                                               | qwen3  | reasoning-parser | unclosed-reasoning
            <think>a</think>b</think>c                                                  | qwen3  | reasoning-parser | marker-in-content
            <think>a</think><tool_call>no call                                          | hermes | tool-parser      | marker-in-content
            <think>a</think><tool_call>{"city": 7}</tool_call>                          | hermes | tool-parser      | not-a-call
            <think>a</think><tool_call>{"name": "get_weather"                           | hermes | tool-parser      | unclosed-call
            <think>a</think>x</tool_call>                                               | hermes | tool-parser      | marker-in-content
            <think>a</think><tool_call>{"name": "f", "arguments": {}}</tool_call>       | hermes | tool-parser      | unknown-function
            <think>a</think><tool_call>{"name": "get_weather", "arguments": {}}</tool_call> | hermes | tool-parser  | arguments-off-schema
            <think>a</think><tool_call>{"name": "get_weather", "arguments": {"city": x}}</tool_call> | hermes | tool-parser | arguments-not-json
            """)
    void anomaliesAreCountedByPoolAndParser(String output, String parser, String parserKind, String kind) throws Exception {
        proxy("");
        say(output + "<|im_end|>");
        for (String stream : List.of("", ",\"stream\":true")) {
            assertThat(stage.post(body(CONTEXT + stream)).statusCode()).isEqualTo(200);
        }
        assertThat(metrics()).contains("glyphgate_parse_anomalies_total{kind=\"" + kind + "\",parser=\"" + parser
                + "\",parser_kind=\"" + parserKind + "\",pool=\"chat\"} 2.0");
        assertThat(captures).isEmptyDirectory();
    }

    @Test
    void aGoodOutputCountsNothingAndIsNotCaptured() throws Exception {
        proxy("capture: { folder: captures }");
        say(WRONG_CITY.replace("7", "\"Oslo\""));
        assertThat(stage.post(body(CONTEXT)).statusCode()).isEqualTo(200);
        assertThat(metrics())
                .contains("glyphgate_parse_anomalies_total{kind=\"marker-in-content\",parser=\"hermes\",parser_kind=\"tool-parser\",pool=\"chat\"} 0.0")
                .contains("glyphgate_captures_total{result=\"written\"} 0.0");
        assertThat(metrics().lines().filter(line -> line.startsWith("glyphgate_parse_anomalies_total")))
                .allMatch(line -> line.endsWith(" 0.0"));
        assertThat(captures).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",\"stream\":true"})
    void anOutputWithAnAnomalyIsCapturedAndCanBePlayedAgain(String stream) throws Exception {
        proxy("capture: { folder: captures, prompt-tokens: 4 }");
        say(WRONG_CITY);
        HttpResponse<String> answer = stage.post(body(CONTEXT + stream), "X-Request-Id", "../../evil");
        assertThat(answer.statusCode()).isEqualTo(200);
        CapturedOutput captured = captured();
        assertThat(captured.requestId()).isEqualTo("../../evil");
        assertThat(captured.pool()).isEqualTo("chat");
        assertThat(captured.tokenIds()).startsWith(encode("<think>hm"));
        assertThat(captured.promptTokenIds()).hasSize(4);
        assertThat(captured.promptTokensLeftOut()).isPositive();
        assertThat(captured.finishReason()).isEqualTo("stop");
        assertThat(captured.tokenizer())
                .isEqualTo(new CapturedOutput.TokenizerName("huggingface", Stage.QWEN3.toUri().toString(), Map.of()));
        assertThat(captured.anomalies())
                .containsExactly(new CapturedOutput.Found("tool-parser", "hermes", "arguments-off-schema"));
        assertThat(played(captured))
                .contains("\"reasoning\":\"hm\"", "\"name\":\"get_weather\"", "\"finish_reason\":\"stop\"")
                .contains("anomaly: arguments-off-schema (tool-parser hermes)");
        assertThat(metrics()).contains("glyphgate_captures_total{result=\"written\"} 1.0");
    }

    /** Tokens that a client brings to the derender door, all at once or in chunks. */
    private void bring(boolean stream, String output) throws Exception {
        int[] ids = encode(output);
        ObjectNode body = Stage.JSON.createObjectNode().put("model", "m").put("stream", stream);
        body.set("chat_request", json("{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],\"tool_choice\":\"auto\"," + TOOLS + "}"));
        for (int id : encode("<|im_start|>assistant\n")) {
            body.withArray("prompt_token_ids").add(id);
        }
        int size = stream ? 3 : ids.length;
        for (int from = 0; from < ids.length; from += size) {
            ObjectNode said = Stage.JSON.createObjectNode().put("request_id", "r1");
            ObjectNode choice = said.putArray("choices").addObject().put("index", 0);
            boolean last = from + size >= ids.length;
            choice.put("finish_reason", last ? "stop" : null);
            for (int i = from; i < Math.min(ids.length, from + size); i++) {
                choice.withArray("token_ids").add(ids[i]);
            }
            body.set(stream ? "generate_chunk" : "generate_response", said);
            HttpResponse<String> answer = stage.post(stage.uri(), "/v1/chat/completions/derender", body.toString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            body.set("stream_state", json(answer.body()).path("stream_state"));
        }
    }

    @ParameterizedTest
    @CsvSource({"false, 1000", "true, 1000", "true, 0"})
    void outputsThatClientsBringAreCountedAndCapturedToo(boolean stream, int kept) throws Exception {
        proxy("capture: { folder: captures, prompt-tokens: 2 }\nderender: { streams: " + kept + " }");
        String meter = "glyphgate_parse_anomalies_total{kind=\"arguments-off-schema\",parser=\"hermes\",parser_kind=\"tool-parser\","
                + "pool=\"/derender\"} ";
        assertThat(metrics()).contains(meter + "0.0");

        bring(stream, WRONG_CITY);

        CapturedOutput captured = captured();
        assertThat(metrics()).contains(meter + "1.0");
        assertThat(captured.pool()).isEqualTo("/derender");
        assertThat(captured.requestId()).isEqualTo("r1");
        assertThat(captured.tokenIds()).isEqualTo(encode(WRONG_CITY));
        assertThat(captured.promptTokenIds()).hasSize(2);
        assertThat(captured.finishReason()).isEqualTo("stop");
        assertThat(played(captured))
                .contains("\"reasoning\":\"hm\"", "\"name\":\"get_weather\"")
                .contains("anomaly: arguments-off-schema (tool-parser hermes)");
    }

    @Test
    void aChatRequestAndStopStringsArePlayedAgainToo() throws Exception {
        proxy("capture: { folder: captures }");
        say("<think>hm</think>x</think> END y");
        String chat = "\"output_mode\":\"derender\",\"chat_request\":{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]," + TOOLS
                + ",\"chat_template_kwargs\":{\"enable_thinking\":true}}";
        assertThat(stage.post(body(chat, "{\"stop\":\"END\",\"n\":2}")).statusCode()).isEqualTo(200);
        eventually("both choices are captured", () -> files().size() == 2);
        CapturedOutput captured = CapturedOutput.parse(Files.readAllBytes(files().getFirst()));
        assertThat(captured.parseContext()).containsKey("chat_template_kwargs").containsEntry("tool_choice", "auto");
        assertThat(captured.parseRequest().tools()).hasSize(1);
        assertThat(played(captured)).contains("anomaly: marker-in-content (reasoning-parser qwen3)").doesNotContain("END");
    }

    @Test
    void anOutputThatIsLongerThanWhatIsKeptIsCutThere() throws Exception {
        proxy("capture: { folder: captures, max-tokens: 5 }");
        say("<think>a</think>b</think>c and so on and so on");
        assertThat(stage.post(body(CONTEXT)).statusCode()).isEqualTo(200);
        CapturedOutput captured = captured();
        assertThat(captured.tokenIds()).hasSize(5);
        assertThat(captured.tokensLeftOut()).isGreaterThan(5);
        assertThat(played(captured)).contains("\"finish_reason\":\"abort\"");
    }

    @Test
    void whatAServerThatDiesHasSentIsCaptured() throws Exception {
        proxy("capture: { folder: captures }");
        server.direct(request -> Script.tokens(encode("<think>a</think>b</think>c and so on"))
                .chunked(Chunking.of(4))
                .failing(Fault.parse("close@2")));
        assertThat(stage.post(body(CONTEXT + ",\"stream\":true")).body()).contains("\"error\"");
        assertThat(captured().finishReason()).isNull();
    }

    @Test
    void whatAClientThatLeftWasNotGivenIsCaptured() throws Exception {
        proxy("capture: { folder: captures }");
        server.direct(request -> Script.tokens(encode("<think>a</think>b</think>c and so on"))
                .chunked(Chunking.of(8))
                .failing(Fault.parse("stall@1")));
        try (Socket socket = stage.open(body(CONTEXT + ",\"stream\":true"))) {
            assertThat(socket.getInputStream().read()).isPositive();
        }
        assertThat(captured().anomalies()).extracting(CapturedOutput.Found::kind).containsExactly("marker-in-content");
    }

    @Test
    void aFolderThatVanishesStopsNoAnswer() throws Exception {
        proxy("capture: { folder: captures }");
        say(WRONG_CITY);
        Files.delete(captures);
        assertThat(stage.post(body(CONTEXT)).statusCode()).isEqualTo(200);
        eventually("the failure is counted", () -> metrics().contains("glyphgate_captures_total{result=\"failed\"} 1.0"));
        Files.createDirectory(captures);
        assertThat(stage.post(body(CONTEXT)).statusCode()).isEqualTo(200);
        assertThat(captured().requestId()).isEqualTo("r1");
    }

    @Test
    void aFolderThatIsNotThereIsAnErrorAtTheStart() {
        assertThatThrownBy(() -> proxy("capture: { folder: nowhere }"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("capture.folder")
                .hasMessageContaining(folder.resolve("nowhere").toString())
                .hasMessageContaining("make the folder");
    }

    private String metrics() {
        try {
            return stage.get("/metrics").body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<Path> files() {
        try (Stream<Path> files = Files.list(captures)) {
            return files.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private CapturedOutput captured() throws IOException {
        eventually("an output is captured", () -> metrics().contains("glyphgate_captures_total{result=\"written\"} 1.0"));
        assertThat(files()).hasSize(1);
        return CapturedOutput.parse(Files.readAllBytes(files().getFirst()));
    }

    private static String played(CapturedOutput captured) throws IOException {
        StringWriter printed = new StringWriter();
        ParseCommand command = new ParseCommand();
        new CommandLine(command).setOut(new PrintWriter(printed, true)).parseArgs("--captured", "unused");
        command.play(captured, Stage.REGISTRY, Stage.TOKENIZER);
        return printed.toString();
    }
}
