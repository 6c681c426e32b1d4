package io.glyphgate.proxy.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.Recorded;
import io.glyphgate.proxy.simulator.ReceivedRequest;
import io.glyphgate.proxy.simulator.Script;
import io.glyphgate.proxy.simulator.SimulatedServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The page of request fields tells what happens: each field is sent, and the server gets what vLLM 0.33's render doors make of it. */
class RequestFieldsTest {
    private static final List<JsonNode> LINES = Recorded.lines("/wire/vllm-0.33-fields.jsonl.gz");
    private static final Path PAGE = Path.of("../../docs/reference/request-fields.md");
    private static final Pattern ROW = Pattern.compile("\\| `(\\w+)` \\| (chats|completions|both) \\| (server|proxy|none|refused) \\| .+ \\|");

    /** OpenAI's fields that vLLM does not know. */
    private static final Map<String, String> OF_OPENAI = Map.of(
            "store", "true",
            "metadata", "{\"a\": \"b\"}",
            "service_tier", "\"auto\"",
            "safety_identifier", "\"a\"",
            "prompt_cache_key", "\"a\"",
            "prompt_cache_retention", "\"24h\"",
            "prediction", "{\"type\": \"content\", \"content\": \"a\"}",
            "best_of", "2",
            "modalities", "[\"audio\"]");

    private static final List<ReceivedRequest> RECEIVED = new CopyOnWriteArrayList<>();

    @TempDir
    private static Path folder;

    private static Stage stage;

    private record Row(String doors, String by) {
        boolean at(String door) {
            return doors.equals("both") || doors.equals(door);
        }
    }

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

