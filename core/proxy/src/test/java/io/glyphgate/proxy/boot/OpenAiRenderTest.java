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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A request to a door for chats or completions becomes the generate request that vLLM's {@code /render} makes of it. */
class OpenAiRenderTest {
    /** What vLLM 0.33 fills in; a server takes the same where a field is absent. */
    private static final String DEFAULTS = """
            {"n": 1, "presence_penalty": 0.0, "frequency_penalty": 0.0, "repetition_penalty": 1.0, "temperature": 1.0, "top_p": 1.0,
             "top_k": 0, "min_p": 0.0, "stop": [], "stop_token_ids": [], "bad_words": [], "skip_special_tokens": true, "max_tokens": 16}
            """;

    /** Says how the answer is made inside of vLLM, or is filled in by itself. */
    private static final Set<String> INTERNAL =
            Set.of("output_kind", "skip_clone", "skip_reading_prefix_cache", "skip_special_tokens");

    /** What the proxy does itself, so that its servers need no tokenizer. */
    private static final Set<String> DONE_HERE = Set.of("stop", "include_stop_str_in_output");

    /** Asks for two constraints. */
    private static final Set<String> REFUSED = Set.of("render-so-rf");

    /** Two constraints, and what nobody knows or can honour (C1). */
    private static final Set<String> MORE_REFUSED = Set.of("render-so-rf", "r-x-unknown", "render-all", "render-comp-all");

    private static final List<ReceivedRequest> RECEIVED = new CopyOnWriteArrayList<>();

    @TempDir
    private static Path folder;

    private static Stage stage;

    @BeforeAll
    static void start() throws IOException {
        stage = new Stage(folder);
        SimulatedServer server = stage.server(Stage.tokensOnly().model("tiny").maxModelLength(2048));
        server.direct(request -> {
            RECEIVED.add(request);
            return Script.NONE;
        });
        stage.proxyOf(OpenAiCaptures.configuration(folder, server.uri()));
    }

    @AfterAll
    static void stop() {
        stage.close();
    }

    static Stream<Exchange> rendered() {
        return OpenAiCaptures.all().filter(each -> each.path().endsWith("/render"));
    }

    @ParameterizedTest
    @MethodSource("rendered")
    void asksServersForWhatRenderMakes(Exchange exchange) throws Exception {
        RECEIVED.clear();
        ObjectNode request = exchange.request().deepCopy();
        request.remove("bad_words"); // refused: C1

        HttpResponse<String> answer =
                stage.post(stage.uri(), exchange.path().replace("/render", ""), request.toString());

        if (REFUSED.contains(exchange.name())) {
            assertThat(answer.statusCode()).isEqualTo(exchange.status()).isEqualTo(400);
            return;
        }
        List<JsonNode> made = RECEIVED.stream()
                .map(each -> Stage.json(each.body()))
                .sorted(Comparator.comparing(each -> each.path("request_id").asText()))
                .toList();
        List<JsonNode> wanted = exchange.json().isArray()
                ? IntStream.range(0, exchange.json().size()).mapToObj(exchange.json()::get).toList()
                : List.of(exchange.json());
        assertThat(made).hasSameSizeAs(wanted);
        for (int i = 0; i < made.size(); i++) {
            assertThat(made.get(i).path("token_ids")).isEqualTo(wanted.get(i).path("token_ids"));
            assertThat(sampling(made.get(i), request)).isEqualTo(sampling(wanted.get(i), request));
            for (String field : List.of("cache_salt", "kv_transfer_params", "priority", "stream")) {
                assertThat(plain(made.get(i), field)).as(field).isEqualTo(plain(wanted.get(i), field));
            }
            assertThat(made.get(i).path("request_id").asText().replaceAll("[0-9a-f]{16,}", "*"))
                    .isEqualTo(wanted.get(i).path("request_id").asText().replaceAll("[0-9a-f]{16,}", "*"));
        }
    }

    static Stream<Exchange> renderedAndMore() {
        return Stream.concat(rendered(), OpenAiCaptures.derender().filter(each -> each.path().endsWith("/render")));
    }

