package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.spi.InvalidRequestException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What requests to the doors for chats and completions have in common, and how it becomes a generate request. Which field becomes
 * which parameter, and what is refused, is vLLM 0.33's; ranges of numbers are left to the server, whose refusal the client gets.
 */
public abstract class TextRequest {
    /** Parameters that are passed on under their own names. */
    private static final List<String> PASSED_ON = List.of(
            "seed",
            "stop",
            "stop_token_ids",
            "include_stop_str_in_output",
            "ignore_eos",
            "min_tokens",
            "skip_special_tokens",
            "spaces_between_special_tokens",
            "allowed_token_ids",
            "logprob_token_ids",
            "repetition_detection",
            "routed_experts_prompt_start",
            "watermarking",
            "stream_interval");

    /** Parameters whose defaults a model may set. */
    private static final List<String> WITH_DEFAULT = List.of("temperature", "top_p", "top_k", "min_p", "repetition_penalty");

    private static final List<String> PENALTIES = List.of("frequency_penalty", "presence_penalty");

    /** Fields that change nothing in the answer, here and in vLLM. */
    private static final Set<String> WITHOUT_EFFECT = Set.of(
            "user",
            "store",
            "metadata",
            "service_tier",
            "safety_identifier",
            "prompt_cache_key",
            "prompt_cache_retention",
            "prediction",
            "session_id",
            "length_penalty",
            "return_token_offsets",
            "mm_payload",
            "return_mm_kwargs");

    private static final String BUDGET = "thinking_token_budget";
    private static final long NO_BUDGET = -1;

    private static final Set<String> COMMON = Set.of(
            "model",
            "request_id",
            "stream",
            "stream_options",
            "n",
            "logprobs",
            "max_tokens",
            "logit_bias",
            BUDGET,
            "bad_words",
            "prompt_logprobs",
            "response_format",
            "structured_outputs",
            "use_beam_search",
            "truncate_prompt_tokens",
            "truncation_side",
            "echo",
            "return_tokens_as_token_ids",
            "return_token_ids",
            "return_weight_versions",
            "add_special_tokens",
            "priority",
            "cache_salt",
            "kv_transfer_params",
            "ec_transfer_params",
            "vllm_xargs");

    private static final String FORBIDDEN_IN_SALT = "@/\\\0";
    private static final int LONGEST_SALT = 128;
    private static final double BIAS = 100;
    private static final Pattern TOKEN_ID = Pattern.compile("[0-9]{1,9}");

    /** What says how an output is read, whoever made it. */
    private static final List<String> OF_OUTPUT = List.of(
            "n",
            "stop",
            "include_stop_str_in_output",
            "min_tokens",
            "ignore_eos",
            "skip_special_tokens",
            "spaces_between_special_tokens");

    final ObjectNode body;
    final Fields fields;
    private final JsonObject own;
    private boolean outputOnly;

    TextRequest(byte[] bytes) {
        body = Fields.body(bytes, true);
        fields = new Fields(body, List.of(Invalid.BODY), new ArrayList<>());
        try {
            own = JsonObject.of(bytes);
        } catch (MalformedJsonException e) {
            throw new InvalidRequestException("", "The body is not valid JSON: " + e.getMessage() + ".");
        }
    }

    /** Refuses fields that nobody knows. */
    final void checkNames(Set<String> more) {
        for (String name : own.names()) {
            boolean known = COMMON.contains(name)
                    || more.contains(name)
                    || PASSED_ON.contains(name)
                    || WITH_DEFAULT.contains(name)
                    || PENALTIES.contains(name)
                    || WITHOUT_EFFECT.contains(name);
            if (!known && !body.path(name).isNull()) {
                throw unknown(name);
            }
        }
    }

    /** The refusal of a field that nobody knows. */
    static InvalidRequestException unknown(String name) {
        return new InvalidRequestException(
                name,
                "The field '" + name + "' is not known here, and it may change the answer: remove it, or have the operator set"
                        + " doors.unknown-fields to ignore.");
    }

