package io.glyphgate.proxy.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.glyphgate.proxy.Recorded;
import io.glyphgate.proxy.simulator.Script.Candidate;
import io.glyphgate.proxy.simulator.Script.Output;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** An exchange with a real server. */
@NullMarked
record Capture(JsonNode line) {
    private static final JsonMapper JSON = new JsonMapper();

    /** All exchanges with one of the servers. */
    static List<Capture> all(String server) {
        return Recorded.lines("/wire/vllm-0.33-" + server + ".jsonl.gz").stream().map(Capture::new).toList();
    }

    String name() {
        return line.path("name").asText();
    }

    String method() {
        return line.path("method").asText();
    }

    String path() {
        return line.path("path").asText();
    }

    /** The body of the request; empty for none. */
    String request() {
        JsonNode request = line.path("request");
        return request.isNull() ? "" : request.isTextual() ? request.asText() : request.toString();
    }

    int status() {
        return line.path("status").asInt();
    }

    String contentType() {
        return line.path("content_type").asText();
    }

    /** The answer, if it is JSON; a missing node if not. */
    JsonNode json() {
        return line.path("json");
    }

    /** The answer as text, if it is not JSON. */
    String body() {
        return line.path("body").asText();
    }

    /** What made the real server say what it said. */
    Script script(ExcerptTokenizer tokenizer) {
        TreeMap<Integer, List<Integer>> tokens = new TreeMap<>();
        TreeMap<Integer, List<List<Candidate>>> logprobs = new TreeMap<>();
        for (JsonNode answer : answers()) {
            for (JsonNode choice : answer.path("choices")) {
                int index = choice.path("index").asInt();
                List<Integer> said = tokens.computeIfAbsent(index, i -> new ArrayList<>());
                choice.path("token_ids").forEach(id -> said.add(id.asInt()));
                for (JsonNode position : choice.path("logprobs").path("content")) {
                    logprobs.computeIfAbsent(index, i -> new ArrayList<>()).add(candidates(position, tokenizer));
                }
            }
        }
        List<Output> outputs = new ArrayList<>();
        tokens.forEach((index, said) ->
                outputs.add(new Output(said.stream().mapToInt(id -> id).toArray(), logprobs.get(index))));
        return new Script(outputs, promptLogprobs(), null, List.of());
    }

    private List<JsonNode> answers() {
        List<JsonNode> answers = new ArrayList<>(List.of(json()));
        for (String event : body().split("\n\n", -1)) {
            if (event.startsWith("data: {")) {
                try {
                    answers.add(JSON.readTree(event.substring("data: ".length())));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        return answers;
    }

    private static List<Candidate> candidates(JsonNode position, ExcerptTokenizer tokenizer) {
        List<Candidate> candidates = new ArrayList<>();
        for (JsonNode entry : position.path("top_logprobs")) {
            int id = entry.has("token_id")
                    ? entry.path("token_id").asInt()
                    : tokenizer.tokenId(entry.path("token").asText()).orElseThrow();
            candidates.add(new Candidate(id, entry.path("logprob").asDouble(), entry.path("rank").asInt()));
        }
        return candidates;
    }

    private @Nullable List<List<Candidate>> promptLogprobs() {
        JsonNode prompt = json().path("prompt_logprobs");
        if (!prompt.isArray()) {
            return null;
        }
        List<List<Candidate>> all = new ArrayList<>();
        for (int i = 1; i < prompt.size(); i++) {
            List<Candidate> candidates = new ArrayList<>();
            prompt.get(i).properties().forEach(entry -> candidates.add(new Candidate(
                    Integer.parseInt(entry.getKey()),
                    entry.getValue().path("logprob").asDouble(),
                    entry.getValue().path("rank").asInt())));
            all.add(candidates);
        }
        return all;
    }

    @Override
    public String toString() {
        return name();
    }
}
