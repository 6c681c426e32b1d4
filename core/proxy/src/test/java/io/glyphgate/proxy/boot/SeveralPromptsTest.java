package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.encode;
import static io.glyphgate.proxy.boot.Stage.eventually;
import static io.glyphgate.proxy.boot.Stage.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.simulator.Chunking;
import io.glyphgate.proxy.simulator.Fault;
import io.glyphgate.proxy.simulator.ReceivedRequest;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.proxy.simulator.SimulatorOptions.Connector;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A completion of several prompts of which one goes wrong: the client is told once, and nothing goes on. */
class SeveralPromptsTest {
    private static final String PATH = "/v1/completions";
    private static final String PROMPTS = "{\"model\":\"m\",\"prompt\":[\"Hi\",\"Ho\",\"He\"],\"max_tokens\":50";

    @TempDir
    private Path folder;

    private Stage stage;
    private SimulatedServer prefill;
    private SimulatedServer server;
    private Proxy proxy;

    @BeforeEach
    void start() {
        stage = new Stage(folder);
        prefill = stage.server(Stage.tokensOnly().connector(Connector.NIXL));
        server = stage.server(Stage.tokensOnly().connector(Connector.NIXL));
        proxy = stage.proxy(Stage.pool("chat", "proxy", server.uri()));
    }

    @AfterEach
    void nothingStaysOpen() throws Exception {
        for (SimulatedServer each : List.of(prefill, server)) {
            each.await("no request is active", Stage.LIMIT, () -> each.activeRequests() == 0);
        }
        eventually("nothing is in flight", () -> proxy.inFlight() == 0 && proxy.running() == 0 && proxy.watched() == 0);
        stage.close();
    }

    private static boolean isOf(ReceivedRequest request, String prompt) {
        return json(request.body()).path("token_ids").path(0).asInt() == encode(prompt)[0];
    }

    /** The others say a little of a stream, and then nothing more: only who aborts them ends them. */
    private void goesWrong(String prompt, String fault) {
        server.direct(request -> Script.tokens(encode("one two three four five six"))
                .chunked(Chunking.of(1))
                .failing(Fault.parse(
                        isOf(request, prompt) ? fault : json(request.body()).path("stream").asBoolean() ? "stall@2=60s" : "stall=60s")));
    }

    private HttpResponse<String> ask(boolean stream) throws Exception {
        return stage.post(stage.uri(), PATH, PROMPTS + ",\"stream\":" + stream + "}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock = """
            status=400 | 400 | upstream-refused
            status=500 | 500 | upstream-refused
            close      | 502 | upstream-broken
            html       | 502 | upstream-bad-answer
            """)
    void oneAnswerIsThatOfTheFirstPromptThatFails(String fault, int status, String slug) throws Exception {
        goesWrong("Ho", fault);

        HttpResponse<String> answer = ask(false);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("X-Glyphgate-Error")).contains(slug);
        // that none of the others goes on is seen at the end: it may be too early for one to have been asked
    }

    @ParameterizedTest
    @CsvSource({"close@4, 502", "cut@4, 502", "garbage-event@4, 502", "error-event@4, 500"})
    void aStreamEndsWithTheFirstError(String fault, int code) throws Exception {
        goesWrong("Ho", fault);

        List<JsonNode> events = Stage.events(ask(true).body());

        assertThat(events.getLast().at("/error/code").asInt()).isEqualTo(code);
        assertThat(events).filteredOn(event -> event.has("error")).hasSize(1);
        assertThat(events).filteredOn(event -> event.at("/choices/0/index").asInt(-1) == 1).isNotEmpty();
    }

    @Test
    void aPromptThatIsRefusedLaterEndsTheStreamToo() throws Exception {
        goesWrong("Ho", "stall=300ms,status=400");

        HttpResponse<String> answer = ask(true);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(Stage.events(answer.body()).getLast().at("/error/code").asInt()).isEqualTo(400);
        server.await("the others are aborted", Stage.LIMIT, () -> server.abortedRequestIds().size() == 2);
    }

    private void configured(String server, String clients) {
        proxy.close();
        proxy = stage.proxyOf("""
                server: { host: 127.0.0.1, port: 0, drain: 5s%s }
                clients: { keep-alive: %s }
                models: { m: { tokenizer: { source: %s } } }
                upstream: { tokenizer-mismatch: ignore }
                pools: { chat: { model: m, tokenizer: proxy, endpoints: [%s] } }
                """.formatted(server, clients, Stage.QWEN3, this.server.uri()));
    }

    @Test
    void aRefusalBehindACommentIsAnEvent() throws Exception {
        configured("", "200ms");
        server.direct(request -> Script.NONE.failing(Fault.parse(isOf(request, "Ho") ? "stall=1500ms,status=400" : "stall@0=60s")));

        HttpResponse<String> answer = ask(true);

        assertThat(answer.statusCode()).isEqualTo(200);
        List<JsonNode> events = Stage.events(answer.body());
        assertThat(events).hasSize(1);
        assertThat(events.getFirst().at("/error/code").asInt()).isEqualTo(400);
    }

    /** Who tells the client of a failure must not be stopped by those whom it has stopped. */
    @Test
    void theErrorAlwaysComes() throws Exception {
        configured(", streaming: thread", "15s");
        goesWrong("Ho", "error-event@4");
        for (int i = 0; i < 40; i++) {
            List<JsonNode> events = Stage.events(ask(true).body());
            assertThat(events.getLast().at("/error/code").asInt()).isEqualTo(500);
        }
    }

    /** One prompt is still computed when another one is refused: only the answer of its prefill server says how to release it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void promptsThatWereHandedOverAreReleased(boolean stream) throws Exception {
        proxy.close();
        proxy = stage.proxy("""
                p: { model: m, role: prefill, tokenizer: none, endpoints: [%s], kv: { connector: nixl } }
                d: { model: m, role: decode, tokenizer: proxy, endpoints: [%s] }
                """.formatted(prefill.uri(), server.uri()));
        prefill.direct(request -> isOf(request, "Ho") ? Script.NONE : Script.faults(Fault.parse("stall=700ms").getFirst()));
        server.direct(request -> request.body().contains("\"max_tokens\":50")
                ? Script.faults(Fault.parse("status=400").getFirst())
                : Script.NONE); // this one only takes the prompt

        HttpResponse<String> answer = ask(stream);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        eventually("all are computed", () -> prefill.computedPrompts() == 3);
        prefill.await("nothing is held", Stage.LIMIT, () -> prefill.heldPrompts() == 0);
        assertThat(prefill.expiredPrompts()).isZero();
    }
}