    /** Checks what is the same at both doors. */
    final void checkCommon() {
        fields.textOrNull("model");
        fields.textOrNull("request_id");
        stream();
        JsonNode options = fields.objectOrNull("stream_options");
        if (options != null && !options.isEmpty() && !stream()) {
            throw new InvalidRequestException("stream_options", "Stream options can only be defined when `stream=True`.");
        }
        if (number("n", 1) < 1) {
            throw new InvalidRequestException("n", "n must be at least 1, got " + number("n", 1) + ".");
        }
        if (body.path("use_beam_search").asBoolean()) {
            throw unsupported("use_beam_search", "there is no beam search over token servers");
        }
        if (!body.path("bad_words").isEmpty()) {
            throw unsupported("bad_words", "servers need a tokenizer for them, and those without leave them out silently; use logit_bias");
        }
        for (String name : List.of(
                "include_stop_str_in_output", "ignore_eos", "skip_special_tokens", "spaces_between_special_tokens", "echo",
                "return_token_ids", "return_weight_versions", "return_tokens_as_token_ids", "add_special_tokens")) {
            fields.flag(name, false, true);
        }
        range("temperature", 0, Double.MAX_VALUE, "non-negative");
        range("top_p", Double.MIN_VALUE, 1, "in (0, 1]");
        range("top_k", -1, Integer.MAX_VALUE, "0 or -1 (disable), or at least 1");
        range("min_p", 0, 1, "in [0, 1]");
        range("repetition_penalty", Double.MIN_VALUE, Double.MAX_VALUE, "greater than zero");
        PENALTIES.forEach(name -> range(name, -2, 2, "in [-2, 2]"));
        JsonNode seed = body.path("seed");
        if (seed.isBigInteger()) {
            throw new InvalidRequestException("seed", "seed must fit into 64 bits.");
        }
        if (body.path("allowed_token_ids").isArray() && body.get("allowed_token_ids").isEmpty()) {
            throw new InvalidRequestException("allowed_token_ids", "allowed_token_ids must not be empty.");
        }
        for (String name : List.of("seed", "min_tokens", "priority", "max_tokens", "prompt_logprobs", "truncate_prompt_tokens")) {
            number(name, 0);
        }
        for (String name : List.of("vllm_xargs", "kv_transfer_params", "ec_transfer_params", Constraint.FIELD)) {
            fields.objectOrNull(name);
        }
        stops();
        bias();
        salt();
        responseFormat();
        String side = fields.textOrNull("truncation_side");
        if (side != null && !List.of("left", "right").contains(side)) {
            throw new InvalidRequestException("truncation_side", "truncation_side must be left or right, got " + side + ".");
        }
        if (body.hasNonNull("truncate_prompt_tokens") && number("truncate_prompt_tokens", 0) < -1) {
            throw new InvalidRequestException(
                    "truncate_prompt_tokens", "truncate_prompt_tokens must be -1, or a number of tokens.");
        }
        atLeast(BUDGET, NO_BUDGET);
        atLeast("min_tokens", 0);
        atLeast("routed_experts_prompt_start", 0);
        atLeast("stream_interval", 1);
        long promptLogprobs = number("prompt_logprobs", 0);
        if (promptLogprobs < -1) {
            throw new InvalidRequestException("prompt_logprobs", "`prompt_logprobs` must be a positive value or -1.");
        }
        if (stream() && promptLogprobs != 0) {
            throw new InvalidRequestException("prompt_logprobs", "`prompt_logprobs` are not available when `stream=True`.");
        }
        Fields.check(fields.faults());
    }

    private void atLeast(String name, long least) {
        if (number(name, least) < least) {
            throw new InvalidRequestException(name, name + " must be at least " + least + ", got " + number(name, least) + ".");
        }
    }

    /** Checks what is the same at both doors, and says how an output is read that is there already. */
    final void checkCommonOfOutput() {
        outputOnly = true;
        fields.textOrNull("model");
        for (String name : List.of(
                "include_stop_str_in_output", "ignore_eos", "skip_special_tokens", "spaces_between_special_tokens",
                "return_token_ids", "return_weight_versions", "return_tokens_as_token_ids")) {
            fields.flag(name, false, true);
        }
        number("min_tokens", 0);
        stops();
        Fields.check(fields.faults());
    }

