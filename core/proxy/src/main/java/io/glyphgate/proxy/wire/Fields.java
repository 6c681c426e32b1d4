package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.spi.InvalidRequestException;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of one JSON object as pydantic's lax mode does, and collects what is wrong with them. What is read of a
 * wrong field means nothing: {@link #check} must follow.
 */
final class Fields {
    /** As Python reads JSON: with NaN and Infinity, floats as doubles, and nothing behind the value. */
    static final ObjectReader READER = Json.MAPPER
            .readerFor(JsonNode.class)
            .with(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .without(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

    private static final Set<String> TRUE = Set.of("true", "t", "yes", "y", "on", "1");
    private static final Set<String> FALSE = Set.of("false", "f", "no", "n", "off", "0");
    private static final Pattern WHOLE = Pattern.compile("\\s*([+-]?[0-9]+(?:_[0-9]+)*)(?:\\.0*)?\\s*");
    private static final BigInteger LONG_MAX = BigInteger.valueOf(Long.MAX_VALUE);
    private static final double LONG_BOUND = 0x1p63;

    private final ObjectNode object;
    private final List<Object> path;
    private final List<Invalid> faults;

    Fields(ObjectNode object, List<Object> path, List<Invalid> faults) {
        this.object = object;
        this.path = path;
        this.faults = faults;
    }

    /**
     * Reads a body.
     *
     * @param bytes the body
     * @param asJson whether its type is JSON; else it is one text, as for FastAPI
     * @throws InvalidBodyException if it is no JSON object
     * @throws InvalidRequestException if it is not UTF-8
     */
    static ObjectNode body(byte[] bytes, boolean asJson) {
        List<Object> path = List.of(Invalid.BODY);
        JsonNode tree = bytes.length == 0 || asJson ? tree(bytes) : Json.MAPPER.getNodeFactory().textNode(decode(bytes));
        if (tree == null || tree.isNull()) {
            throw new InvalidBodyException(List.of(Invalid.of("missing", path, "Field required", null)));
        }
        if (tree instanceof ObjectNode node) {
            return node;
        }
        throw new InvalidBodyException(List.of(Invalid.of(
                "model_attributes_type", path, "Input should be a valid dictionary or object to extract fields from", tree)));
    }

    private static @Nullable JsonNode tree(byte[] bytes) {
        if (bytes.length == 0) {
            return null;
        }
        Json.requireUtf8(bytes);
        try {
            return READER.readValue(bytes);
        } catch (JsonProcessingException e) {
            PythonJson.Fault fault = PythonJson.in(decode(bytes));
            int at = fault == null ? Math.max(0, (int) e.getLocation().getByteOffset()) : fault.position();
            String reason = fault == null ? e.getOriginalMessage() : fault.reason();
            throw new InvalidBodyException(List.of(new Invalid(
                    "json_invalid", List.of(Invalid.BODY, at), "JSON decode error", Json.MAPPER.createObjectNode(), reason)));
        } catch (IOException e) {
            throw new InvalidRequestException("", "There was an error parsing the body: it must be JSON in UTF-8.");
        }
    }

    private static String decode(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw new InvalidRequestException("", "There was an error parsing the body: it must be UTF-8.");
        }
    }

    /** Throws what was found wrong. */
    static void check(List<Invalid> faults) {
        if (!faults.isEmpty()) {
            throw new InvalidBodyException(faults);
        }
    }

    /** What was found wrong up to now; more may be added. */
    List<Invalid> faults() {
        return faults;
    }

    boolean has(String name) {
        return object.has(name);
    }

    boolean isNull(String name) {
        return object.path(name).isNull();
    }

    @Nullable JsonNode get(String name) {
        return object.get(name);
    }

    List<Object> at(Object... steps) {
        return Invalid.inside(path, steps);
    }

    void fault(String type, String message, @Nullable JsonNode input, Object... steps) {
        faults.add(Invalid.of(type, at(steps), message, input));
    }

    void missing(String name) {
        fault("missing", "Field required", object, name);
    }

    /** Fields that are none of these are faults. */
    void only(Set<String> known) {
        object.properties().forEach(entry -> {
            if (!known.contains(entry.getKey())) {
                fault("extra_forbidden", "Extra inputs are not permitted", entry.getValue(), entry.getKey());
            }
        });
    }

    /** A text that must be there. */
    String text(String name) {
        if (!has(name)) {
            missing(name);
            return "";
        }
        String text = textOr(name, null);
        return text == null ? "" : text;
    }

    /** A text that may be absent. */
    @Nullable String textOr(String name, @Nullable String absent) {
        JsonNode node = get(name);
        if (node == null) {
            return absent;
        }
        if (!node.isTextual()) {
            fault("string_type", "Input should be a valid string", node, name);
        }
        return node.textValue();
    }

    /** A text that may be absent or null. */
    @Nullable String textOrNull(String name) {
        return isNull(name) ? null : textOr(name, null);
    }

    /** A truth value that may be absent, and null only if that is said. */
    boolean flag(String name, boolean absent, boolean nullable) {
        JsonNode node = get(name);
        if (node == null || (nullable && node.isNull())) {
            return absent;
        }
        return flag(node, at(name));
    }

    private boolean flag(JsonNode node, List<Object> where) {
        if (node.isBoolean()) {
            return node.booleanValue();
        }
        String text = node.isTextual() ? node.textValue().toLowerCase(Locale.ROOT) : isZeroOrOne(node) ? node.asInt() + "" : "?";
        if (TRUE.contains(text)) {
            return true;
        }
        if (!FALSE.contains(text)) {
            boolean parsed = node.isTextual() || node.isIntegralNumber();
            faults.add(
                    parsed
                            ? Invalid.of(
                                    "bool_parsing", where, "Input should be a valid boolean, unable to interpret input", node)
                            : Invalid.of("bool_type", where, "Input should be a valid boolean", node));
        }
        return false;
    }

    /** A number that may have a fraction, as it came or as a text; null if absent or null. */
    @Nullable JsonNode realOrNull(String name) {
        JsonNode node = get(name);
        if (node == null || node.isNull() || node.isNumber()) {
            return node == null || node.isNull() ? null : node;
        }
        if (node.isTextual()) {
            try {
                return object.numberNode(new BigDecimal(node.textValue().strip()));
            } catch (NumberFormatException e) {
                fault("float_parsing", "Input should be a valid number, unable to parse string as a number", node, name);
                return null;
            }
        }
        fault("float_type", "Input should be a valid number", node, name);
        return null;
    }

    private static boolean isZeroOrOne(JsonNode node) {
        return node.isNumber() && (node.doubleValue() == 0 || node.doubleValue() == 1);
    }

    /** A number that may be absent. What lies outside of 64 bits comes as the nearest that does not. */
    long number(String name, long absent) {
        JsonNode node = get(name);
        return node == null ? absent : number(node, at(name));
    }

    private long number(JsonNode node, List<Object> where) {
        if (node.isBoolean()) {
            return node.booleanValue() ? 1 : 0;
        }
        if (node.isIntegralNumber()) {
            return clamp(node.bigIntegerValue());
        }
        if (node.isFloatingPointNumber()) {
            return number(node.doubleValue(), node, where);
        }
        if (node.isTextual()) {
            var matcher = WHOLE.matcher(node.textValue());
            if (matcher.matches()) {
                return clamp(new BigInteger(matcher.group(1).replace("_", "")));
            }
            faults.add(Invalid.of(
                    "int_parsing", where, "Input should be a valid integer, unable to parse string as an integer", node));
            return 0;
        }
        faults.add(Invalid.of("int_type", where, "Input should be a valid integer", node));
        return 0;
    }

    private long number(double value, JsonNode node, List<Object> where) {
        if (!Double.isFinite(value)) {
            faults.add(Invalid.of("finite_number", where, "Input should be a finite number", node));
        } else if (value != Math.rint(value)) {
            faults.add(Invalid.of(
                    "int_from_float", where, "Input should be a valid integer, got a number with a fractional part", node));
        } else if (Math.abs(value) >= LONG_BOUND) {
            faults.add(Invalid.of(
                    "int_parsing_size", where, "Unable to parse input string as an integer, exceeded maximum size", node));
        }
        return (long) value;
    }

    /** Whether a number was read of what is none by itself: a text, or a float. */
    static boolean isConverted(JsonNode node) {
        return node.isTextual() || node.isFloatingPointNumber();
    }

    private static long clamp(BigInteger number) {
        return number.bitLength() < Long.SIZE ? number.longValue() : number.signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }

    /** A list that must be there. */
    @Nullable JsonNode list(String name) {
        JsonNode node = get(name);
        if (node == null) {
            missing(name);
            return null;
        }
        return listOrNull(name, false);
    }

    /** A list that may be absent, and null if that is said. */
    @Nullable JsonNode listOrNull(String name, boolean nullable) {
        JsonNode node = get(name);
        if (node == null || (nullable && node.isNull())) {
            return null;
        }
        if (!node.isArray()) {
            fault("list_type", "Input should be a valid list", node, name);
            return null;
        }
        return node;
    }

    /** An object that may be absent or null. */
    @Nullable JsonNode objectOrNull(String name) {
        JsonNode node = get(name);
        if (node == null || node.isNull()) {
            return null;
        }
        if (!node.isObject()) {
            fault("dict_type", "Input should be a valid dictionary", node, name);
            return null;
        }
        return node;
    }

    /**
     * Token IDs.
     *
     * @param name the field
     * @param limit the largest ID; larger ones are faults
     * @param strict whether only what is a number already is one
     * @return the IDs; those over {@link Integer#MAX_VALUE} as that, which no vocabulary holds
     */
    int[] tokenIds(String name, long limit, boolean strict) {
        JsonNode list = list(name);
        if (list == null) {
            return new int[0];
        }
        int[] ids = new int[list.size()];
        int i = 0;
        for (JsonNode node : list) {
            ids[i] = (int) Math.min(tokenId(node, at(name, i), limit, strict), Integer.MAX_VALUE);
            i++;
        }
        return ids;
    }

    private long tokenId(JsonNode node, List<Object> where, long limit, boolean strict) {
        int before = faults.size();
        long id = number(node, where);
        if (faults.size() > before) {
            return 0;
        }
        if (strict && isConverted(node)) {
            faults.add(Invalid.of("int_type", where, "Input should be a valid integer", node));
        } else if (id < 0) {
            faults.add(Invalid.of("greater_than_equal", where, "Input should be greater than or equal to 0", node));
        } else if (id > limit || (node.isBigInteger() && node.bigIntegerValue().compareTo(LONG_MAX) > 0)) {
            faults.add(Invalid.of("less_than_equal", where, "Input should be less than or equal to " + limit, node));
        }
        return Math.max(id, 0);
    }

    /** A value as maps, lists, strings, numbers, booleans and nulls. */
    static @Nullable Object plain(JsonNode node) {
        return Json.plain(node);
    }

    /** The members of an object, as {@link #plain}. */
    @SuppressWarnings("unchecked")
    static Map<String, @Nullable Object> members(JsonNode object) {
        return (Map<String, @Nullable Object>) Objects.requireNonNull(Json.plain(object));
    }
}
