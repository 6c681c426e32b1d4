package io.glyphgate.proxy.simulator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.simulator.Refusal.Problems;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The types of the fields of a generate request: read as leniently as vLLM does (a string of digits is a number too),
 * and checked in the order in which vLLM declares the fields.
 */
final class RequestShape {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
    private static final Set<String> MODES = Set.of("tokens", "text", "derender");
    private static final Set<String> TRUE = Set.of("true", "t", "yes", "y", "on", "1", "1.0");
    private static final Set<String> FALSE = Set.of("false", "f", "no", "n", "off", "0", "0.0");

    private final Problems problems = new Problems();
    private final ObjectNode body;
    private final boolean soundSampling;

    /**
     * Reads a body.
     *
     * @param text the body
     * @param outputModes whether the server knows output modes
     * @throws Refusal if the body is no JSON object
     */
    RequestShape(String text, boolean outputModes) {
        body = parse(text);
        text("request_id");
        prompt();
        soundSampling = sampling();
        text("model");
        if (outputModes) {
            outputMode();
            parseContext();
        }
        truth();
        object("stream_options");
        if (body.hasNonNull("priority")) {
            wholeNumber(body.path("priority"), "body.priority", problems);
        }
    }

    /** The fields. Their types are right once {@link #check} has let them pass. */
    ObjectNode body() {
        return body;
    }

    /**
     * Whether the sampling parameters have the right types. Their values are then checked before anything else is said.
     */
    boolean soundSampling() {
        return soundSampling;
    }

    /**
     * Refuses a request in which a field has a wrong type.
     *
     * @throws Refusal if there is one
     */
    void check() {
        problems.check();
    }

    private ObjectNode parse(String text) {
        JsonNode read;
        try {
            read = JSON.readTree(text);
        } catch (JsonProcessingException e) {
            long offset = e.getLocation() == null ? 0 : e.getLocation().getCharOffset();
            problems.add(
                    "json_invalid",
                    "body." + offset,
                    "JSON decode error",
                    "<dict of 0 items>",
                    "'error': " + Refusal.python(complaint(e.getOriginalMessage(), text, (int) offset)));
            throw problems.refusal();
        }
        if (read instanceof ObjectNode fields) {
            return fields;
        }
        if (read.isMissingNode() || read.isNull()) {
            problems.add("missing", "body", "Field required", "None", null);
        } else {
            notAnObject(read, "body");
        }
        throw problems.refusal();
    }

    /** What Python's parser says of broken JSON, as far as it can be told from what this one says. */
    private static String complaint(String message, String text, int offset) {
        if (message.contains("was expecting double-quote to start field name")) {
            return "Expecting property name enclosed in double quotes";
        }
        if (message.contains("was expecting comma")) {
            return "Expecting ',' delimiter";
        }
        String read = text.substring(0, Math.min(offset, text.length()));
        boolean whole = !read.isBlank() && "]}".indexOf(read.strip().charAt(read.strip().length() - 1)) >= 0;
        return whole ? "Extra data" : "Expecting value";
    }

