package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.conformance.Answer.Call;
import io.glyphgate.spi.Tool;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The types that a JSON Schema allows a value.
 *
 * @param names their names; none if the schema says nothing
 */
record AllowedTypes(Set<String> names) {
    /** The types but that of strings, in the order in which a text is tried as each. */
    private static final List<String> PRIORITY = List.of("null", "integer", "number", "boolean", "object", "array");

    private static final String DIGITS = "[0-9](?:_?[0-9])*";
    private static final Pattern INTEGER = Pattern.compile("[+-]?" + DIGITS);
    private static final Pattern DECIMAL =
            Pattern.compile("[+-]?(?:D(?:\\.(?:D)?)?|\\.D)(?:[eE][+-]?D)?".replace("D", DIGITS));
    private static final Map<String, String> BOOLEANS =
            Map.of("true", "true", "1", "true", "false", "false", "0", "false");

    AllowedTypes {
        names = Set.copyOf(names);
    }

    static AllowedTypes of(@Nullable Object schema) {
        Set<String> names = new HashSet<>();
        add(schema, names);
        return new AllowedTypes(names);
    }

    private static void add(@Nullable Object schema, Set<String> to) {
        if (schema instanceof Map<?, ?> map) {
            if (map.get("type") instanceof String type) {
                to.add(type);
            }
            if (map.get("type") instanceof List<?> several) {
                several.forEach(type -> to.add(String.valueOf(type)));
            }
            if (map.get("anyOf") instanceof List<?> several) {
                several.forEach(each -> add(each, to));
            }
        }
    }

    /** The schema of a function's parameters; null if the function is not offered. */
    static @Nullable Object parameters(List<Tool> tools, String function) {
        return tools.stream()
                .filter(tool -> tool.name().equals(function))
                .map(Tool::parameters)
                .findFirst()
                .orElse(null);
    }

    /** The schema of a property; null if there is none. */
    static @Nullable Object property(@Nullable Object schema, String name) {
        return schema instanceof Map<?, ?> map && map.get("properties") instanceof Map<?, ?> properties
                ? properties.get(name)
                : null;
    }

    /** Whether a value can be a string only. */
    boolean onlyString() {
        return names.isEmpty() || names.equals(Set.of("string"));
    }

    /** Whether a text is the start of a value with members that is allowed. */
    boolean structured(String text) {
        return (names.contains("object") && text.startsWith("{")) || (names.contains("array") && text.startsWith("["));
    }

    /** The JSON of a value that was written as bare text; empty if it is a string. */
    Optional<String> json(String text) {
        for (String name : PRIORITY) {
            if (names.contains(name)) {
                Optional<String> json = as(name, text);
                if (json.isPresent()) {
                    return json;
                }
            }
        }
        return names.isEmpty() || names.contains("string")
                ? Optional.empty()
                : parsed(text).map(value -> Space.strip(text));
    }

    private static Optional<String> as(String type, String text) {
        String plain = Space.strip(text);
        return switch (type) {
            case "null" -> Optional.of("null").filter(text::equalsIgnoreCase);
            case "integer" -> Optional.of(plain).filter(INTEGER.asMatchPredicate()).map(AllowedTypes::whole);
            case "number" -> as("integer", text)
                    .or(() -> Optional.of(plain).filter(DECIMAL.asMatchPredicate()).flatMap(AllowedTypes::number));
            case "boolean" -> Optional.ofNullable(BOOLEANS.get(plain.toLowerCase(Locale.ROOT)));
            case "object" -> parsed(text).filter(JsonNode::isObject).map(value -> plain);
            case "array" -> parsed(text).filter(JsonNode::isArray).map(value -> plain);
            default -> Optional.empty();
        };
    }

    private static String whole(String text) {
        return new BigInteger(text.replace("_", "")).toString();
    }

    /** A number as Python reads and writes it: a whole one without a point; empty if it is too large. */
    private static Optional<String> number(String text) {
        double value = Double.parseDouble(text.replace("_", ""));
        if (!Double.isFinite(value)) {
            return Optional.empty();
        }
        return Optional.of(
                value == Math.rint(value)
                        ? new BigDecimal(value).toBigInteger().toString()
                        : python(value));
    }

    /** A number that is not whole: small ones with an exponent of two digits or more. */
    private static String python(double value) {
        if (Math.abs(value) >= 1e-4) {
            return new BigDecimal(String.valueOf(value)).stripTrailingZeros().toPlainString();
        }
        return String.valueOf(value).replace(".0E", "E").replaceFirst("E-(\\d)$", "E-0$1").replace('E', 'e');
    }

    private static Optional<JsonNode> parsed(String text) {
        return new Call("", "", text).value().filter(AllowedTypes::finite);
    }

    /** Whether all numbers in a value are ones that Python can read. */
    private static boolean finite(JsonNode value) {
        return value.isNumber()
                ? Double.isFinite(value.doubleValue()) || value.isIntegralNumber()
                : value.valueStream().allMatch(AllowedTypes::finite);
    }
}
