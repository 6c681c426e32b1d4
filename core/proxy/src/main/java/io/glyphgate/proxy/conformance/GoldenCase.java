package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * One recorded case: a request, the tokens that a model gave, and what vLLM made of them.
 *
 * @param json the case as it was recorded
 */
public record GoldenCase(JsonNode json) {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Special tokens that end a turn, or a text. */
    private static final Pattern TURN_END = Pattern.compile("<\\|(?:im_end|endoftext|eot_id|end_of_text|user)\\|>"
            + "|</s>|<turn\\|>|<｜end▁of▁sentence｜>|<seed:eos>|\\[e~\\[");
    /** A special token that the proxy keeps visible to the parser that knows it; vLLM leaves it out. */
    private static final Set<String> CALL_ID = Set.of("[CALL_ID]");

    private static final class StandardTools {
        static final List<Tool> LIST = read();

        private static List<Tool> read() {
            try (InputStream in = GoldenCase.class.getResourceAsStream("standard-tools.json")) {
                return tools(JSON.readTree(in));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** The name, unique in its family. */
    public String name() {
        return json.path("name").asText();
    }

    /** {@code reasoning}, {@code tools}, {@code combo} or {@code detok}. */
    public String kind() {
        return json.path("kind").asText();
    }

    /** The family within its kind, for example {@code qwen3+hermes}. */
    public String family() {
        return json.path("family").asText();
    }

    /** Whether the case is about the detokenizer alone. */
    public boolean detokenizerOnly() {
        return kind().equals("detok");
    }

    /** The name of the reasoning parser. */
    public Optional<String> reasoningParser() {
        return Optional.ofNullable(json.path("reasoning_parser").textValue());
    }

    /** The name of the tool parser. */
    public Optional<String> toolParser() {
        return Optional.ofNullable(json.path("tool_parser").textValue());
    }

    /** The key of the tokenizer. */
    public String tokenizer() {
        return json.path("tokenizer").asText();
    }

    /** What the case shows, and how vLLM contradicts itself in it. */
    public Set<String> tags() {
        Set<String> tags = new HashSet<>();
        json.path("tags").forEach(tag -> tags.add(tag.asText()));
        return tags;
    }

    /** The tokens of the prompt; possibly none. */
    public int[] promptTokenIds() {
        return ints(json.path("prompt_token_ids"));
    }

    /** The text of the prompt; empty if there is none. */
    public String prompt() {
        return json.path("prompt").asText("");
    }

    /** The tokens that the model gave, those behind a stop string included. */
    public int[] tokenIds() {
        return ints(json.path("token_ids"));
    }

    /** Whether a stop token, the last of the tokens, ended the output. */
    public boolean endedByToken() {
        return json.path("stop_terminated").asBoolean();
    }

    /** Why the output ended, where no stop string is found in it: {@code stop} or {@code length}. */
    public String engineFinishReason() {
        return json.path("engine_finish_reason").asText(endedByToken() ? "stop" : "length");
    }

    /** What the request says about parsing. */
    public ParseRequest parseRequest() {
        if (detokenizerOnly()) {
            return ParseRequest.DEFAULT;
        }
        JsonNode request = json.path("request");
        JsonNode offered = request.path("tools");
        List<Tool> tools = switch (offered.asText()) {
            case "std" -> StandardTools.LIST;
            case "none" -> List.of();
            case String other when offered.isArray() -> tools(offered);
            default -> throw new IllegalArgumentException("request.tools is neither \"std\" nor \"none\" nor a list");
        };
        return new ParseRequest(
                tools,
                toolChoice(request.path("tool_choice"), tools),
                request.path("parallel_tool_calls").asBoolean(true),
                request.path("include_reasoning").asBoolean(true),
                arguments(request.path("chat_template_kwargs")),
                0);
    }

    /** The stop strings. */
    public List<String> stop() {
        List<String> strings = new ArrayList<>();
        parameter("stop").forEach(string -> strings.add(string.asText()));
        return strings;
    }

    /** {@code include_stop_str_in_output}. */
    public boolean includeStop() {
        return parameter("include_stop_str_in_output").asBoolean(false);
    }

    /** {@code min_tokens}. */
    public int minTokens() {
        return parameter("min_tokens").asInt(0);
    }

    /** {@code skip_special_tokens}. */
    public boolean skipSpecialTokens() {
        return parameter("skip_special_tokens").asBoolean(true);
    }

    /** {@code spaces_between_special_tokens}. */
    public boolean spacesBetweenSpecialTokens() {
        return parameter("spaces_between_special_tokens").asBoolean(true);
    }

    /**
     * The text that vLLM made of the tokens, cut at a stop string; what was written where vLLM {@link #garbled} it.
     */
    public String text() {
        if (garbled()) {
            return WrittenText.whole(this);
        }
        if (!detokenizerOnly() && OutputParts.mistralCalls(this)) {
            return WrittenText.of(this, CALL_ID);
        }
        return visible(recordedText());
    }

    /** A text without the special tokens that vLLM shows because one of its parsers asks for them; the request does not. */
    private String visible(String text) {
        if (detokenizerOnly() || !skipSpecialTokens() || json.path("adjusted").path("skip_special_tokens").asBoolean(true)) {
            return text;
        }
        String visible = text;
        for (JsonNode delta : json.path("detok").path("deltas")) {
            if (TURN_END.matcher(delta.asText()).matches()) {
                visible = visible.replace(delta.asText(), "");
            }
        }
        return visible;
    }

    /** The text as vLLM gave it. */
    String recordedText() {
        return detokenizerOnly()
                ? json.path("runs").path(0).path("text").asText()
                : json.path("detok").path("text").asText();
    }

    /**
     * Whether vLLM lost characters that more than one token makes: with vocabularies of mistral-common, once a parser
     * asks for special tokens, it turns each token into text by itself.
     */
    public boolean garbled() {
        return tokenizer().startsWith("tekken")
                && !detokenizerOnly()
                && !json.path("adjusted").path("skip_special_tokens").asBoolean(true)
                && !json.path("detok").path("text").asText().equals(WrittenText.whole(this))
                && json.path("detok").path("stop_reason").isNull()
                && skipSpecialTokens();
    }

    /** Whether vLLM had the grammar of a tokenizer of version 11 or later bind the model. */
    boolean bound() {
        return json.path("adjusted").path("structured_outputs").asText().equals("grammar");
    }

    /** vLLM's batch answer; empty where vLLM failed. */
    public Optional<Answer> answer() {
        if (detokenizerOnly()) {
            JsonNode run = json.path("runs").path(0);
            String stopReason = run.path("stop_reason").asText("");
            return Optional.of(new Answer(
                    run.path("text").asText(),
                    "",
                    "",
                    List.of(),
                    stopReason.isEmpty() ? engineFinishReason() : "stop",
                    stopReason,
                    run.path("kept_tokens").asInt()));
        }
        if (!json.path("message").isObject()) {
            return Optional.empty();
        }
        return Optional.of(answer(json.path("message"), json.path("finish_reason")));
    }

    /**
     * What a client of vLLM gets when it joins a stream; empty where vLLM failed.
     *
     * @param chunking {@code fixed1}, {@code fixed3}, {@code random} or {@code all}
     */
    public Optional<Answer> stream(String chunking) {
        for (JsonNode stream : json.path("streams")) {
            if (stream.path("chunking").asText().equals(chunking) && stream.path("assembled").isObject()) {
                return Optional.of(answer(stream.path("assembled"), stream.path("finish_reason")));
            }
        }
        return Optional.empty();
    }

    /**
     * What clients of vLLM get when they join its streams, one answer per recorded way of cutting; empty where vLLM
     * failed.
     */
    List<Optional<Answer>> streams() {
        List<Optional<Answer>> streams = new ArrayList<>();
        json.path("streams")
                .forEach(stream -> streams.add(stream(stream.path("chunking").asText())));
        return streams;
    }

    /** The recorded random sizes of chunks; empty if there are none. */
    int[] randomSizes() {
        for (JsonNode stream : json.path("streams")) {
            if (stream.path("sizes").isArray()) {
                return ints(stream.path("sizes"));
            }
        }
        return new int[0];
    }

    private Answer answer(JsonNode message, JsonNode finishReason) {
        List<Answer.Call> calls = new ArrayList<>();
        for (JsonNode call : message.path("tool_calls")) {
            String id = call.path("id").asText("");
            calls.add(new Answer.Call(
                    id.startsWith("<id") ? "" : id,
                    call.path("name").asText(),
                    call.path("arguments").asText("")));
        }
        return new Answer(
                "",
                message.path("reasoning").asText(""),
                message.path("content").asText(""),
                calls,
                finishReason.asText(),
                json.path("detok").path("stop_reason").asText(""),
                json.path("detok").path("kept_tokens").asInt());
    }

    private JsonNode parameter(String name) {
        return json.path(detokenizerOnly() ? "params" : "request").path(name);
    }

    private static ToolChoice toolChoice(JsonNode choice, List<Tool> tools) {
        if (choice.isObject()) {
            return ToolChoice.named(choice.path("function").path("name").asText());
        }
        return switch (choice.asText(tools.isEmpty() ? "none" : "auto")) {
            case "none" -> ToolChoice.NONE;
            case "auto" -> ToolChoice.AUTO;
            case "required" -> ToolChoice.REQUIRED;
            default -> throw new IllegalArgumentException("request.tool_choice is " + choice);
        };
    }

    private static List<Tool> tools(JsonNode list) {
        List<Tool> tools = new ArrayList<>();
        for (JsonNode entry : list) {
            JsonNode function = entry.path("function");
            tools.add(Tool.of(function.path("name").asText(), arguments(function.path("parameters"))));
        }
        return List.copyOf(tools);
    }

    @SuppressWarnings("unchecked") // a JSON object becomes a map with its names as keys
    private static Map<String, Object> arguments(JsonNode object) {
        return object.isObject() ? JSON.convertValue(object, Map.class) : Map.of();
    }

    private static int[] ints(JsonNode list) {
        int[] ints = new int[list.size()];
        for (int i = 0; i < ints.length; i++) {
            ints[i] = list.path(i).asInt();
        }
        return ints;
    }
}