    private void prompt() {
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
            boolean negative = false;
            boolean numbers = true;
            for (int i = 0; i < ids.size(); i++) {
                numbers &= wholeNumber(ids.get(i), place + '.' + i, problems);
                negative |= ids.get(i).asDouble() < 0;
            }
            if (numbers && negative) {
                problems.addValueError(place, "token_ids must not contain negative values", input(ids));
            }
        }
    }

    private boolean sampling() {
        JsonNode sampling = body.path("sampling_params");
        String place = "body.sampling_params";
        if (sampling.isMissingNode()) {
            problems.add("missing", place, "Field required", input(body), null);
            return false;
        }
        Problems inside = new Problems();
        if (sampling.isObject()) {
            for (String name : List.of("n", "seed", "max_tokens", "min_tokens", "logprobs", "prompt_logprobs")) {
                if (sampling.hasNonNull(name)) {
                    wholeNumber(sampling.path(name), place + '.' + name, inside);
                }
            }
            for (String name : List.of("temperature", "top_p")) {
                if (sampling.hasNonNull(name)) {
                    number(sampling.path(name), place + '.' + name, inside);
                }
            }
            JsonNode stopTokens = sampling.path("stop_token_ids");
            for (int i = 0; i < stopTokens.size(); i++) {
                wholeNumber(stopTokens.get(i), place + ".stop_token_ids." + i, inside);
            }
        } else {
            inside.add("dict_type", place, "Input should be a valid dictionary", input(sampling), null);
        }
        if (inside.isEmpty()) {
            return true;
        }
        // vLLM takes either an object of its own class or fields to make one of, and says both if it gets neither.
        problems.add(
                "is_instance_of",
                place,
                "Input should be an instance of SamplingParams",
                input(sampling),
                "'class': 'SamplingParams'");
        problems.addAll(inside);
        return false;
    }

    private void outputMode() {
        JsonNode mode = body.path("output_mode");
        if (!mode.isMissingNode() && !MODES.contains(mode.isTextual() ? mode.asText() : "")) {
            String expected = "'tokens', 'text' or 'derender'";
            problems.add(
                    "literal_error",
                    "body.output_mode",
                    "Input should be " + expected,
                    input(mode),
                    "'expected': " + Refusal.python(expected));
        }
    }

    private void parseContext() {
        object("parse_context");
        JsonNode earlier = body.path("parse_context").path("history_tool_call_cnt");
        if (earlier.isIntegralNumber() && earlier.asLong() < 0) {
            problems.add(
                    "greater_than_equal",
                    "body.parse_context.history_tool_call_cnt",
                    "Input should be greater than or equal to 0",
                    input(earlier),
                    "'ge': 0");
        }
        JsonNode choice = body.path("parse_context").path("tool_choice");
        String place = "body.parse_context.tool_choice";
        if (choice.isTextual() && !Set.of("none", "auto", "required").contains(choice.asText())) {
            String expected = "'none', 'auto' or 'required'";
            problems.add(
                    "literal_error",
                    place,
                    "Input should be " + expected,
                    input(choice),
                    "'expected': " + Refusal.python(expected));
            notAnObject(choice, place);
        }
    }

    private void text(String name) {
        JsonNode value = body.path(name);
        if (body.hasNonNull(name) && !value.isTextual()) {
            problems.add("string_type", "body." + name, "Input should be a valid string", input(value), null);
        }
    }

    /** Whether a value means true to vLLM. */
    static boolean isTrue(JsonNode value) {
        return TRUE.contains(value.asText().toLowerCase(Locale.ROOT));
    }

    private void truth() {
        JsonNode value = body.path("stream");
        String text = value.asText().toLowerCase(Locale.ROOT);
        if (body.hasNonNull("stream") && !TRUE.contains(text) && !FALSE.contains(text)) {
            problems.add(
                    "bool_parsing",
                    "body.stream",
                    "Input should be a valid boolean, unable to interpret input",
                    input(value),
                    null);
        }
    }

    private void object(String name) {
        if (body.hasNonNull(name) && !body.path(name).isObject()) {
            notAnObject(body.path(name), "body." + name);
        }
    }

    private void notAnObject(JsonNode value, String place) {
        problems.add(
                "model_attributes_type",
                place,
                "Input should be a valid dictionary or object to extract fields from",
                input(value),
                null);
    }

    private static boolean wholeNumber(JsonNode value, String place, Problems problems) {
        String should = "Input should be a valid integer";
        if (value.isIntegralNumber() || value.isBoolean()) {
            return true;
        }
        if (value.isNumber()) {
            if (value.asDouble() == Math.rint(value.asDouble())) {
                return true;
            }
            problems.add("int_from_float", place, should + ", got a number with a fractional part", input(value), null);
        } else if (value.isTextual()) {
            if (value.asText().strip().matches("[+-]?\\d+(\\.0*)?")) {
                return true;
            }
            problems.add("int_parsing", place, should + ", unable to parse string as an integer", input(value), null);
        } else {
            problems.add("int_type", place, should, input(value), null);
        }
        return false;
    }

    private static void number(JsonNode value, String place, Problems problems) {
        String should = "Input should be a valid number";
        if (value.isTextual() && !value.asText().strip().matches("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?")) {
            problems.add("float_parsing", place, should + ", unable to parse string as a number", input(value), null);
        } else if (value.isContainerNode()) {
            problems.add("float_type", place, should, input(value), null);
        }
    }

    /** A value as vLLM shows it in an error. */
    static String input(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT -> "<dict of " + value.size() + " items>";
            case ARRAY -> "<list of " + value.size() + " items>";
            case BOOLEAN -> value.asBoolean() ? "True" : "False";
            case NULL, MISSING -> "None";
            case STRING, NUMBER, BINARY, POJO -> value.asText();
        };
    }
}
