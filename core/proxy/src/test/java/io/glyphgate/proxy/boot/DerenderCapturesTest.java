package io.glyphgate.proxy.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.boot.OpenAiCaptures.Exchange;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The derender doors answer what {@code vllm launch render} answered: fields, their order, nulls, and chunks. What differs on
 * purpose is named here and in the reference.
 */
class DerenderCapturesTest {
    /** Refused here, answered by vLLM (C1, R1). */
    private static final Set<String> REFUSED =
            Set.of("d-x-unknown-req", "d-x-oov", "d-x-dupindex", "s-x-negative");

    /** Answered here, refused by vLLM: older logprobs, and stop strings in a stream (R1). */
    private static final Set<String> ANSWERED = Set.of("d-placeholder", "s-stop-000", "k-s-x-stop-000");

    /** The tokens go on behind the stop string, so fewer of them count (R1). */
    private static final Set<String> STOPPED =
            Set.of("d-stop", "d-stop-include", "d-stop-unreported", "d-stop-noreq", "k-stop", "k-stop-noreq");

    /** As above, and the server did not stop: the output is cut all the same, as at the chat's own door (R1). */
    private static final Set<String> CUT_HERE = Set.of("d-stop-length");

    /** A request whose prompt has ended the reasoning gets content; vLLM looks at another field for it (R1). */
    private static final Set<String> PROMPT_COUNTS = Set.of("d-openthink", "d-openthink-own");

    /** vLLM overlooks what the request asks for (R1). */
    private static final Set<String> FILLED = Set.of("d-weights", "d-tokensasids", "d-kv");

    /** Pieces of a call, and text before one, come when they are certain (C4). */
    private static final Set<String> CUT_ELSEWHERE =
            Set.of("s-call", "s-two", "s-two-all", "s-required", "s-think", "s-logprobs", "s-noreason", "s-think3", "s-weights");

    /** Without an empty thought at its end. */
    private static final int SHORT_PROMPT = 15;

    @TempDir
    private static Path folder;

    private static Stage stage;

    @BeforeAll
    static void start() throws Exception {
        stage = new Stage(folder);
        stage.proxyOf(OpenAiCaptures.configuration(folder, Stage.nobody()));
    }

    @AfterAll
    static void stop() {
        stage.close();
    }

    private static Stream<Exchange> exchanges() {
        return OpenAiCaptures.derender().filter(each -> each.path().endsWith("/derender"));
    }

    private static boolean ofStream(Exchange exchange) {
        return exchange.request().path("stream").asBoolean();
    }

    static Stream<Exchange> whole() {
        return exchanges().filter(each -> each.status() == 200 && !ofStream(each));
    }

    static Stream<Exchange> refused() {
        return exchanges().filter(each -> each.status() != 200);
    }

    /** The chunks of each stream, in their order. */
    static Stream<List<Exchange>> streams() {
        return exchanges()
                .filter(each -> each.status() == 200 && ofStream(each))
                .collect(Collectors.groupingBy(DerenderCapturesTest::stream, LinkedHashMap::new, Collectors.toList()))
                .values()
                .stream();
    }

    private static String stream(Exchange exchange) {
        return exchange.name().replaceAll("-(\\d+|usage)$", "");
    }

    /** Text; a candidate that is no token at all has no bytes there, and none here. */
    private static String comparable(JsonNode answer) {
        return answer.toPrettyString().replaceAll("(\"token\" : \"\",\\s+\"logprob\" : [-0-9.]+,\\s+\"bytes\" : )null", "$1[ ]");
    }

    private static HttpResponse<String> send(Exchange exchange, JsonNode request) throws Exception {
        String body = request.isTextual() ? request.textValue() : request.toString();
        return stage.post(stage.uri(), exchange.path(), body);
    }

