package io.glyphgate.proxy.boot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.Recorded;
import io.glyphgate.proxy.simulator.Script.Candidate;
import io.glyphgate.proxy.simulator.Script.Output;
import io.glyphgate.proxy.simulator.Script;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** Exchanges with a real vLLM 0.33 at its doors for chats and completions, and what its model said in them. */
final class OpenAiCaptures {
    /** What the model says to the question that most exchanges ask, and to "Hello": where an answer tells no tokens. */
    private static final int[] HIDDEN = {2422, 149_776, 126_637};

    private static final int[] HIDDEN_COMPLETION = {17_562};

    private OpenAiCaptures() {}

    /** One exchange. */
    record Exchange(JsonNode line) {
        String name() {
            return line.path("name").asText();
        }

        String path() {
            return line.path("path").asText();
        }

        JsonNode request() {
            return line.path("request");
        }

        int status() {
            return line.path("status").asInt();
        }

        boolean streams() {
            return line.has("body");
        }

        JsonNode json() {
            return line.path("json");
        }

        List<JsonNode> events() {
            return Stage.events(line.path("body").asText());
        }

        List<JsonNode> answers() {
            return streams() ? events() : List.of(json());
        }

        @Override
        public String toString() {
            return name();
        }

        /** What the model said; empty if the answer does not tell all of its tokens. */
        Optional<Script> script() {
            TreeMap<Integer, List<Integer>> tokens = new TreeMap<>();
            TreeMap<Integer, List<List<Candidate>>> logprobs = new TreeMap<>();
            for (JsonNode answer : answers()) {
                for (JsonNode choice : answer.path("choices")) {
                    if (!choice.has("token_ids") && !choice.has("text")) {
                        continue; // the event that tells the role
                    }
                    int index = choice.path("index").asInt();
                    List<Integer> said = tokens.computeIfAbsent(index, i -> new ArrayList<>());
                    List<Integer> more = choice.path("token_ids").isArray()
                            ? ints(choice.path("token_ids"))
                            : Vocabulary.tokens(
                                    text(choice, request().path("echo").asBoolean() ? request().path("prompt").asText() : ""));
                    List<List<Candidate>> all = logprobs.computeIfAbsent(index, i -> new ArrayList<>());
                    int echoed = Math.max(0, choice.path("logprobs").path("tokens").size() - more.size());
                    for (int i = 0; i < more.size(); i++) {
                        candidates(choice.path("logprobs"), echoed + i, more.get(i)).ifPresent(all::add);
                    }
                    said.addAll(more);
                }
            }
            int[] hidden = path().endsWith("chat/completions") ? HIDDEN : HIDDEN_COMPLETION;
            List<Output> outputs = new ArrayList<>();
            tokens.forEach((index, said) -> {
                List<List<Candidate>> of = Objects.requireNonNull(logprobs.get(index));
                outputs.add(
                        said.isEmpty()
                                ? new Output(hidden, null)
                                : new Output(said.stream().mapToInt(id -> id).toArray(), of.size() == said.size() ? of : null));
            });
            return outputs.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Script(outputs, promptLogprobs(), null, List.of()));
        }

        private static String text(JsonNode choice, String echoed) {
            String text = choice.path("text").asText() + choice.path("message").path("reasoning").asText("")
                    + choice.path("delta").path("reasoning").asText("");
            return text.startsWith(echoed) ? text.substring(echoed.length()) : text;
        }

        private @Nullable List<List<Candidate>> promptLogprobs() {
            JsonNode prompt = json().path("prompt_logprobs");
            if (!prompt.isArray()) {
                prompt = json().path("choices").path(0).path("prompt_logprobs");
            }
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
    }

    private static List<Integer> ints(JsonNode ids) {
        List<Integer> all = new ArrayList<>();
        ids.forEach(id -> all.add(id.asInt()));
        return all;
    }

