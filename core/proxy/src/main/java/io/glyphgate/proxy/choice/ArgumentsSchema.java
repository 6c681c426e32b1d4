package io.glyphgate.proxy.choice;

import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the JSON Schema of a function's parameters says for certain about values: {@code type}, {@code enum}, {@code const},
 * {@code required}, and properties that {@code additionalProperties: false} rules out; through {@code properties}, {@code items},
 * {@code anyOf}, {@code oneOf}, {@code allOf} and references inside the schema. Whatever else a schema says, or says in a way
 * that is not JSON Schema's, allows everything: a wrong alarm is worse than a missed one.
 */
final class ArgumentsSchema {
    /** How often schemas may refer to each other, or how deep they may lie in each other, before they allow everything. */
    private static final int DEEPEST = 16;
    /** How many schemas and values of enums are looked at for one value, before everything is allowed. */
    private static final int MOST_STEPS = 1_000;

    private static final int LONGEST_REFERENCE = 256;

    private static final List<String> CHOICES = List.of("anyOf", "oneOf");

    private final Map<String, Object> root;
    private int steps;

    ArgumentsSchema(Map<String, Object> root) {
        this.root = root;
    }

    /** The schema of the whole arguments. */
    Object root() {
        return root;
    }

    /** Whether a schema allows values of a type. */
    boolean allows(@Nullable Object schema, JsonType type) {
        steps = 0;
        return mayBe(schema, type, 0);
    }

    private boolean mayBe(@Nullable Object schema, JsonType type, int depth) {
        Map<?, ?> map = resolve(schema);
        if (map == null || depth > DEEPEST || ++steps > MOST_STEPS) {
            return true;
        }
        if (!typeAllows(map, type)) {
            return false;
        }
        for (String choice : CHOICES) {
            if (map.get(choice) instanceof Collection<?> schemas && !schemas.isEmpty()
                    && schemas.stream().noneMatch(each -> mayBe(each, type, depth + 1))) {
                return false;
            }
        }
        return !(map.get("allOf") instanceof Collection<?> schemas)
                || schemas.stream().allMatch(each -> mayBe(each, type, depth + 1));
    }

    private static boolean typeAllows(Map<?, ?> schema, JsonType type) {
        Object types = schema.get("type");
        if (type == JsonType.NULL && Boolean.TRUE.equals(schema.get("nullable"))) {
            return true;
        }
        if (types instanceof Collection<?> several) {
            return several.isEmpty() || several.stream().anyMatch(each -> nameAllows(each, type));
        }
        return nameAllows(types, type);
    }

    private static boolean nameAllows(@Nullable Object name, JsonType type) {
        return !(name instanceof String word) || type.isCalled(word) || !JsonType.isKnown(word);
    }

    /**
     * Whether a schema allows a value that is no object and no array, and whose type it allows.
     *
     * @param text the string, or the number as it is written; else not looked at
     * @param cut whether the text is longer than given
     */
    boolean allowsScalar(@Nullable Object schema, JsonType type, CharSequence text, boolean cut) {
        steps = 0;
        return mayBeScalar(schema, type, text, cut, 0);
    }

    private boolean mayBeScalar(@Nullable Object schema, JsonType type, CharSequence text, boolean cut, int depth) {
        Map<?, ?> map = resolve(schema);
        if (map == null || depth > DEEPEST || ++steps > MOST_STEPS) {
            return true;
        }
        if (map.get("enum") instanceof Collection<?> values) {
            steps += values.size();
            if (steps <= MOST_STEPS && values.stream().noneMatch(value -> same(value, type, text, cut))) {
                return false;
            }
        }
        if (map.containsKey("const") && !same(map.get("const"), type, text, cut)) {
            return false;
        }
        for (String choice : CHOICES) {
            if (map.get(choice) instanceof Collection<?> schemas && !schemas.isEmpty()
                    && schemas.stream().noneMatch(each ->
                            mayBe(each, type, depth + 1) && mayBeScalar(each, type, text, cut, depth + 1))) {
                return false;
            }
        }
        return !(map.get("allOf") instanceof Collection<?> schemas)
                || schemas.stream().allMatch(each -> mayBeScalar(each, type, text, cut, depth + 1));
    }

