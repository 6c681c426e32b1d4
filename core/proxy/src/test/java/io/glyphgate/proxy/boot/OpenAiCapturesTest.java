package io.glyphgate.proxy.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.boot.OpenAiCaptures.Exchange;
import io.glyphgate.proxy.simulator.ReceivedRequest;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The doors for chats and completions answer what a real vLLM answered, when their servers, which have no tokenizer, say the same
 * tokens: fields, their order, nulls, and events. What differs on purpose is named here and in the reference.
 */
class OpenAiCapturesTest {
    /** Refused here, answered by vLLM: by ignoring a field, or with what needs more than tokens (C1, C2). */
    private static final Set<String> REFUSED = Set.of(
            "chat-x-unknown-field",
            "chat-x-audio",
            "chat-x-functions",
            "chat-x-beam",
            "chat-x-bad-words",
            "comp-x-beam",
            "comp-x-best-of",
            "comp-echo-logprobs-stream",
            "comp-echo-only-stream");

    /** Text is sent as soon as it can be no part of a stop string or marker, so events are cut elsewhere than vLLM's (C4). */
    private static final Set<String> CUT_ELSEWHERE = Set.of(
            "chat-stop-stream",
            "chat-stop-include-stream",
            "comp-stop-stream",
            "chat-call-stream",
            "chat-two-calls-stream",
            "chat-one-call-of-two-stream",
            "chat-required-stream",
            "chat-named-stream",
            "chat-tools-none-stream",
            "chat-think-stream");

    /** A call that is cut off stays a call (D5), as in vLLM's own stream of the same tokens. */
    private static final Set<String> CUT_OFF_CALLS = Set.of("chat-required", "chat-named");

    /** Limits of a real server that the simulated one does not have; the proxy leaves them to it. */
    private static final Set<String> LEFT_TO_SERVERS =
            Set.of("chat-x-logit-bias-oov", "chat-x-stop-many", "comp-x-logprobs-all");

    private static final Pattern PART = Pattern.compile("^cmpl-.*-([0-9])$");

    @TempDir
    private static Path folder;

    private static Stage stage;
    private static SimulatedServer server;

    @BeforeAll
    static void start() throws IOException {
        stage = new Stage(folder);
        server = stage.server(Stage.tokensOnly().model("tiny").maxModelLength(2048).vocabularySize(151_936));
        stage.proxyOf(OpenAiCaptures.configuration(folder, server.uri()));
    }

    @AfterAll
    static void stop() {
        stage.close();
    }

    private static Stream<Exchange> exchanges() {
        return OpenAiCaptures.all().filter(each -> !each.path().endsWith("/render"));
    }

    static Stream<Exchange> answered() {
        return exchanges()
                .filter(each -> each.status() == 200)
                .filter(each -> !each.name().contains("-x-"))
                .filter(each -> !each.line().path("body").asText().contains("data: {\"error\""));
    }

    static Stream<Exchange> checked() {
        return exchanges()
                .filter(each -> each.name().contains("-x-") || each.status() != 200)
                .filter(each -> !LEFT_TO_SERVERS.contains(each.name()));
    }

    private static HttpResponse<String> send(Exchange exchange) throws Exception {
        String id = exchange.line().path("headers").path("X-Request-Id").asText("");
        return id.isEmpty()
                ? stage.post(stage.uri(), exchange.path(), exchange.request().toString())
                : stage.post(stage.uri(), exchange.path(), exchange.request().toString(), "X-Request-Id", id);
    }

    @ParameterizedTest
    @MethodSource("answered")
    void answersLikeTheServer(Exchange exchange) throws Exception {
        Script script = exchange.script().orElseThrow();
        server.direct(request -> part(request, exchange, script));

        HttpResponse<String> answer = send(exchange);

        if (REFUSED.contains(exchange.name())) {
            assertThat(answer.statusCode()).isEqualTo(400);
            return;
        }
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type").orElse("")).isEqualTo(exchange.line().path("content_type").asText());
        if (CUT_OFF_CALLS.contains(exchange.name())) {
            JsonNode call = Stage.json(answer.body()).path("choices").path(0).path("message").path("tool_calls").path(0);
            Exchange stream = exchanges().filter(each -> each.name().equals(exchange.name() + "-stream")).findFirst().orElseThrow();
            assertThat(call.path("function").path("name").asText() + call.path("function").path("arguments").asText())
                    .isEqualTo(assembled(stream, stream.events()).get("call 0"));
        } else if (!exchange.streams()) {
            assertThat(wanted(exchange, Stage.json(answer.body())).toPrettyString())
                    .isEqualTo(wanted(exchange, exchange.json()).toPrettyString());
        } else if (CUT_ELSEWHERE.contains(exchange.name())) {
            assertThat(assembled(exchange, Stage.events(answer.body()))).isEqualTo(assembled(exchange, exchange.events()));
        } else {
            assertThat(sorted(exchange, Stage.events(answer.body()))).isEqualTo(sorted(exchange, exchange.events()));
        }
    }