    @ParameterizedTest
    @MethodSource("whole")
    void derendersWholeAnswers(Exchange exchange) throws Exception {
        HttpResponse<String> answer = send(exchange, exchange.request());

        if (REFUSED.contains(exchange.name())) {
            assertThat(answer.statusCode()).isEqualTo(400);
            return;
        }
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        JsonNode made = OpenAiCaptures.comparable(Stage.json(answer.body()));
        JsonNode wanted = OpenAiCaptures.comparable(exchange.json());
        JsonNode choice = made.path("choices").path(0);
        if (CUT_HERE.contains(exchange.name())) {
            assertThat(choice.path("message").path("content").asText()).isEqualTo("\n\n");
            assertThat(choice.path("finish_reason").asText() + choice.path("stop_reason").asText()).isEqualTo("stopLet");
            return;
        }
        if (PROMPT_COUNTS.contains(exchange.name())) {
            int[] prompt = Stage.JSON.convertValue(exchange.request().path("prompt_token_ids"), int[].class);
            assertThat(choice.path("message").path("reasoning").isNull()).isEqualTo(prompt.length > SHORT_PROMPT);
            return;
        }
        if (STOPPED.contains(exchange.name())) {
            ((ObjectNode) made).remove("usage");
            ((ObjectNode) wanted).remove("usage");
        }
        if (FILLED.contains(exchange.name())) {
            assertThat(choice.path("message")).isEqualTo(wanted.path("choices").path(0).path("message"));
            return;
        }
        assertThat(comparable(made)).isEqualTo(comparable(wanted));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void refusesWhatTheServerRefuses(Exchange exchange) throws Exception {
        HttpResponse<String> answer = send(exchange, exchange.request());

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(ANSWERED.contains(exchange.name()) ? 200 : exchange.status());
        String param = exchange.json().path("error").path("param").asText("");
        if (answer.statusCode() != 200 && !param.isEmpty()) {
            String told = Stage.json(answer.body()).path("error").path("param").asText("");
            // vLLM tries the body as a whole answer and as a chunk, and tells of whichever it likes
            assertThat(param.split("\\.")).as(told).anyMatch(step -> told.contains(step) || step.equals("stream"));
        }
    }

    @ParameterizedTest
    @MethodSource("streams")
    void derendersStreams(List<Exchange> chunks) throws Exception {
        JsonNode[] state = {chunks.getFirst().request().path("stream_state")};
        compare(chunks, chunk -> {
            ObjectNode request = chunk.request().deepCopy();
            return request.set("stream_state", state[0]);
        }, answer -> state[0] = answer.path("stream_state"));
    }

    /** Each chunk comes with the state that vLLM gave. */
    @ParameterizedTest
    @MethodSource("streams")
    void goesOnWithStreamsOfTheServer(List<Exchange> chunks) throws Exception {
        compare(chunks, Exchange::request, answer -> {});
    }

    private interface Seen {
        void answer(JsonNode answer);
    }

    private static void compare(List<Exchange> chunks, Function<Exchange, JsonNode> asked, Seen seen) throws Exception {
        List<JsonNode> made = new ArrayList<>();
        for (Exchange chunk : chunks) {
            HttpResponse<String> answer = send(chunk, asked.apply(chunk));
            if (REFUSED.contains(chunk.name())) {
                assertThat(answer.statusCode()).isEqualTo(400);
                return;
            }
            assertThat(answer.statusCode()).as(chunk + " " + answer.body()).isEqualTo(200);
            JsonNode json = Stage.json(answer.body());
            seen.answer(json);
            made.add(OpenAiCaptures.comparable(json.path("chunk")));
            assertThat(names(json.path("stream_state"))).isEqualTo(names(chunk.json().path("stream_state")));
        }
        List<JsonNode> wanted =
                chunks.stream().map(chunk -> OpenAiCaptures.comparable(chunk.json().path("chunk"))).toList();
        if (CUT_ELSEWHERE.contains(stream(chunks.getFirst()))) {
            assertThat(assembled(made)).isEqualTo(assembled(wanted));
            assertThat(made.stream().map(DerenderCapturesTest::frame).toList())
                    .isEqualTo(wanted.stream().map(DerenderCapturesTest::frame).toList());
        } else {
            assertThat(made.stream().map(JsonNode::toString).toList())
                    .isEqualTo(wanted.stream().map(JsonNode::toString).toList());
        }
    }

    private static List<String> names(JsonNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** A chunk without its text and calls. */
    private static String frame(JsonNode chunk) {
        ObjectNode copy = chunk.deepCopy();
        for (JsonNode choice : copy.path("choices")) {
            ObjectNode delta = (ObjectNode) choice.path("delta");
            delta.put("content", "").put("reasoning", "").remove("tool_calls");
        }
        return comparable(copy);
    }

    private static Map<String, String> assembled(List<JsonNode> chunks) {
        Map<String, String> all = new LinkedHashMap<>();
        for (JsonNode chunk : chunks) {
            JsonNode delta = chunk.path("choices").path(0).path("delta");
            all.merge("content", delta.path("content").asText(""), String::concat);
            all.merge("reasoning", delta.path("reasoning").asText(""), String::concat);
            for (JsonNode call : delta.path("tool_calls")) {
                String key = "call " + call.path("index");
                all.merge(key, call.path("function").path("name").asText("") + call.path("function").path("arguments").asText(""),
                        String::concat);
            }
        }
        if (all.containsKey("call 0")) {
            all.computeIfPresent("content", (key, content) -> content.isBlank() ? "" : content); // R1: held back, and no content
        }
        return all;
    }
}
