package io.glyphgate.proxy.simulator;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.simulator.Refusal.Problems;
import io.glyphgate.spi.GenerateRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A generate request that vLLM would take: read, checked, with vLLM's defaults. */
final class GenerateCall implements GenerateRequest {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
    private static final Set<String> MODES = Set.of("tokens", "text", "derender");
    private static final Set<String> CONTEXT_FIELDS = Set.of(
            "tools",
            "tool_choice",
            "parallel_tool_calls",
            "include_reasoning",
            "chat_template_kwargs",
            "history_tool_call_cnt");
    private static final int MAX_LOGPROBS = 20;

    private final SimulatorOptions options;
    private final JsonNode body;
    private final JsonNode sampling;
    private final int[] prompt;
    private final String outputMode;

    /**
     * Reads a request.
     *
     * @throws Refusal if vLLM would refuse it
     */
    static GenerateCall read(ReceivedRequest request, SimulatorOptions options) {
        Problems problems = new Problems();
        String contentType = request.headers().getOrDefault("content-type", "").toLowerCase(Locale.ROOT);
        if (!contentType.split(";", 2)[0].equals("application/json")) {
            problems.addPlain("Unsupported Media Type: Only 'application/json' is allowed");
            problems.check();
        }
        return new GenerateCall(parse(request.body(), problems), options, problems);
    }

