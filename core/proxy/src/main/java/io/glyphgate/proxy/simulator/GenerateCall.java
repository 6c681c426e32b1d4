package io.glyphgate.proxy.simulator;

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
    private static final JsonMapper JSON = new JsonMapper();
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
        String contentType = request.headers().getOrDefault("content-type", "").toLowerCase(Locale.ROOT);
        if (!contentType.split(";", 2)[0].equals("application/json")) {
            Problems problems = new Problems();
            problems.addPlain("Unsupported Media Type: Only 'application/json' is allowed");
            throw problems.refusal();
        }
        boolean outputModes = options.kind() != SimulatorOptions.Kind.OLD_VLLM;
        RequestShape shape = new RequestShape(request.body(), outputModes);
        GenerateCall call = new GenerateCall(shape.body(), outputModes, options);
        if (shape.soundSampling()) {
            call.checkSampling();
        }
        shape.check();
        call.checkTogether();
        call.checkServed();
        return call;
    }

    private GenerateCall(ObjectNode body, boolean outputModes, SimulatorOptions options) {
        this.options = options;
        this.body = body;
        this.sampling = body.path("sampling_params");
        this.outputMode = outputModes ? body.path("output_mode").asText("tokens") : "tokens";
        JsonNode ids = body.path("token_ids");
        this.prompt = new int[ids.size()];
        for (int i = 0; i < prompt.length; i++) {
            // A larger number is past any vocabulary: the largest int keeps it so.
            prompt[i] = (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, ids.get(i).asDouble()));
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
            throw Refusal.badValue(
                    "temperature must be in [0, 2], got " + temperature + '.', "temperature", temperature);
        }
        double topP = sampling.path("top_p").asDouble(1);
        if (topP <= 0 || topP > 1) {
            throw Refusal.badValue("top_p must be in (0, 1], got " + topP + '.', "top_p", topP);
        }
        Integer maxTokens = wholeNumber("max_tokens");
        if (maxTokens != null && maxTokens < 1) {
            throw Refusal.badValue("max_tokens must be at least 1, got " + maxTokens + '.', "max_tokens", maxTokens);
        }
        if (minTokens() < 0) {
            throw Refusal.bad("min_tokens must be greater than or equal to 0, got " + minTokens() + '.');
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
            throw Refusal.bad(
                    "stop strings are only supported when detokenize is True. Set detokenize=True to use stop.");
        }
        if (greedy() && n() > 1) {
            throw Refusal.bad("n must be 1 when using greedy sampling, got " + n() + '.');
        }
    }

    /** Checks the fields that must fit each other. */
    private void checkTogether() {
        Problems problems = new Problems();
        if (!outputMode.equals("tokens") && !detokenize()) {
            problems.addValueError(
                    "body", "output_mode='" + outputMode + "' requires sampling_params.detokenize to be true",
                    RequestShape.input(body));
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
                        RequestShape.input(body));
            }
        }
        problems.check();
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
                String said = body.path("token_ids").get(indexOf(id)).asText();
                throw Refusal.bad("Token id " + said + " is out of vocabulary");
            }
        }
        if (prompt.length > options.maxModelLength()) {
            throw Refusal.bad("The decoder prompt (length " + prompt.length
                    + ") is longer than the maximum model length of " + options.maxModelLength()
                    + ". Make sure that `max_model_len` is no smaller than the number of text tokens.");
        }
        for (Wanted wanted : List.of(
                new Wanted("sample", "logprobs", logprobs()),
                new Wanted("prompt", "prompt_logprobs", promptLogprobs()))) {
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
            throw Refusal.bad("output_mode='derender' requires parse_context on a server with a tool or reasoning"
                    + " parser. Use the one returned by /render.");
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
        return RequestShape.isTrue(body.path("stream"));
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
        return sampling.hasNonNull("seed") ? sampling.path("seed").asLong() : null;
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

    /** {@code kv_transfer_params}, at the top or in the sampling parameters; a missing node if there are none. */
    JsonNode transferParams() {
        JsonNode top = body.path("kv_transfer_params");
        return top.isObject() ? top : sampling.path("extra_args").path("kv_transfer_params");
    }

    /** Whether the prompt alone is wanted, for another server: where servers share a store only the one token tells. */
    boolean prefills() {
        return options.connector() == SimulatorOptions.Connector.LMCACHE
                ? sampling.path("max_tokens").asInt() == 1
                : transferParams().path("do_remote_decode").asBoolean();
    }

    private @Nullable Integer wholeNumber(String field) {
        return sampling.hasNonNull(field) ? sampling.path(field).asInt() : null;
    }
}