    /** Whether only the output is of interest, which is there already. */
    final boolean outputOnly() {
        return outputOnly;
    }

    private void range(String name, double least, double most, String words) {
        JsonNode value = fields.realOrNull(name);
        if (value != null && !(value.doubleValue() >= least && value.doubleValue() <= most)) {
            throw new InvalidRequestException(name, name + " must be " + words + ", got " + value.asText() + ".");
        }
    }

    private void stops() {
        JsonNode stop = body.path("stop");
        boolean empty = stop.isTextual() && stop.textValue().isEmpty();
        if (stop.isArray()) {
            for (int i = 0; i < stop.size(); i++) {
                if (!stop.get(i).isTextual()) {
                    fields.fault("string_type", "Input should be a valid string", stop.get(i), "stop", i);
                }
                empty |= stop.get(i).asText("-").isEmpty();
            }
        } else if (!stop.isTextual() && !stop.isNull() && !stop.isMissingNode()) {
            fields.fault("string_type", "Input should be a valid string, or a list of strings", stop, "stop");
        }
        if (empty) {
            throw new InvalidRequestException("stop", "stop cannot contain an empty string.");
        }
    }

    private void bias() {
        JsonNode bias = fields.objectOrNull("logit_bias");
        if (bias == null) {
            return;
        }
        for (Map.Entry<String, JsonNode> each : bias.properties()) {
            if (!TOKEN_ID.matcher(each.getKey()).matches()) {
                throw new InvalidRequestException(
                        "logit_bias", "logit_bias has a key that is no token ID: '" + each.getKey() + "'.");
            }
            if (!each.getValue().isNumber()) {
                fields.fault("float_type", "Input should be a valid number", each.getValue(), "logit_bias", each.getKey());
            }
        }
    }

    private void salt() {
        String salt = fields.textOrNull("cache_salt");
        if (salt != null
                && (salt.isEmpty()
                        || salt.codePointCount(0, salt.length()) > LONGEST_SALT
                        || salt.chars().anyMatch(c -> FORBIDDEN_IN_SALT.indexOf(c) >= 0))) {
            throw new InvalidRequestException(
                    "cache_salt", "cache_salt must have 1 to 128 characters, and none of '@', '/', '\\' and NUL.");
        }
    }

    private void responseFormat() {
        JsonNode format = fields.objectOrNull("response_format");
        if (format == null) {
            return;
        }
        switch (format.path("type").asText()) {
            case "text", "json_object", "structural_tag" -> {
                // holds all that is needed
            }
            case "json_schema" -> {
                if (!format.path("json_schema").isObject()) {
                    throw new InvalidRequestException(
                            "response_format",
                            "When response_format type is 'json_schema', the 'json_schema' field must be provided.");
                }
            }
            default -> throw new InvalidRequestException(
                    "response_format.type",
                    "response_format.type must be text, json_object, json_schema or structural_tag.");
        }
    }

    static InvalidRequestException unsupported(String field, String why) {
        return new InvalidRequestException(field, field + " cannot be used here: " + why + ".");
    }

    final long number(String name, long absent) {
        return body.path(name).isNull() ? absent : fields.number(name, absent);
    }

    /** The model; empty if none is named. */
    public final Optional<String> model() {
        return Optional.ofNullable(fields.textOrNull("model")).filter(name -> !name.isEmpty());
    }

    /** {@code request_id}. */
    public final Optional<String> requestId() {
        return Optional.ofNullable(fields.textOrNull("request_id")).filter(id -> !id.isEmpty());
    }

    /** The request as it came, for servers that answer it by themselves. */
    public final JsonObject own() {
        return own;
    }

    /** Whether the answer is a stream. */
    public final boolean stream() {
        return fields.flag("stream", false, true);
    }

    final boolean streamOption(String name) {
        return body.path("stream_options").path(name).asBoolean();
    }

    /** Whether there are stop strings. */
    public final boolean hasStops() {
        JsonNode stop = body.path("stop");
        return stop.isTextual() || !stop.isEmpty();
    }