    /** The render doors give what vLLM's give: all fields in their order. */
    @ParameterizedTest
    @MethodSource("renderedAndMore")
    void rendersLikeTheServer(Exchange exchange) throws Exception {
        JsonNode request = exchange.request();
        String body = request.isTextual() ? request.textValue() : request.toString();

        HttpResponse<String> answer = stage.post(stage.uri(), exchange.path(), body);

        if (MORE_REFUSED.contains(exchange.name())) {
            assertThat(answer.statusCode()).isEqualTo(400);
            return;
        }
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(exchange.status());
        if (exchange.status() != 200) {
            String param = exchange.json().path("error").path("param").asText("");
            assertThat(Stage.json(answer.body()).path("error").path("param").asText(""))
                    .contains(param.substring(param.lastIndexOf('.') + 1));
            return;
        }
        JsonNode made = Stage.json(answer.body());
        assertThat(made.isArray()).isEqualTo(exchange.json().isArray());
        if (made.isArray()) {
            assertThat(made.size()).isEqualTo(exchange.json().size());
            for (int i = 0; i < made.size(); i++) {
                compare(made.get(i), exchange.json().get(i), request);
            }
        } else {
            compare(made, exchange.json(), request);
        }
    }

    private static void compare(JsonNode made, JsonNode wanted, JsonNode request) {
        assertThat(sampling(made, request)).isEqualTo(sampling(wanted, request));
        assertThat(without(made)).isEqualTo(without(wanted));
        assertThat(made.properties().stream().map(Map.Entry::getKey).toList())
                .isEqualTo(wanted.properties().stream().map(Map.Entry::getKey).toList());
    }

    /** Without the parameters, which are compared by what they mean, and what only vLLM's own templates take. */
    private static JsonNode without(JsonNode rendered) {
        ObjectNode copy = rendered.deepCopy();
        copy.put("request_id", copy.path("request_id").asText().replaceAll("[0-9a-f]{16,}", "*"));
        copy.put("sampling_params", "");
        for (JsonNode arguments : copy.findValues("chat_template_kwargs")) {
            ((ObjectNode) arguments).remove("cohere_format");
        }
        return copy;
    }

    static String plain(JsonNode body, String field) {
        JsonNode value = body.path(field);
        return value.isMissingNode() || value.isNull() || value.asText().equals("0") || value.asText().equals("false")
                ? ""
                : value.toString();
    }

    static JsonNode sampling(JsonNode body, JsonNode request) {
        ObjectNode all = (ObjectNode) Stage.json(DEFAULTS);
        body.path("sampling_params").properties().forEach(each -> all.set(each.getKey(), each.getValue()));
        all.remove(INTERNAL);
        all.remove("bad_words");
        all.remove(DONE_HERE);
        if (request.path("temperature").asDouble(1) == 0) {
            all.remove(List.of("top_p", "top_k", "min_p")); // without meaning then
        }
        if (all.path("repetition_detection").isObject()) {
            ((ObjectNode) all.get("repetition_detection")).remove("min_pattern_size");
        }
        if (all.path("structured_outputs") instanceof ObjectNode constraint) {
            constraint.properties().removeIf(each -> each.getValue().isNull() || each.getValue().asText().equals("false"));
            if (constraint.has("structural_tag")) {
                constraint.set("structural_tag", withoutFiller(Stage.json(constraint.path("structural_tag").asText())));
            }
        }
        return Stage.json(all.toString().replace(".0,", ",").replace(".0}", "}"));
    }

    /** A structural tag without members that say the default. */
    private static JsonNode withoutFiller(JsonNode tag) {
        if (tag instanceof ObjectNode object) {
            object.remove(List.of("any_order", "max_whitespace_cnt"));
            if (object.path("type").asText().equals("json_schema")) {
                object.remove("excludes");
            }
        }
        tag.forEach(OpenAiRenderTest::withoutFiller);
        return tag;
    }
}