    @ParameterizedTest
    @MethodSource("checked")
    void takesAndRefusesLikeTheServer(Exchange exchange) throws Exception {
        server.direct(request -> Script.NONE);

        HttpResponse<String> answer = send(exchange);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(REFUSED.contains(exchange.name()) ? 400 : status(exchange));
        String param = exchange.json().path("error").path("param").asText("");
        if (exchange.status() == 400 && !param.isEmpty() && param.indexOf('.') < 0) {
            assertThat(Stage.json(answer.body()).path("error").path("param").asText("")).contains(param);
        }
    }

    /** What is said to one of several prompts: their requests are numbered. */
    private static Script part(ReceivedRequest request, Exchange exchange, Script script) {
        Matcher number = PART.matcher(request.headers().getOrDefault("x-request-id", ""));
        if (!number.find() || exchange.request().path("prompt").size() < 2) {
            return script;
        }
        int n = exchange.request().path("n").asInt(1);
        int first = Integer.parseInt(number.group(1)) * n;
        return script.saying(script.outputs().subList(first, first + n).toArray(Script.Output[]::new));
    }

    /** The real server broke once by itself: a stop token ended what a grammar was to end. */
    private static int status(Exchange exchange) {
        return exchange.status() == 500 ? 200 : exchange.status();
    }

    /** What the answer must be, after the rules on purpose. */
    private static JsonNode wanted(Exchange exchange, JsonNode answer) {
        JsonNode wanted = OpenAiCaptures.comparable(answer);
        for (JsonNode parent : wanted.findParents("bytes")) {
            if (exchange.request().path("return_tokens_as_token_ids").asBoolean()) {
                ((ObjectNode) parent).remove("bytes"); // C3
            }
        }
        return wanted;
    }

    /** Events as text, in the order of their choices: how choices alternate is the engine's matter. */
    private static List<String> sorted(Exchange exchange, List<JsonNode> events) {
        List<JsonNode> sorted = new ArrayList<>(events);
        sorted.sort(Comparator.comparingInt(event -> event.path("choices").path(0).path("index").asInt(Integer.MAX_VALUE)));
        return sorted.stream().map(event -> wanted(exchange, event).toString()).toList();
    }

    /** What a client puts together of events; the first one, and the usage, as they are. */
    private static Map<String, Object> assembled(Exchange exchange, List<JsonNode> events) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("first", exchange.path().endsWith("chat/completions") ? wanted(exchange, events.getFirst()).toString() : "");
        all.put("usage", wanted(exchange, events.getLast()).toString());
        for (JsonNode event : events) {
            for (JsonNode choice : event.path("choices")) {
                JsonNode delta = choice.path("delta");
                all.merge("text", choice.path("text").asText() + delta.path("content").asText(""), (a, b) -> "" + a + b);
                all.merge("reasoning", delta.path("reasoning").asText(""), (a, b) -> "" + a + b);
                all.merge("tokens", choice.path("token_ids").toString(), (a, b) -> "" + a + b);
                for (JsonNode call : delta.path("tool_calls")) {
                    String key = "call " + call.path("index");
                    all.merge(key, call.path("function").path("name").asText("") + call.path("function").path("arguments").asText(""),
                            (a, b) -> "" + a + b);
                }
                if (!choice.path("finish_reason").isNull()) {
                    all.put("finish", choice.path("finish_reason").asText() + " " + choice.path("stop_reason"));
                }
            }
        }
        all.computeIfPresent("tokens", (key, tokens) -> tokens.toString().replace("][", ",").replace("[,", "[").replace("null", ""));
        return all;
    }
}