    private static Map<String, Row> rows() throws IOException {
        Map<String, Row> rows = new LinkedHashMap<>();
        for (String line : Files.readAllLines(PAGE)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                rows.put(row.group(1), new Row(row.group(2), row.group(3)));
            }
        }
        return rows;
    }

    @Test
    void thePageHasTheFieldsOfVllmAndNoOthers() throws IOException {
        for (String door : List.of("chats", "completions")) {
            Set<String> known = new TreeSet<>(OF_OPENAI.keySet());
            LINES.getFirst().path(door.equals("chats") ? "chat" : "completion").forEach(name -> known.add(name.asText()));
            if (door.equals("completions")) {
                known.remove("modalities");
            } else {
                known.remove("best_of");
            }
            Set<String> told = new TreeSet<>();
            rows().forEach((name, row) -> {
                if (row.at(door)) {
                    told.add(name);
                }
            });
            assertThat(told).isEqualTo(known);
        }
    }

    static Stream<String> fields() {
        return LINES.stream().skip(1).map(line -> line.path("field").asText()).distinct();
    }

    @ParameterizedTest
    @MethodSource("fields")
    void theServerGetsWhatVllmMakesOfIt(String field) throws Exception {
        Row row = Objects.requireNonNull(rows().get(field));
        SoftAssertions all = new SoftAssertions();
        int effects = 0;
        for (JsonNode line : LINES.subList(1, LINES.size())) {
            if (!line.path("field").asText().equals(field)) {
                continue;
            }
            ObjectNode request = line.path("request").deepCopy();
            String name = line.path("name").asText();
            List<JsonNode> made = new ArrayList<>();
            HttpResponse<String> answer = ask(line.path("path").asText(), request, made);
            JsonNode value = request.path(field);
            boolean given = !value.isNull() && !(value.isContainerNode() && value.isEmpty()) && !(value.isBoolean() && !value.asBoolean());
            if (row.by.equals("refused") && given) {
                all.assertThat(answer.statusCode()).as(name).isEqualTo(400);
                boolean unnamed = line.path("status").asInt() == 400 && line.path("json").path("error").path("param").isNull();
                all.assertThat(unnamed || Stage.json(answer.body()).path("error").path("param").asText().startsWith(field))
                        .as(name)
                        .isTrue();
                continue;
            }
            if (name.matches("field-completion-n-2|field-.*-allowed_token_ids-1")) {
                continue; // a null is as no field; and no token that is allowed is what the server refuses then
            }
            all.assertThat(answer.statusCode()).as(name + " " + answer.body()).isEqualTo(line.path("status").asInt());
            if (answer.statusCode() == 200 && line.path("status").asInt() == 200) {
                compare(made, line, request, all);
                request.remove(field);
                List<JsonNode> without = new ArrayList<>();
                ask(line.path("path").asText(), request, without);
                boolean same = made.toString().equals(without.toString());
                effects += same ? 0 : 1;
                if (row.by.equals("none")) {
                    all.assertThat(same).as(name).isTrue();
                }
            }
        }
        if (row.by.equals("server")) {
            all.assertThat(effects).as("how often " + field + " mattered to the server").isPositive();
        }
        all.assertAll();
    }

    private static HttpResponse<String> ask(String path, ObjectNode request, List<JsonNode> made) throws Exception {
        RECEIVED.clear();
        HttpResponse<String> answer = stage.post(
                stage.uri(), path.replace("/render", ""), request.toString(), "X-Request-Id", request.path("request_id").asText("any"));
        RECEIVED.stream()
                .map(each -> Stage.json(each.body()))
                .sorted(Comparator.comparing(each -> each.path("request_id").asText()))
                .forEach(made::add);
        return answer;
    }

    private static void compare(List<JsonNode> made, JsonNode line, JsonNode request, SoftAssertions all) {
        String name = line.path("name").asText();
        List<JsonNode> wanted = new ArrayList<>();
        if (line.path("json").isArray()) {
            line.path("json").forEach(wanted::add);
        } else {
            wanted.add(line.path("json"));
        }
        all.assertThat(made).as(name).hasSameSizeAs(wanted);
        for (int i = 0; i < Math.min(made.size(), wanted.size()); i++) {
            all.assertThat(made.get(i).path("token_ids")).as(name).isEqualTo(wanted.get(i).path("token_ids"));
            JsonNode sampling = OpenAiRenderTest.sampling(made.get(i), request);
            if (sampling.path("temperature").asDouble() == 0.001) {
                ((ObjectNode) sampling).put("temperature", 0.01); // the server does so itself
            }
            all.assertThat(sampling).as(name).isEqualTo(OpenAiRenderTest.sampling(wanted.get(i), request));
            for (String each : List.of("cache_salt", "kv_transfer_params", "ec_transfer_params", "priority", "stream")) {
                if (each.equals("stream") && request.has("stop")) {
                    continue; // the proxy looks for the stop string while it comes
                }
                all.assertThat(OpenAiRenderTest.plain(made.get(i), each))
                        .as(name + " " + each)
                        .isEqualTo(OpenAiRenderTest.plain(wanted.get(i), each));
            }
        }
    }

    @Test
    void fieldsOfOpenAiAreRefusedOrChangeNothing() throws Exception {
        for (Map.Entry<String, String> each : OF_OPENAI.entrySet()) {
            Row row = Objects.requireNonNull(rows().get(each.getKey()));
            boolean chat = row.at("chats");
            ObjectNode request = (ObjectNode) Stage.json(
                    chat
                            ? "{\"model\": \"tiny\", \"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}]}"
                            : "{\"model\": \"tiny\", \"prompt\": \"Hi\"}");
            String path = chat ? "/v1/chat/completions" : "/v1/completions";
            List<JsonNode> without = new ArrayList<>();
            ask(path, request, without);
            request.set(each.getKey(), Stage.json(each.getValue()));
            List<JsonNode> made = new ArrayList<>();

            HttpResponse<String> answer = ask(path, request, made);

            assertThat(answer.statusCode()).as(each.getKey()).isEqualTo(row.by.equals("refused") ? 400 : 200);
            if (answer.statusCode() == 200) {
                assertThat(made).as(each.getKey()).isEqualTo(without);
            }
        }
    }
}