    /** The stop tokens. */
    public final Set<Integer> stopTokens() {
        Set<Integer> tokens = new HashSet<>();
        body.path("stop_token_ids").forEach(id -> tokens.add(id.asInt(-1)));
        return tokens;
    }

    /** Whether special tokens are put around the prompt. */
    public abstract boolean addSpecialTokens();

    /** What the client wants to see of the output. */
    public abstract OutputWishes wishes();

    final OutputWishes wishes(boolean logprobs, long candidates) {
        boolean all = candidates == -1 || !body.path("logprob_token_ids").isEmpty();
        return new OutputWishes(
                stream(),
                streamOption("include_usage"),
                streamOption("include_usage") && streamOption("continuous_usage_stats"),
                (int) number("n", 1),
                logprobs,
                all ? ChatLogprobs.ALL : (int) candidates,
                fields.flag("return_tokens_as_token_ids", false, true),
                fields.flag("return_token_ids", false, true),
                fields.flag("return_prompt_text", false, true),
                fields.flag("return_weight_versions", false, true),
                !outputOnly && fields.flag("echo", false, true));
    }

    /**
     * The prompt, cut as the request asks.
     *
     * @param prompt all of it
     * @param maxLength how many tokens prompt and output may have together
     */
    public final int[] truncated(int[] prompt, OptionalInt maxLength) {
        long most = number("truncate_prompt_tokens", -2);
        if (most == -1) {
            most = maxLength.orElse(Integer.MAX_VALUE);
        }
        if (most == -2 || prompt.length <= most) {
            return prompt;
        }
        if (most == 0) {
            throw new InvalidRequestException("truncate_prompt_tokens", "truncate_prompt_tokens leaves nothing of the prompt.");
        }
        int[] cut = new int[(int) most];
        boolean right = "right".equals(fields.textOrNull("truncation_side"));
        System.arraycopy(prompt, right ? 0 : prompt.length - cut.length, cut, 0, cut.length);
        return cut;
    }

    /** How many tokens the output may have, if the client says; 0 if it says so. */
    abstract @Nullable Long maxTokens();

    /** The parameters that this kind of request names otherwise. */
    abstract void addSampling(ObjectNode sampling);

    /** The fields of the generate request beside the common ones. */
    abstract void addFields(ObjectNode generate, ModelRules rules);

    /**
     * The generate request.
     *
     * @param id its ID
     * @param model the model's name
     * @param prompt the tokens of the prompt
     * @param rules what the model says
     * @throws InvalidRequestException if the prompt is too long
     */
    public final GenerateBody generate(String id, String model, int[] prompt, ModelRules rules) {
        return GenerateBody.parse(bytes(made(id, model, prompt, rules)));
    }

    /**
     * The generate request as vLLM's render doors give it: with all of its fields, for a client that asks a server by itself.
     *
     * @param id its ID
     * @param model the model's name
     * @param prompt the tokens of the prompt
     * @param rules what the model says
     * @param parsed what is known of the parsers of the output; null where the output is not parsed
     * @throws InvalidRequestException if the prompt is too long
     */
    public final byte[] rendered(String id, String model, int[] prompt, ModelRules rules, @Nullable RenderedParsing parsed) {
        ObjectNode made = made(id, model, prompt, rules);
        ObjectNode sampling = (ObjectNode) made.get("sampling_params");
        fill(sampling);
        if (parsed != null && parsed.keepsSpecialTokens()) {
            sampling.put("skip_special_tokens", false);
        }
        ObjectNode all = Json.MAPPER.createObjectNode();
        all.put("request_id", id);
        all.set("token_ids", made.get("token_ids"));
        all.putNull("token_offsets").putNull("features").putNull("content_parts");
        all.set("sampling_params", sampling);
        all.put("model", model);
        all.putNull("reasoning_ended").putNull("reasoning_parser_kwargs");
        setOrNull(all, "return_token_ids", body);
        all.put("output_mode", "tokens");
        setOrNull(all, "parse_context", made);
        all.put("stream", stream());
        all.putNull("stream_options");
        if (stream() && body.hasNonNull("stream_options")) {
            all.putObject("stream_options")
                    .put("include_usage", streamOption("include_usage"))
                    .put("continuous_usage_stats", streamOption("continuous_usage_stats"));
        }
        setOrNull(all, "cache_salt", made);
        all.set("priority", made.hasNonNull("priority") ? made.get("priority") : all.numberNode(0));
        setOrNull(all, "kv_transfer_params", made);
        setOrNull(all, "ec_transfer_params", made);
        if (parsed != null) {
            addParsing(all, rules, parsed);
        }
        return bytes(all);
    }

