package io.glyphgate.proxy.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.conformance.Answer.Call;
import io.glyphgate.spi.Tool;
import java.math.BigDecimal;
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
    private static final Pattern DECIMAL = Pattern.compile("\\s*[+-]?\\d+(?:\\.\\d*)?(?:[eE][+-]?\\d{1,2})?\\s*");

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
        boolean bare = names.contains("boolean") || names.contains("null");
        String numeric = names.contains("number") ? number(text) : text;
        String written = bare ? text.strip().toLowerCase(Locale.ROOT) : numeric;
        Optional<JsonNode> json = new Call("", "", written).value();
        boolean allowed = json.filter(value -> names.stream().anyMatch(name -> fits(value, name)))
                .isPresent();
        boolean otherwise = !names.isEmpty() && !names.contains("string");
        return allowed || (otherwise && json.isPresent()) ? Optional.of(written) : Optional.empty();
    }

    /** A number as Python reads and writes it: a whole one without a point. */
    private static String number(String text) {
        if (!DECIMAL.matcher(text).matches() || text.strip().matches("[+-]?\\d+")) {
            return text;
        }
        BigDecimal value = new BigDecimal(Double.parseDouble(text));
        return value.stripTrailingZeros().scale() <= 0 ? value.toBigInteger().toString() : text;
    }

    private static boolean fits(JsonNode value, String type) {
        return switch (type) {
            case "integer" -> value.isIntegralNumber();
            case "number" -> value.isNumber();
            case "boolean" -> value.isBoolean();
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "null" -> value.isNull();
            default -> false;
        };
    }
}
