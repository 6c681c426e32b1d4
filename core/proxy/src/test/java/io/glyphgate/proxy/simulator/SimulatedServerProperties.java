package io.glyphgate.proxy.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterContainer;

class SimulatedServerProperties {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final JsonMapper JSON = new JsonMapper();

    private static final SimulatedServer SERVER = start();

    private static SimulatedServer start() {
        try {
            return SimulatedServer.start(Servers.full(new ExcerptTokenizer()).build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterContainer
    static void stop() {
        SERVER.close();
    }

    /** 考えて, 不適合, mut, development, a line break and a special token. */
    @Provide
    Arbitrary<List<Integer>> words() {
        return Arbitraries.of(132997, 110334, 6984, 29571, 198, 151644).list().ofMinSize(1).ofMaxSize(30);
    }

    @Provide
    Arbitrary<List<String>> stops() {
        return Arbitraries.of("mutdev", "適合", "t\n", "合m", "nothing", "opmentd").list().ofMaxSize(2);
    }

    @Provide
    Arbitrary<String> disguises() {
        return Arbitraries.of("crlf", "comments", "multiline", "split=1", "split=50", "garbage-event@999")
                .set()
                .map(kinds -> String.join(",", kinds));
    }

    @Property(tries = 150)
    void aStreamIsABatchAnswerInPieces(
            @ForAll("words") List<Integer> words,
            @ForAll @Size(min = 1, max = 4) List<@IntRange(min = 1, max = 9) Integer> sizes,
            @ForAll("stops") List<String> stops,
            @ForAll boolean include,
            @ForAll("disguises") String faults)
            throws Exception {
        Script script = Script.tokens(words.stream().mapToInt(word -> word).toArray())
                .chunked(Chunking.of(sizes.stream().mapToInt(size -> size).toArray()));
        String request = "{\"token_ids\":[1],\"output_mode\":\"text\",\"sampling_params\":{\"stop\":"
                + JSON.writeValueAsString(stops) + ",\"include_stop_str_in_output\":" + include + "},\"stream\":";
        SERVER.enqueue(script, script.failing(Fault.parse(faults)));
        JsonNode batch = JSON.readTree(post(request + "false}")).path("choices").get(0);
        List<String> events = events(post(request + "true}"));

        assertThat(events).last().isEqualTo("[DONE]");
        StringBuilder text = new StringBuilder();
        ArrayNode tokens = JSON.createArrayNode();
        JsonNode last = MissingNode.getInstance();
        for (String event : events.subList(0, events.size() - 1)) {
            last = JSON.readTree(event).path("choices").get(0);
            text.append(last.path("text").asText());
            last.path("token_ids").forEach(tokens::add);
        }
        assertThat(text.toString()).isEqualTo(batch.path("text").asText());
        assertThat(tokens).isEqualTo(batch.path("token_ids"));
        assertThat(last.path("finish_reason")).isEqualTo(batch.path("finish_reason"));
        assertThat(last.path("stop_reason")).isEqualTo(batch.path("stop_reason"));
        assertThat(last.path("weight_versions")).isEqualTo(batch.path("weight_versions"));
    }

    private static String post(String body) throws Exception {
        return CLIENT.send(
                        HttpRequest.newBuilder(SERVER.uri().resolve(RawClient.GENERATE))
                                .header("Content-Type", "application/json")
                                .POST(BodyPublishers.ofString(body))
                                .build(),
                        BodyHandlers.ofString())
                .body();
    }

    /** The data of the events, as the rules of server-sent events have it. */
    private static List<String> events(String stream) {
        String text = stream.replace("\r\n", "\n");
        assertThat(text).endsWith("\n\n");
        return List.of(text.substring(0, text.length() - 2).split("\n\n", -1)).stream()
                .map(event -> event.lines()
                        .filter(line -> line.startsWith("data: "))
                        .map(line -> line.substring("data: ".length()))
                        .collect(Collectors.joining("\n")))
                .toList();
    }
}