    private static boolean same(@Nullable Object value, JsonType type, CharSequence text, boolean cut) {
        return switch (type) {
            case NULL -> value == null;
            case BOOLEAN -> value instanceof Boolean bool && bool.toString().contentEquals(text);
            case STRING -> value instanceof String string && (cut ? string.length() > text.length() : string.contentEquals(text));
            case INTEGER, NUMBER ->
                value instanceof Number number
                        && (cut || new BigDecimal(number.toString()).compareTo(new BigDecimal(text.toString())) == 0);
            case ARRAY, OBJECT -> true;
        };
    }

    /** The schema that tells of the inside of an object or an array; null if none does. */
    @Nullable Map<?, ?> inside(@Nullable Object schema, JsonType type) {
        steps = 0;
        Object at = schema;
        for (int depth = 0; depth < DEEPEST; depth++) {
            Map<?, ?> map = resolve(at);
            if (map == null || map.containsKey("properties") || map.containsKey("items")) {
                return map;
            }
            Object only = onlyChoice(map, type);
            if (only == null) {
                return map;
            }
            at = only;
        }
        return null;
    }

    /** The one of a schema's alternatives that allows a type; null if it has none, or more than one. */
    private @Nullable Object onlyChoice(Map<?, ?> schema, JsonType type) {
        for (String choice : CHOICES) {
            if (schema.get(choice) instanceof Collection<?> schemas) {
                List<?> left = schemas.stream().filter(each -> mayBe(each, type, 0)).toList();
                return left.size() == 1 ? left.getFirst() : null;
            }
        }
        return schema.get("allOf") instanceof List<?> all && all.size() == 1 ? all.getFirst() : null;
    }

    /** Whether an object may not have a property. */
    static boolean forbids(Map<?, ?> object, String property) {
        return Boolean.FALSE.equals(object.get("additionalProperties"))
                && object.get("properties") instanceof Map<?, ?> properties
                && !properties.containsKey(property)
                && !object.containsKey("patternProperties")
                && !object.containsKey("allOf")
                && CHOICES.stream().noneMatch(object::containsKey);
    }

    /** The schema of a property; null if there is none. */
    static @Nullable Object property(Map<?, ?> object, String property) {
        if (object.get("properties") instanceof Map<?, ?> properties && properties.containsKey(property)) {
            return properties.get(property);
        }
        return object.containsKey("patternProperties") ? null : object.get("additionalProperties");
    }

    /** The schema of the elements of an array; null if there is none for all of them. */
    static @Nullable Object items(Map<?, ?> array) {
        return array.containsKey("prefixItems") ? null : array.get("items");
    }

    /** The properties that an object must have. */
    static List<?> required(Map<?, ?> object) {
        return object.get("required") instanceof List<?> names ? names : List.of();
    }

    /** A schema as a map, references followed; null if it says nothing that is looked at here. */
    private @Nullable Map<?, ?> resolve(@Nullable Object schema) {
        Object at = schema;
        for (int hops = 0; hops < DEEPEST; hops++) {
            if (!(at instanceof Map<?, ?> map)) {
                return null;
            }
            if (!(map.get("$ref") instanceof String reference)) {
                return map;
            }
            at = target(reference);
        }
        return null;
    }

    /** What a reference inside the schema, {@code #/$defs/name}, leads to; null if it leads elsewhere. */
    private @Nullable Object target(String reference) {
        if (!reference.startsWith("#") || reference.length() > LONGEST_REFERENCE) {
            return null;
        }
        Object at = root;
        int from = 1;
        while (at != null && from < reference.length()) {
            int slash = reference.indexOf('/', from + 1);
            int to = slash < 0 ? reference.length() : slash;
            String name = reference.substring(from + 1, to).replace("~1", "/").replace("~0", "~");
            at = at instanceof Map<?, ?> map ? map.get(name) : null;
            from = to;
        }
        return at;
    }
}
