package io.glyphgate.proxy.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The simulated server answers what the real one answered: status, type, fields, their order, nulls, and events to the
 * byte.
 */
class CapturesTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    /** The captures do not hold headers; these are the ones that mattered. */
    private static final Map<String, Map<String, String>> HEADERS =
            Map.of("request-id-header", Map.of("X-Request-Id", "hdr-1"), "bad-ct", Map.of("Content-Type", "text/plain"));

    private static ExcerptTokenizer tokenizer;
    private static SimulatedServer full;
    private static SimulatedServer tokensOnly;

    @BeforeAll
    static void start() throws IOException {
        tokenizer = new ExcerptTokenizer();
        full = SimulatedServer.start(Servers.full(tokenizer).maxModelLength(2048).build());
        tokensOnly = SimulatedServer.start(
                SimulatorOptions.builder().maxModelLength(2048).build());
    }

    @AfterAll
    static void stop() {
        full.close();
        tokensOnly.close();
    }

    static List<Capture> full() {
        return Capture.all("full");
    }

    static List<Capture> tokensOnly() {
        return Capture.all("tokens-only");
    }

    @ParameterizedTest
    @MethodSource("full")
    void answersLikeAServerWithATokenizer(Capture capture) throws Exception {
        assertSameAnswer(capture, full);
    }

    @ParameterizedTest
    @MethodSource("tokensOnly")
    void answersLikeATokensOnlyServer(Capture capture) throws Exception {
        assertSameAnswer(capture, tokensOnly);
    }

    static List<Capture> requestChecks() {
        return Capture.all("request-checks");
    }

    @ParameterizedTest
    @MethodSource("requestChecks")
    void takesAndRefusesLikeTheRequestClass(Capture capture) throws Exception {
        if (capture.status() == 200) {
            assertThat(send(capture, tokensOnly).statusCode()).isEqualTo(200);
        } else {
            assertSameAnswer(capture, tokensOnly);
        }
    }

    private static void assertSameAnswer(Capture capture, SimulatedServer server) throws Exception {
        server.direct(request -> capture.script(tokenizer));
        HttpResponse<String> answer = send(capture, server);

        assertThat(answer.statusCode()).isEqualTo(capture.status());
        assertThat(answer.headers().firstValue("content-type").orElse("")).isEqualTo(capture.contentType());
        if (capture.json().isMissingNode()) {
            assertThat(withoutRequestIds(answer.body(), capture)).isEqualTo(withoutRequestIds(capture.body(), capture));
        } else {
            assertThat(comparable(JSON.readTree(answer.body()), capture))
                    .isEqualTo(comparable(capture.json().deepCopy(), capture));
        }
    }

    private static HttpResponse<String> send(Capture capture, SimulatedServer server) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.uri().resolve(capture.path()));
        request.method(
                capture.method(),
                capture.request().isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(capture.request()));
        request.setHeader("Content-Type", "application/json");
        HEADERS.getOrDefault(capture.name(), Map.of()).forEach(request::setHeader);
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }

    /** JSON as text, in its order, without what differs from run to run. */
    private static String comparable(JsonNode answer, Capture capture) {
        for (JsonNode parent : answer.findParents("created")) {
            assertThat(parent.path("created").asLong()).isPositive();
            ((ObjectNode) parent).put("created", 0);
        }
        for (JsonNode permission : answer.findValues("permission")) {
            assertThat(permission.path(0).path("id").asText()).matches("modelperm-[0-9a-f]{16}");
            ((ObjectNode) permission.path(0)).put("id", "");
        }
        return withoutRequestIds(answer.toPrettyString(), capture);
    }

    /** Leaves out request IDs that the server makes up; those that the client chose must be the same. */
    private static String withoutRequestIds(String text, Capture capture) {
        boolean chosen = capture.request().contains("\"request_id\"") || HEADERS.containsKey(capture.name());
        return chosen ? text : text.replaceAll("generate-tokens-[0-9a-f]{16}\"", "generate-tokens-*\"");
    }
}