    /** Adds what a rendered request says of how its output is parsed. */
    abstract void addParsing(ObjectNode rendered, ModelRules rules, RenderedParsing parsed);

    private static void setOrNull(ObjectNode to, String name, ObjectNode from) {
        to.set(name, from.hasNonNull(name) ? from.get(name) : to.nullNode());
    }

    /** Writes out what a server takes where nothing is said, as far as vLLM does. */
    private static void fill(ObjectNode sampling) {
        for (String name : PENALTIES) {
            putIfAbsent(sampling, name, 0);
        }
        putIfAbsent(sampling, "repetition_penalty", 1);
        putIfAbsent(sampling, "temperature", 1);
        if (sampling.get("temperature").doubleValue() != 0) {
            putIfAbsent(sampling, "top_p", 1);
            putIfAbsent(sampling, "min_p", 0);
        }
        JsonNode stop = sampling.path("stop");
        ArrayNode stops = stop.isArray() ? (ArrayNode) stop : sampling.arrayNode();
        if (stop.isTextual()) {
            stops.add(stop);
        }
        sampling.set("stop", stops);
        if (!sampling.has("stop_token_ids")) {
            sampling.putArray("stop_token_ids");
        }
    }

    private static void putIfAbsent(ObjectNode sampling, String name, double value) {
        if (!sampling.hasNonNull(name)) {
            sampling.put(name, value);
        }
    }

    private ObjectNode made(String id, String model, int[] prompt, ModelRules rules) {
        ObjectNode generate = head(id, model);
        addPrompt(prompt, generate);
        finish(generate, prompt.length, rules);
        return generate;
    }

    private static void addPrompt(int[] prompt, ObjectNode generate) {
        ArrayNode ids = generate.putArray("token_ids");
        for (int token : prompt) {
            ids.add(token);
        }
    }

    /**
     * The generate request as far as it says how an output is read.
     *
     * @param id its ID
     * @param model the model's name
     * @param prompt the tokens of the prompt, or the last of them
     * @param choices how many choices the output has
     * @param stops stop strings that the server found beside those of the request
     * @param rules what the model says
     */
    public final GenerateBody generated(
            String id, String model, int[] prompt, int choices, Set<String> stops, ModelRules rules) {
        ObjectNode generate = head(id, model);
        addPrompt(prompt, generate);
        ObjectNode sampling = generate.putObject("sampling_params");
        for (String name : OF_OUTPUT) {
            if (body.hasNonNull(name)) {
                sampling.set(name, body.get(name));
            }
        }
        sampling.put("n", choices);
        if (!stops.isEmpty()) {
            ArrayNode all = Json.MAPPER.createArrayNode();
            if (body.path("stop").isTextual()) {
                all.add(body.get("stop"));
            } else {
                body.path("stop").forEach(all::add);
            }
            stops.forEach(all::add);
            sampling.set("stop", all);
        }
        addFields(generate, rules);
        return GenerateBody.withoutPrompt(bytes(generate));
    }

    private static byte[] bytes(JsonNode tree) {
        try {
            return Json.MAPPER.writeValueAsBytes(tree);
        } catch (JsonProcessingException e) {
            throw new AssertionError("a tree is always JSON", e);
        }
    }

