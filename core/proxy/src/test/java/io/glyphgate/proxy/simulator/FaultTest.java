package io.glyphgate.proxy.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.glyphgate.proxy.simulator.Fault.Kind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FaultTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final JsonMapper JSON = new JsonMapper();

    private SimulatedServer server;

    @BeforeEach
    void start() throws IOException {
        server = SimulatedServer.start(SimulatorOptions.builder().build());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void isReadFromText() {
        assertThat(Fault.parse("close, stall@3=2s,split=4"))
                .containsExactly(
                        Fault.of(Kind.CLOSE),
                        Fault.of(Kind.STALL).after(3).with(2000),
                        Fault.of(Kind.SPLIT).with(4));
        assertThat(Fault.parse("")).isEmpty();
        assertThatThrownBy(() -> Fault.parse("stal")).hasMessageContaining("'stal'").hasMessageContaining("stall");
        assertThatThrownBy(() -> Fault.parse("stall@x")).hasMessageContaining("'stall@x'");
    }

    @Test
    void everyKindIsWrittenAsItIsRead() {
        for (Kind kind : Kind.values()) {
            assertThat(Fault.parse(kind.text())).containsExactly(Fault.of(kind));
        }
    }

    @Test
    void aWrongFaultIsRefused() throws IOException {
        assertThat(answer("{'stream':true}", "nonsense"))
                .startsWith("HTTP/1.1 400 ")
                .contains("there is no fault 'nonsense'");
    }

    @Test
    void silenceLastsAsLongAsAsked() throws IOException {
        long start = System.nanoTime();

        String answer = answer("{'stream':true}", "stall=20ms,stall@1=20ms");

        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(40_000_000);
        assertThat(events(answer)).hasSize(4).last().isEqualTo("[DONE]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"stall", "stall@0", "stall@2", "half", "half@1"})
    void silenceLastsUntilTheClientLeaves(String fault) throws Exception {
        try (RawClient client = new RawClient(server)) {
            client.generate(request("{'stream':true,'request_id':'r'}", fault));
            server.await("the request is there", SOON, () -> server.activeRequests() == 1);
            if (fault.contains("@")) {
                assertThat(client.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 200 OK");
            }
        }
        server.await("the request is gone", SOON, () -> server.openConnections() == 0);

        assertThat(server.activeRequests()).isZero();
        assertThat(server.abortedRequestIds()).containsExactly("generate-tokens-r");
    }

    @Test
    void closesBeforeTheAnswer() throws IOException {
        assertThat(answer("{}", "close")).isEmpty();
    }

    @Test
    void closesBetweenEvents() throws IOException {
        String answer = answer("{'stream':true}", "close@2");

        assertThat(events(answer)).hasSize(2);
        assertThat(answer).endsWith("\n\n\r\n");
        assertThat(server.abortedRequestIds()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"reset", "reset@1"})
    void resets(String fault) throws IOException {
        try (RawClient client = new RawClient(server)) {
            client.generate(request("{'stream':true}", fault));

            assertThatThrownBy(client::readToEnd).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void cutsInTheMiddleOfAChunk() throws IOException {
        String whole = answer("{'stream':true,'request_id':'r'}", "close@1");
        String answer = answer("{'stream':true,'request_id':'r'}", "cut@0");

        int body = whole.indexOf("\r\n\r\n") + 4;
        assertThat(answer.length()).isBetween(body, whole.length() - 10);
        assertThat(whole.substring(body)).startsWith(answer.substring(answer.indexOf("\r\n\r\n") + 4));
    }

    @Test
    void cutsABatchAnswer() throws IOException {
        String answer = answer("{}", "cut");

        assertThat(body(answer)).startsWith("{\"request_id\"").hasSize(length(answer) / 2);
    }

    @Test
    void answersWithAStatus() throws IOException {
        assertThat(answer("{'stream':true}", "status=500,close-after"))
                .startsWith("HTTP/1.1 500 Internal Server Error\r\n")
                .contains("\"code\":500");
        assertThat(answer("{}", "status=429,close-after"))
                .startsWith("HTTP/1.1 429 Too Many Requests\r\n")
                .contains("\r\nretry-after: 1\r\n");
    }

    @Test
    void answersWithAPageOfAGateway() throws IOException {
        assertThat(answer("{}", "html,close-after"))
                .startsWith("HTTP/1.1 502 Bad Gateway\r\n")
                .contains("\r\ncontent-type: text/html\r\n")
                .contains("<h1>502</h1>");
    }

    @Test
    void answersWithAnErrorThatLooksLikeSuccess() throws IOException {
        assertThat(answer("{}", "error-body,close-after"))
                .startsWith("HTTP/1.1 200 OK\r\n")
                .contains("\r\n\r\n{\"error\":");
    }

    @Test
    void endsWithAnErrorEvent() throws IOException {
        List<String> events = events(answer("{'stream':true}", "error-event@2"));

        assertThat(events).hasSize(4).last().isEqualTo("[DONE]");
        assertThat(JSON.readTree(events.get(2)).path("error").path("code").asInt()).isEqualTo(500);
    }

    @Test
    void putsGarbageBetweenEvents() throws IOException {
        List<String> events = events(answer("{'stream':true}", "garbage-event@1"));

        assertThat(events).hasSize(5);
        assertThatThrownBy(() -> JSON.readTree(events.get(1))).isInstanceOf(IOException.class);
    }

    @Test
    void putsGarbageBetweenChunks() throws IOException {
        assertThat(body(answer("{'stream':true}", "garbage-chunk@1,close-after")))
                .contains("\n\n\r\nthis is no chunk\r\n");
    }

    @Test
    void sendsGarbageInPlaceOfAnAnswer() throws IOException {
        assertThat(answer("{}", "garbage-head")).doesNotContain("HTTP").contains("garbage");
    }

    @Test
    void leavesOutTheEndMark() throws IOException {
        String answer = answer("{'stream':true}", "no-done");

        assertThat(events(answer)).hasSize(3).doesNotContain("[DONE]");
        assertThat(answer).endsWith("0\r\n\r\n");
    }

    @Test
    void writesOtherLineEnds() throws IOException {
        String answer = answer("{'stream':true}", "crlf,comments");

        assertThat(chunks(body(answer))).contains(": a comment\r\ndata: {").doesNotContainPattern("[^\r]\n");
        assertThat(events(answer)).hasSize(4);
    }

    @Test
    void spreadsDataOverLines() throws IOException {
        String answer = answer("{'stream':true,'request_id':'a,b'}", "multiline");

        assertThat(chunks(body(answer)))
                .contains("data: {\"request_id\":\"generate-tokens-a,b\",\ndata: \"usage\":null,\n");
        assertThat(JSON.readTree(events(answer).get(0)).path("request_id").asText()).isEqualTo("generate-tokens-a,b");
    }

    @Test
    void splitsWrites() throws IOException {
        String split = answer("{'stream':true,'request_id':'r'}", "split=7");

        assertThat(body(split).split("\r\n", 2)[0]).isEqualTo("7");
        assertThat(chunks(body(split))).isEqualTo(chunks(body(answer("{'stream':true,'request_id':'r'}", ""))));
        assertThat(body(answer("{}", "split"))).startsWith("{\"request_id\"").endsWith("}");
    }

    @Test
    void compresses() throws IOException {
        String stream = answer("{'stream':true,'request_id':'r'}", "gzip");
        String batch = answer("{}", "gzip");

        assertThat(stream).contains("\r\ncontent-encoding: gzip\r\n");
        assertThat(gunzip(chunks(body(stream))))
                .isEqualTo(chunks(body(answer("{'stream':true,'request_id':'r'}", ""))));
        assertThat(gunzip(body(batch))).startsWith("{\"request_id\"").endsWith("}");
    }

    @Test
    void promisesMoreThanItSends() throws IOException {
        String answer = answer("{}", "wrong-length=3");

        assertThat(body(answer)).endsWith("}").hasSize(length(answer) - 3);
    }

    @Test
    void closesAfterTheAnswerWithoutSayingSo() throws IOException {
        try (RawClient client = new RawClient(server)) {
            String answer = client.generate(request("{}", "close-after")).readToEnd();

            assertThat(body(answer)).hasSize(length(answer));
            assertThat(answer).doesNotContain("connection: close");
        }
    }

    @Test
    void closesInPlaceOfTheNextAnswer() throws IOException {
        try (RawClient client = new RawClient(server)) {
            client.generate(request("{}", "stale")).readUntil("\"logprobs\":null}]}");

            assertThat(client.get("/health").readToEnd()).isEmpty();
        }
        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void aHeaderAsksForFaultsOfAnyAnswer() throws IOException {
        try (RawClient client = new RawClient(server)) {
            assertThat(client.get("/v1/models", "X-Glyphgate-Fault: status=503,close-after").readToEnd())
                    .startsWith("HTTP/1.1 503 ");
        }
    }

    @Test
    void aTestAsksForFaultsOfTheNextAnswerOrOfAll() throws IOException {
        server.enqueue(Script.faults(Fault.of(Kind.STATUS).with(500), Fault.of(Kind.CLOSE_AFTER)));
        assertThat(answer("{}", "")).startsWith("HTTP/1.1 500 ");
        assertThat(answer("{}", "")).startsWith("HTTP/1.1 200 ");

        server.direct(request -> Script.faults(Fault.of(Kind.CLOSE)));
        assertThat(answer("{}", "")).isEmpty();
        try (RawClient client = new RawClient(server)) {
            assertThat(client.get("/health").readToEnd()).isEmpty();
        }
    }

    @Test
    void aServerCanFailAlways() throws IOException {
        try (SimulatedServer broken = SimulatedServer.start(
                        SimulatorOptions.builder().faults(Fault.parse("status=502")).build());
                RawClient client = new RawClient(broken)) {
            assertThat(client.generate(request("{}", ""), "Connection: close").readToEnd()).startsWith("HTTP/1.1 502 ");
        }
    }

    /** What a server answers to a request for three tokens, up to its closing the connection. */
    private String answer(String fields, String fault) throws IOException {
        try (RawClient client = new RawClient(server)) {
            return client.generate(request(fields, fault), "Connection: close").readToEnd();
        }
    }

    private static String request(String fields, String fault) {
        String rest = fields.substring(1, fields.length() - 1).replace('\'', '"');
        return "{\"token_ids\":[1,2],\"sampling_params\":{\"max_tokens\":3,\"temperature\":0}"
                + (rest.isEmpty() ? "" : "," + rest)
                + (fault.isEmpty() ? "" : ",\"vllm_xargs\":{\"glyphgate_fault\":\"" + fault + "\"}") + "}";
    }

    private static String body(String answer) {
        return answer.substring(answer.indexOf("\r\n\r\n") + 4);
    }

    private static int length(String answer) {
        return Integer.parseInt(answer.replaceAll("(?s).*content-length: (\\d+).*", "$1"));
    }

    /** The bytes in the chunks of a body, as far as they are whole. */
    private static String chunks(String body) {
        StringBuilder all = new StringBuilder();
        int start = 0;
        while (start < body.length()) {
            int line = body.indexOf("\r\n", start);
            int size = Integer.parseInt(body.substring(start, line), 16);
            all.append(body, line + 2, line + 2 + size);
            start = line + 4 + size;
        }
        return all.toString();
    }

    private static List<String> events(String answer) {
        List<String> events = new ArrayList<>();
        String text = chunks(body(answer)).replace("\r\n", "\n");
        assertThat(text).endsWith("\n\n");
        for (String event : text.substring(0, text.length() - 2).split("\n\n", -1)) {
            events.add(event.lines()
                    .filter(line -> line.startsWith("data: "))
                    .map(line -> line.substring("data: ".length()))
                    .collect(Collectors.joining("\n")));
        }
        return events;
    }

    private static String gunzip(String bytes) throws IOException {
        try (GZIPInputStream in =
                new GZIPInputStream(new ByteArrayInputStream(bytes.getBytes(StandardCharsets.ISO_8859_1)))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void withoutAFaultNothingIsWrong() throws IOException {
        List<String> events = events(answer("{'stream':true}", ""));

        assertThat(events).hasSize(4).last().isEqualTo("[DONE]");
        List<JsonNode> choices = new ArrayList<>();
        for (String event : events.subList(0, 3)) {
            choices.add(JSON.readTree(event).path("choices").path(0));
        }
        assertThat(choices).extracting(choice -> choice.path("finish_reason").asText(""))
                .containsExactly("", "", "length");
    }
}
