package io.glyphgate.toolkit;

import io.glyphgate.spi.Tool;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One part of a {@link CallConstraint}, read. */
final class ConstraintTemplate {
    private static final String TYPE = "type";
    private static final String EACH_FUNCTION = "each-function";
    private static final String EACH_PARAMETER = "each-parameter";
    private static final String IF_STRICT = "if-strict";
    private static final String IF_PLAIN = "if-plain";
    private static final String IF_JSON = "if-json";
    private static final String ELSE = "else";
    private static final String STRING = "string";

    /** Formats that are lists of calls, wherever they stand. */
    private static final Set<String> LISTS = Set.of("triggered_tags", "token_triggered_tags", "tags_with_separator");

    /** What makes of a schema more than a list of parameters. */
    private static final Set<String> COMBINED = Set.of("$ref", "allOf", "anyOf", "oneOf", "patternProperties");

    private final Object root;
    private final Object call;

    private ConstraintTemplate(Object root, Object call) {
        this.root = root;
        this.call = call;
    }

    /**
     * Reads a template.
     *
     * @param key the part's name
     * @param json its text
     * @param call what stands for a call in it
     * @throws IllegalArgumentException if it is no template
     */
    static ConstraintTemplate of(String key, String json, Object call) {
        return new ConstraintTemplate(read(key, json), call);
    }

    /**
     * Reads a part.
     *
     * @param key the part's name
     * @param json its text
     * @throws IllegalArgumentException if it is no format, or has a condition without its other case
     */
    static Object read(String key, String json) {
        Object part;
        try {
            part = Json.value(json);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the constraint's " + key + " is not right: " + e.getMessage(), e);
        }
        if (!(part instanceof Map<?, ?>) && !(part instanceof List<?>) && !part.equals("${call}")) {
            throw new IllegalArgumentException("the constraint's " + key + " is no JSON object; write a format of structural tags");
        }
        check(key, part);
        return part;
    }

    private static void check(String key, Object node) {
        if (node instanceof List<?> list) {
            list.forEach(item -> check(key, item));
        } else if (node instanceof Map<?, ?> map) {
            for (String condition : List.of(IF_STRICT, IF_PLAIN, IF_JSON)) {
                if (map.containsKey(condition) && !map.containsKey(ELSE)) {
                    throw new IllegalArgumentException("the constraint's " + key + " has " + condition + " without else");
                }
            }
            map.values().forEach(value -> check(key, value));
        }
    }

    /** The format for some functions. */
    Object calls(List<Tool> tools, boolean parallel) {
        Tool one = tools.size() == 1 ? tools.getFirst() : null;
        return new Expansion(tools, call, parallel, Map.of()).expand(root, new Place(one, "", null, null));
    }

    /** The format for some content. */
    Object content(Map<String, Object> format) {
        return new Expansion(List.of(), call, true, format).expand(root, new Place(null, "", null, null));
    }

    /**
     * Where an expansion is.
     *
     * @param tool the function; null outside of one, if there are several
     * @param key the name of the parameter
     * @param parameter its schema
     * @param text the format of strings
     */
    private record Place(@Nullable Tool tool, String key, @Nullable Object parameter, @Nullable Object text) {}

    /**
     * One expansion.
     *
     * @param tools the functions
     * @param call what stands for a call
     * @param parallel whether there may be several calls
     * @param content the format of the content
     */
    private record Expansion(List<Tool> tools, Object call, boolean parallel, Map<String, Object> content) {
        Object expand(Object node, Place place) {
            return switch (node) {
                case String text -> text(text, place);
                case List<?> list -> list(list, place);
                case Map<?, ?> map -> map(map, place);
                default -> node;
            };
        }

        private Object text(String text, Place place) {
            return switch (text) {
                case "${parameters}" -> {
                    Tool tool = place.tool;
                    yield tool != null && tool.strict() && !tool.parameters().isEmpty() ? tool.parameters() : true;
                }
                case "${value}" -> value(place.parameter, place.text == null ? "" : place.text);
                case "${content}" -> content;
                case "${call}" -> expand(call, place);
                default -> {
                    String named = place.tool == null ? text : text.replace("${name}", place.tool.name());
                    yield named.replace("${key}", place.key);
                }
            };
        }

