package io.glyphgate.toolkit;

import io.glyphgate.spi.Tool;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The types that a JSON Schema can give a value, in the order in which a text is tried as each of them. */
enum ValueType {
    NULL,
    INTEGER,
    NUMBER,
    BOOLEAN,
    OBJECT,
    ARRAY,
    STRING;

    private static final List<String> CHOICES = List.of("anyOf", "oneOf", "allOf");
    private static final int MAX_DEPTH = 32;

    /**
     * The type of a name that a schema gives it, its own or one that callers write by mistake; null for an unknown
     * name.
     */
    private static @Nullable ValueType named(String name) {
        return switch (name) {
            case "null" -> NULL;
            case "integer", "int", "int32", "int64", "uint", "uint32", "uint64", "long", "short", "unsigned" -> INTEGER;
            case "number", "float", "float32", "float64", "double" -> NUMBER;
            case "boolean", "bool" -> BOOLEAN;
            case "object", "dict" -> OBJECT;
            case "array", "arr", "list", "sequence" -> ARRAY;
            case "string", "str", "text", "varchar", "char", "enum" -> STRING;
            default -> null;
        };
    }

    /**
     * The types of a parameter.
     *
     * @param tool the function; null if the caller does not offer it
     * @param parameter the name of the parameter
     * @return what the schema allows; nothing where it says nothing
     */
    static Set<ValueType> declared(@Nullable Tool tool, String parameter) {
        if (tool != null && tool.parameters().get("properties") instanceof Map<?, ?> properties) {
            return of(properties.get(parameter), 0);
        }
        return EnumSet.noneOf(ValueType.class);
    }

    /** The type of a parameter whose schema names just one, a number or a boolean; nothing for any other. */
    static Set<ValueType> scalar(@Nullable Tool tool, String parameter) {
        boolean one = tool != null
                && tool.parameters().get("properties") instanceof Map<?, ?> properties
                && properties.get(parameter) instanceof Map<?, ?> schema
                && schema.get("type") instanceof String;
        Set<ValueType> types = one ? declared(tool, parameter) : EnumSet.noneOf(ValueType.class);
        types.retainAll(EnumSet.of(INTEGER, NUMBER, BOOLEAN));
        return types;
    }

    /** Whether the schema of a function tells of a parameter. */
    static boolean known(@Nullable Tool tool, String parameter) {
        return tool != null
                && tool.parameters().get("properties") instanceof Map<?, ?> properties
                && properties.containsKey(parameter);
    }

    /** The types that a schema allows; only {@link #STRING} where it says nothing. */
    static Set<ValueType> of(@Nullable Object schema) {
        return orString(of(schema, 0));
    }

    private static Set<ValueType> of(@Nullable Object schema, int depth) {
        Set<ValueType> types = EnumSet.noneOf(ValueType.class);
        if (schema instanceof Map<?, ?> map && depth < MAX_DEPTH) {
            addNamed(map.get("type"), types);
            if (map.get("enum") instanceof Collection<?> values) {
                values.forEach(value -> types.add(ofValue(value)));
            }
            for (String choice : CHOICES) {
                if (map.get(choice) instanceof Collection<?> schemas) {
                    schemas.forEach(each -> types.addAll(orString(of(each, depth + 1))));
                }
            }
        }
        return types;
    }

    private static Set<ValueType> orString(Set<ValueType> types) {
        return types.isEmpty() ? EnumSet.of(STRING) : types;
    }

    private static void addNamed(@Nullable Object type, Set<ValueType> to) {
        if (type instanceof String name) {
            ValueType known = named(name.strip().toLowerCase(Locale.ROOT));
            if (known != null) {
                to.add(known);
            }
        } else if (type instanceof Collection<?> several) {
            several.forEach(each -> addNamed(each, to));
        }
    }

    private static ValueType ofValue(@Nullable Object value) {
        return switch (value) {
            case null -> NULL;
            case Boolean ignored -> BOOLEAN;
            case Double ignored -> NUMBER;
            case Float ignored -> NUMBER;
            case BigDecimal ignored -> NUMBER;
            case Number ignored -> INTEGER;
            case Collection<?> ignored -> ARRAY;
            case Map<?, ?> ignored -> OBJECT;
            default -> STRING;
        };
    }
}