    /** The candidates of one token, itself first. */
    private static Optional<List<Candidate>> candidates(JsonNode logprobs, int position, int tokenId) {
        List<Candidate> candidates = new ArrayList<>();
        if (logprobs.path("content").has(position)) {
            JsonNode entry = logprobs.path("content").path(position);
            candidates.add(new Candidate(tokenId, entry.path("logprob").asDouble(), 1));
            for (JsonNode other : entry.path("top_logprobs")) {
                if (!other.path("token").equals(entry.path("token"))) {
                    candidates.add(new Candidate(Vocabulary.token(other.path("token").asText()), other.path("logprob").asDouble(), 2));
                }
            }
            return Optional.of(candidates);
        }
        JsonNode tops = logprobs.path("top_logprobs");
        if (tops.has(position) && tops.path(position).isObject()) {
            String own = logprobs.path("tokens").path(position).asText();
            candidates.add(new Candidate(tokenId, logprobs.path("token_logprobs").path(position).asDouble(), 1));
            tops.path(position).properties().forEach(other -> {
                if (!other.getKey().equals(own)) {
                    candidates.add(new Candidate(Vocabulary.token(other.getKey()), other.getValue().asDouble(), 2));
                }
            });
            return Optional.of(candidates);
        }
        return Optional.empty();
    }

    /** Finds the tokens that a text is made of: single ones by their text. */
    private static final class Vocabulary {
        private static final Map<String, Integer> IDS = new HashMap<>();
        private static final int LONGEST = 64;

        static {
            for (int id = 0; id < Stage.TOKENIZER.vocabularySize(); id++) {
                IDS.putIfAbsent(Stage.TOKENIZER.decode(new int[] {id}, false), id);
            }
        }

        static int token(String text) {
            return Objects.requireNonNull(IDS.get(text), "'" + text + "' is not one token");
        }

        static List<Integer> tokens(String text) {
            List<Integer> tokens = new ArrayList<>();
            for (int from = 0; from < text.length(); ) {
                int to = Math.min(text.length(), from + LONGEST);
                while (!IDS.containsKey(text.substring(from, to))) {
                    to--;
                }
                tokens.add(token(text.substring(from, to)));
                from = to;
            }
            return tokens;
        }
    }

    static Stream<Exchange> all() {
        return all("openai");
    }

    /** Exchanges at the render and derender doors. */
    static Stream<Exchange> derender() {
        return all("derender");
    }

    private static Stream<Exchange> all(String file) {
        return Recorded.lines("/wire/vllm-0.33-" + file + ".jsonl.gz").stream().map(Exchange::new);
    }

    /** A proxy before servers without a tokenizer, with the model's own chat template. */
    static String configuration(Path folder, URI... servers) throws IOException {
        Path tokenizer = Files.createDirectories(folder.resolve("tokenizer"));
        Files.copy(
                Stage.QWEN3.resolve("tokenizer.json.gz"),
                tokenizer.resolve("tokenizer.json.gz"),
                StandardCopyOption.REPLACE_EXISTING);
        try (InputStream config = new GZIPInputStream(Objects.requireNonNull(
                OpenAiCaptures.class.getResourceAsStream("/doors/qwen3.tokenizer_config.json.gz")))) {
            Files.copy(config, tokenizer.resolve("tokenizer_config.json"), StandardCopyOption.REPLACE_EXISTING);
        }
        return """
                server: { host: 127.0.0.1, port: 0, drain: 5s }
                models:
                  tiny:
                    tokenizer: { source: %s }
                    reasoning-parser: qwen3
                    tool-parser: hermes
                    max-model-len: 2048
                    vocabulary-size: 151936
                    kv-params: pass
                upstream: { tokenizer-mismatch: ignore }
                pools:
                  p: { model: tiny, tokenizer: proxy, endpoints: %s }
                """
                .formatted(tokenizer, List.of(servers));
    }

    /** An answer without what differs from one to the next: IDs, times, and who made it. */
    static JsonNode comparable(JsonNode answer) {
        JsonNode copy = answer.deepCopy();
        replace(copy);
        return copy;
    }

    private static void replace(JsonNode node) {
        if (node instanceof ObjectNode object) {
            if (object.path("id").isTextual()) {
                object.put("id", object.path("id").asText().replaceAll("[0-9a-f]{16,}$", "*"));
            }
            if (object.has("created")) {
                object.put("created", 0);
            }
            if (object.path("system_fingerprint").isTextual()) {
                object.put("system_fingerprint", "*");
            }
            object.forEach(OpenAiCaptures::replace);
        } else if (node instanceof ArrayNode array) {
            array.forEach(OpenAiCaptures::replace);
        }
    }
}