    /**
     * The generate request that stands for one which a server answers by itself: with what the proxy must know of it, and without
     * a prompt.
     */
    public final GenerateBody generateWithoutPrompt(String id, String model) {
        ObjectNode generate = head(id, model);
        ObjectNode sampling = generate.putObject("sampling_params");
        if (body.path("n").isInt() && body.get("n").intValue() > 0) {
            sampling.set("n", body.get("n"));
        }
        if (body.hasNonNull("kv_transfer_params")) {
            generate.set("kv_transfer_params", body.get("kv_transfer_params"));
        }
        if (body.path("priority").isIntegralNumber()) {
            generate.set("priority", body.get("priority")); // it may have to wait here
        }
        generate.put("stream", stream());
        if (stream() && body.path("stream_options").path("include_usage").booleanValue()) {
            generate.putObject("stream_options").put("include_usage", true); // the answer is not complete without it
        }
        return GenerateBody.withoutPrompt(bytes(generate));
    }

    private static ObjectNode head(String id, String model) {
        ObjectNode generate = Json.MAPPER.createObjectNode();
        generate.put("request_id", id);
        generate.put("model", model);
        return generate;
    }

    private void finish(ObjectNode generate, int promptLength, ModelRules rules) {
        ObjectNode sampling = generate.putObject("sampling_params");
        for (String name : WITH_DEFAULT) {
            JsonNode value = fields.realOrNull(name);
            if (value != null) {
                sampling.set(name, value);
            } else if (rules.samplingDefaults().containsKey(name)) {
                sampling.set(name, Json.MAPPER.valueToTree(rules.samplingDefaults().get(name)));
            }
        }
        for (String name : PENALTIES) {
            JsonNode value = fields.realOrNull(name);
            if (value != null) {
                sampling.set(name, value);
            }
        }
        for (String name : PASSED_ON) {
            if (body.hasNonNull(name)) {
                sampling.set(name, body.get(name));
            }
        }
        if (number(BUDGET, NO_BUDGET) != NO_BUDGET) {
            sampling.put(BUDGET, number(BUDGET, NO_BUDGET));
        }
        if (number("n", 1) != 1) {
            sampling.put("n", number("n", 1));
        }
        JsonNode bias = fields.objectOrNull("logit_bias");
        if (bias != null) {
            ObjectNode clamped = sampling.putObject("logit_bias");
            bias.properties().forEach(each ->
                    clamped.put(each.getKey(), Math.clamp(each.getValue().doubleValue(), -BIAS, BIAS)));
        }
        if (body.hasNonNull("vllm_xargs") && !body.get("vllm_xargs").isEmpty()) {
            sampling.set("extra_args", body.get("vllm_xargs"));
        }
        addSampling(sampling);
        ObjectNode constraint = Constraint.of(body, rules.calls());
        if (constraint != null) {
            sampling.set(Constraint.FIELD, constraint);
        }
        length(promptLength, rules, sampling);
        if (stream()) {
            generate.put("stream", true);
            if (streamOption("include_usage")) {
                generate.putObject("stream_options").put("include_usage", true);
            }
        }
        for (String name : List.of("cache_salt", "priority", "kv_transfer_params", "ec_transfer_params")) {
            if (body.hasNonNull(name)) {
                generate.set(name, body.get(name));
            }
        }
        addFields(generate, rules);
    }

    /** The rest of the context, or less where the client or the model wants less; the server's own rule if nobody knows. */
    private void length(int promptLength, ModelRules rules, ObjectNode sampling) {
        Long wanted = maxTokens();
        if (wanted == null && rules.samplingDefaults().get("max_tokens") instanceof Number ofModel) {
            wanted = ofModel.longValue();
        }
        if (rules.maxLength().isPresent()) {
            int most = rules.maxLength().getAsInt();
            if (wanted != null && wanted > most) {
                throw new InvalidRequestException(
                        "max_tokens",
                        "max_tokens=" + wanted + " cannot be greater than max_model_len=" + most + ". Please request fewer output tokens.");
            }
            if (promptLength >= most) {
                throw new InvalidRequestException(
                        "input_tokens",
                        "This model's maximum context length is " + most + " tokens, and the prompt has " + promptLength
                                + ": shorten it, or set truncate_prompt_tokens.");
            }
            wanted = wanted == null ? most - promptLength : Math.min(wanted, most - promptLength);
        }
        if (wanted != null) {
            if (wanted < 1) {
                throw new InvalidRequestException("max_tokens", "max_tokens must be at least 1, got " + wanted + ".");
            }
            sampling.put("max_tokens", wanted);
        }
    }
}