    /** Reads JSON; what is wrong with it is said as Python's parser says it, as far as this one can tell. */
    private static JsonNode parse(String text, Problems problems) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            long offset = e.getLocation() == null ? 0 : e.getLocation().getCharOffset();
            boolean name = e instanceof JsonParseException
                    && e.getOriginalMessage().contains("was expecting double-quote to start field name");
            problems.add(
                    "json_invalid",
                    "body." + offset,
                    "JSON decode error",
                    "<dict of 0 items>",
                    "'error': " + Refusal.python(
                            name ? "Expecting property name enclosed in double quotes" : "Expecting value"));
            problems.check();
            throw new AssertionError("a problem was found, but not refused", e);
        }
    }

    private GenerateCall(JsonNode body, SimulatorOptions options, Problems problems) {
        this.options = options;
        this.body = body;
        this.sampling = body.path("sampling_params");
        boolean old = options.kind() == SimulatorOptions.Kind.OLD_VLLM;
        this.outputMode = old ? "tokens" : body.path("output_mode").asText("tokens");
        if (!body.isObject()) {
            problems.add(
                    "model_attributes_type",
                    "body",
                    "Input should be a valid dictionary or object to extract fields from",
                    input(body),
                    null);
            problems.check();
        }
        this.prompt = readPrompt(problems);
        readSampling(problems);
        checkText("model", problems);
        if (!old && body.hasNonNull("output_mode") && !MODES.contains(body.path("output_mode").asText())) {
            String expected = "'tokens', 'text' or 'derender'";
            problems.add(
                    "literal_error",
                    "body.output_mode",
                    "Input should be " + expected,
                    input(body.path("output_mode")),
                    "'expected': " + Refusal.python(expected));
        }
        if (body.hasNonNull("stream") && !body.path("stream").isBoolean()) {
            problems.add(
                    "bool_type", "body.stream", "Input should be a valid boolean", input(body.path("stream")), null);
        }
        problems.check();
        checkTogether(problems);
        problems.check();
        checkServed();
    }

    private int[] readPrompt(Problems problems) {
        JsonNode ids = body.path("token_ids");
        String place = "body.token_ids";
        if (ids.isMissingNode()) {
            problems.add("missing", place, "Field required", input(body), null);
        } else if (!ids.isArray()) {
            problems.add("list_type", place, "Input should be a valid list", input(ids), null);
        } else if (ids.isEmpty()) {
            problems.add(
                    "too_short",
                    place,
                    "List should have at least 1 item after validation, not 0",
                    input(ids),
                    "'field_type': 'List', 'min_length': 1, 'actual_length': 0");
        } else {
            return readPrompt(ids, place, problems);
        }
        return new int[0];
    }

    private static int[] readPrompt(JsonNode ids, String place, Problems problems) {
        int[] read = new int[ids.size()];
        boolean negative = false;
        for (int i = 0; i < read.length; i++) {
            JsonNode id = ids.get(i);
            if (!id.isIntegralNumber()) {
                problems.add("int_type", place + '.' + i, "Input should be a valid integer", input(id), null);
            }
            // A larger number is past any vocabulary: the largest int keeps it so.
            read[i] = (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, id.asLong()));
            negative |= read[i] < 0;
        }
        if (negative) {
            problems.addValueError(place, "token_ids must not contain negative values", input(ids));
        }
        return read;
    }

    private void readSampling(Problems problems) {
        if (sampling.isMissingNode()) {
            problems.add("missing", "body.sampling_params", "Field required", input(body), null);
        } else if (!sampling.isObject()) {
            problems.add(
                    "dict_type",
                    "body.sampling_params",
                    "Input should be a valid dictionary",
                    input(sampling),
                    null);
        } else {
            checkSampling();
        }
    }

    /** Checks the sampling parameters, which vLLM does before it looks at anything else. */
    private void checkSampling() {
        if (n() < 1) {
            throw Refusal.bad("n must be at least 1, got " + n() + '.');
        }
        double temperature = temperature();
        if (temperature < 0) {
            throw Refusal.badValue(
                    "temperature must be non-negative, got " + temperature + '.', "temperature", temperature);
        }
        if (temperature > 2) {
            throw Refusal.badValue("temperature must be in [0, 2], got " + temperature + '.', "temperature", temperature);
        }
        Integer maxTokens = wholeNumber("max_tokens");
        if (maxTokens != null && maxTokens < 1) {
            throw Refusal.badValue("max_tokens must be at least 1, got " + maxTokens + '.', "max_tokens", maxTokens);
        }
        // Where the client sends none, vLLM checks against the 16 of its own sampling parameters.
        int effectiveMax = maxTokens != null ? maxTokens : sampling.has("max_tokens") ? Integer.MAX_VALUE : 16;
        if (minTokens() > effectiveMax) {
            throw Refusal.bad("min_tokens must be less than or equal to max_tokens=" + effectiveMax + ", got "
                    + minTokens() + '.');
        }
        for (String field : List.of("logprobs", "prompt_logprobs")) {
            Integer count = wholeNumber(field);
            if (count != null && count < -1) {
                throw Refusal.badValue(field + " must be non-negative or -1, got " + count + '.', field, count);
            }
        }
        if (stop().contains("")) {
            throw Refusal.bad("stop cannot contain an empty string.");
        }
        if (!stop().isEmpty() && !detokenize()) {
            throw Refusal.bad("stop strings are only supported when detokenize is True. Set detokenize=True to use stop.");
        }
        if (greedy() && n() > 1) {
            throw Refusal.bad("n must be 1 when using greedy sampling, got " + n() + '.');
        }
    }

    private void checkText(String field, Problems problems) {
        if (body.hasNonNull(field) && !body.path(field).isTextual()) {
            problems.add("string_type", "body." + field, "Input should be a valid string", input(body.path(field)), null);
        }
    }

    private void checkTogether(Problems problems) {
        if (!outputMode.equals("tokens") && !detokenize()) {
            problems.addValueError(
                    "body", "output_mode='" + outputMode + "' requires sampling_params.detokenize to be true", input(body));
        } else if (outputMode.equals("derender")) {
            Set<String> unknown = new TreeSet<>();
            parseContext().fieldNames().forEachRemaining(unknown::add);
            unknown.removeAll(CONTEXT_FIELDS);
            if (!unknown.isEmpty()) {
                List<String> names = unknown.stream().map(Refusal::python).toList();
                problems.addValueError(
                        "body",
                        "Unknown parse_context fields " + names
                                + "; the render server is newer than this generate server",
                        input(body));
            }
        }
    }

    /** Checks what only this server, with its model and its flags, can tell. */
    private void checkServed() {
        checkModel();
        if (options.kind() == SimulatorOptions.Kind.RUST_FRONTEND) {
            checkRustFrontend();
        }
        if (options.tokensOnly() && !stop().isEmpty()) {
            throw Refusal.bad("stop strings are not supported on a --tokens-only server because detokenization is"
                    + " disabled. Check stop strings on the coordinator, or use stop_token_ids.");
        }
        if (!outputMode.equals("tokens") && options.tokensOnly()) {
            throw Refusal.bad("output_mode='" + outputMode + "' requires a tokenizer, but this server does not load one"
                    + " (--tokens-only or --skip-tokenizer-init). Send the request to a server that loads a tokenizer,"
                    + " or use output_mode='tokens'.");
        }
        if (outputMode.equals("derender")) {
            checkDerender();
        }
        for (int id : prompt) {
            if (id >= options.vocabularySize()) {
                throw Refusal.bad("Token id " + body.path("token_ids").get(indexOf(id)).asText() + " is out of vocabulary");
            }
        }
        if (prompt.length > options.maxModelLength()) {
            throw Refusal.bad("The decoder prompt (length " + prompt.length
                    + ") is longer than the maximum model length of " + options.maxModelLength()
                    + ". Make sure that `max_model_len` is no smaller than the number of text tokens.");
        }
        for (Wanted wanted : List.of(
                new Wanted("sample", "logprobs", logprobs()), new Wanted("prompt", "prompt_logprobs", promptLogprobs()))) {
            if (wanted.count() != null && wanted.count() > MAX_LOGPROBS) {
                throw Refusal.badValue(
                        "Requested " + wanted.kind() + " logprobs of " + wanted.count()
                                + ", which is greater than max allowed: " + MAX_LOGPROBS,
                        wanted.field(),
                        wanted.count());
            }
        }
    }

    private record Wanted(String kind, String field, @Nullable Integer count) {}

    private int indexOf(int id) {
        int index = 0;
        while (prompt[index] != id) {
            index++;
        }
        return index;
    }

    private void checkModel() {
        String model = body.path("model").asText(options.model());
        if (!model.equals(options.model()) && !options.aliases().contains(model)) {
            List<String> names = new ArrayList<>(List.of(options.model()));
            names.addAll(options.aliases());
            throw Refusal.of(
                    404,
                    "NotFoundError",
                    "The model `" + model + "` does not exist. Valid aliases: " + String.join(", ", names) + '.',
                    "model");
        }
    }

    private void checkRustFrontend() {
        if (!outputMode.equals("tokens")) {
            throw Refusal.bad("output_mode '" + outputMode + "' is not supported");
        }
        if (!stop().isEmpty()) {
            throw Refusal.bad("stop strings are not supported");
        }
        if (n() > 1) {
            throw Refusal.bad("n > 1 is not supported");
        }
    }

    private void checkDerender() {
        if (stream()) {
            throw Refusal.bad("output_mode='derender' does not support stream=true.");
        }
        if (options.hasParsers() && !body.hasNonNull("parse_context")) {
            throw Refusal.bad("output_mode='derender' requires parse_context on a server with a tool or reasoning parser."
                    + " Use the one returned by /render.");
        }
        JsonNode named = parseContext().path("tool_choice").path("function").path("name");
        if (named.isTextual()) {
            for (JsonNode tool : parseContext().path("tools")) {
                if (tool.path("function").path("name").equals(named)) {
                    return;
                }
            }
            throw Refusal.of(
                    400,
                    "BadRequestError",
                    "The tool specified in `tool_choice` does not match any of the specified `tools`"
                            + " (parameter=tool_choice)",
                    "tool_choice");
        }
    }

    /** A value as vLLM shows it in an error. */
    private static String input(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT -> "<dict of " + value.size() + " items>";
            case ARRAY -> "<list of " + value.size() + " items>";
            case BOOLEAN -> value.asBoolean() ? "True" : "False";
            case NULL, MISSING -> "None";
            case STRING, NUMBER, BINARY, POJO -> value.asText();
        };
    }

    @Override
    public String model() {
        return body.path("model").asText(options.model());
    }

    @Override
    public String outputMode() {
        return outputMode;
    }

    @Override
    public boolean stream() {
        return body.path("stream").asBoolean();
    }

    @Override
    public boolean hasParseContext() {
        return body.hasNonNull("parse_context");
    }

    @Override
    public int[] promptTokenIds() {
        return prompt;
    }

    @Override
    public Optional<Object> field(String... path) {
        JsonNode node = body;
        for (String name : path) {
            node = node.path(name);
        }
        return node.isMissingNode() || node.isNull()
                ? Optional.empty()
                : Optional.of(JSON.convertValue(node, Object.class));
    }

    /** The client's {@code request_id}; null if it sent none. */
    @Nullable String requestId() {
        return body.path("request_id").textValue();
    }

    /** The client's {@code parse_context}; empty if it sent none. */
    ObjectNode parseContext() {
        return body.path("parse_context") instanceof ObjectNode context ? context : JSON.createObjectNode();
    }

    boolean returnTokenIds() {
        return body.path("return_token_ids").asBoolean();
    }

    boolean includeUsage() {
        return body.path("stream_options").path("include_usage").asBoolean();
    }

    boolean continuousUsage() {
        return includeUsage() && body.path("stream_options").path("continuous_usage_stats").asBoolean();
    }

    int n() {
        return sampling.path("n").asInt(1);
    }

    /** How many tokens each choice may have: the client's limit, and what the context leaves. */
    int maxTokens() {
        int room = options.maxModelLength() - prompt.length;
        Integer wanted = wholeNumber("max_tokens");
        return Math.max(1, wanted == null ? room : Math.min(wanted, room));
    }

    int minTokens() {
        return sampling.path("min_tokens").asInt(0);
    }

    boolean ignoreEndOfSequence() {
        return sampling.path("ignore_eos").asBoolean();
    }

    double temperature() {
        return sampling.path("temperature").asDouble(1);
    }

    boolean greedy() {
        return temperature() < 1e-5;
    }

    /** The client's {@code seed}; null if it sent none. */
    @Nullable Long seed() {
        return sampling.path("seed").isIntegralNumber() ? sampling.path("seed").asLong() : null;
    }

    /** How many candidates the client wants at each token; null for no logprobs. */
    @Nullable Integer logprobs() {
        return wholeNumber("logprobs");
    }

    /** How many candidates the client wants at each token of the prompt; null for no logprobs. */
    @Nullable Integer promptLogprobs() {
        return wholeNumber("prompt_logprobs");
    }

    boolean detokenize() {
        return sampling.path("detokenize").asBoolean(true);
    }

    boolean skipSpecialTokens() {
        return sampling.path("skip_special_tokens").asBoolean(true);
    }

    boolean spacesBetweenSpecialTokens() {
        return sampling.path("spaces_between_special_tokens").asBoolean(true);
    }

    boolean includeStop() {
        return sampling.path("include_stop_str_in_output").asBoolean();
    }

    List<String> stop() {
        JsonNode stop = sampling.path("stop");
        if (stop.isTextual()) {
            return List.of(stop.asText());
        }
        List<String> strings = new ArrayList<>();
        stop.forEach(text -> strings.add(text.asText()));
        return strings;
    }

    boolean stopsAt(int tokenId) {
        for (JsonNode id : sampling.path("stop_token_ids")) {
            if (id.asInt() == tokenId) {
                return true;
            }
        }
        return false;
    }

    /** Texts of which the output must be one. Source: {@code structured_outputs.choice}. */
    List<String> forcedTexts() {
        List<String> texts = new ArrayList<>();
        sampling.path("structured_outputs").path("choice").forEach(text -> texts.add(text.asText()));
        return texts;
    }

    /**
     * A wish of the client to the simulator itself, which vLLM passes over: {@code vllm_xargs} at the top, or {@code
     * extra_args} among the sampling parameters, as vLLM's own doors take them.
     *
     * @param name the name without its prefix {@code glyphgate_}
     * @return the value; a missing node if there is none
     */
    JsonNode wish(String name) {
        for (JsonNode place : List.of(body.path("vllm_xargs"), sampling.path("extra_args"))) {
            if (place.hasNonNull("glyphgate_" + name)) {
                return place.path("glyphgate_" + name);
            }
        }
        return MissingNode.getInstance();
    }

    private @Nullable Integer wholeNumber(String field) {
        return sampling.path(field).isIntegralNumber() ? sampling.path(field).intValue() : null;
    }
}