        private List<Object> list(List<?> list, Place place) {
            List<Object> items = new ArrayList<>();
            for (Object item : list) {
                Map<?, ?> each = item instanceof Map<?, ?> map ? map : Map.of();
                Object ofFunction = each.get(EACH_FUNCTION);
                Object ofParameter = each.get(EACH_PARAMETER);
                if (ofFunction != null) {
                    tools.forEach(tool -> add(items, expand(ofFunction, new Place(tool, "", null, null))));
                } else if (ofParameter != null) {
                    parameters(place.tool).forEach((key, parameter) -> add(
                            items, expand(ofParameter, new Place(place.tool, String.valueOf(key), parameter, each.get("text")))));
                } else {
                    items.add(expand(item, place));
                }
            }
            return items;
        }

        private static void add(List<Object> items, Object item) {
            if (item instanceof List<?> several) {
                items.addAll(several);
            } else {
                items.add(item);
            }
        }

        private Object map(Map<?, ?> map, Place place) {
            Tool tool = place.tool;
            if (map.containsKey(IF_STRICT)) {
                boolean strict = tool == null ? tools.stream().allMatch(Tool::strict) : tool.strict();
                return choose(map, strict, IF_STRICT, place);
            }
            if (map.containsKey(IF_PLAIN)) {
                return choose(map, !parameters(tool).isEmpty(), IF_PLAIN, place);
            }
            if (map.containsKey(IF_JSON)) {
                return choose(map, "json_schema".equals(content.get(TYPE)), IF_JSON, place);
            }
            Map<String, Object> members = new LinkedHashMap<>();
            map.forEach((name, value) -> members.put((String) name, expand(value, place)));
            if (!parallel && LISTS.contains(String.valueOf(members.get(TYPE)))) {
                members.put("stop_after_first", true);
            }
            return members.get("elements") instanceof List<?> elements && "or".equals(members.get(TYPE)) && elements.size() == 1
                    ? elements.getFirst()
                    : members;
        }

        private Object choose(Map<?, ?> map, boolean first, String name, Place place) {
            return expand(Objects.requireNonNull(map.get(first ? name : ELSE)), place);
        }
    }

    /** The parameters of a function by their names; empty if its schema does not simply list them. */
    private static Map<?, ?> parameters(@Nullable Tool tool) {
        if (tool == null
                || !(tool.parameters().get("properties") instanceof Map<?, ?> properties)
                || Boolean.TRUE.equals(tool.parameters().get("additionalProperties"))
                || tool.parameters().keySet().stream().anyMatch(COMBINED::contains)) {
            return Map.of();
        }
        return properties;
    }

    /** What the values of a parameter look like, as far as its type or its list of values says. */
    private static Object value(@Nullable Object parameter, Object text) {
        Map<?, ?> schema = parameter instanceof Map<?, ?> given ? given : Map.of();
        List<Object> formats = new ArrayList<>();
        if (schema.get("enum") instanceof List<?> values) {
            values.forEach(value -> formats.add(one(value)));
        } else if (schema.get(TYPE) instanceof List<?> types) {
            types.stream().filter(type -> !STRING.equals(type)).forEach(type -> formats.add(json(Map.of(TYPE, type))));
            if (types.contains(STRING)) {
                formats.add(text);
            }
        } else {
            Object type = schema.get(TYPE);
            formats.add(type == null || STRING.equals(type) ? text : json(Map.of(TYPE, type)));
        }
        return formats.size() == 1 ? formats.getFirst() : Map.of(TYPE, "or", "elements", formats);
    }

    private static Object one(@Nullable Object value) {
        return switch (value) {
            case Map<?, ?> map -> json(Map.of("const", map));
            case List<?> list -> json(Map.of("const", list));
            case null, default -> Map.of(TYPE, "const_string", "value", String.valueOf(value));
        };
    }

    private static Object json(Map<String, ?> schema) {
        return Map.of(TYPE, "json_schema", "json_schema", schema, "style", "json");
    }
}
