package io.glyphgate.toolkit;

import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Describes how a server holds a model to calls in the notation of its family: as structural tags, in the notation of xgrammar,
 * with places for what the functions of a request are. Each part is a format, as JSON. In it
 *
 * <ul>
 *   <li>an item {@code {"each-function": ITEM}} of a list stands for that item, or list of items, for each function,
 *   <li>an item {@code {"each-parameter": ITEM, "text": FORMAT}} for each parameter of a function; text is what a string may be,
 *   <li>{@code {"if-strict": A, "else": B}} is A for a strict function, or where all functions are strict,
 *   <li>{@code {"if-plain": A, "else": B}} is A if the schema of the function lists its parameters,
 *   <li>{@code {"if-json": A, "else": B}} is A if the content is to be JSON,
 *   <li>a string may hold <code>${name}</code> of the function and <code>${key}</code> of the parameter,
 *   <li>the string <code>${parameters}</code> is the schema of a strict function, else any JSON, <code>${value}</code> the format
 *       of the parameter's values, <code>${content}</code> the format of the content, and <code>${call}</code> what {@link #call}
 *       says.
 * </ul>
 *
 * <p>Where there may be one call only, every list of tags stops after its first.
 *
 * @param call one call, or a list of the ways to write one, for <code>${call}</code> in the others
 * @param free where the model decides; nothing is demanded then if it is empty
 * @param required where any call is demanded
 * @param named where a function is named, which is the only one then; {@code required} without further calls if it is empty
 * @param always whether {@code free} holds where no function is strict, too
 * @param content the frame of a content that must follow a format; empty if content stands without a frame
 */
public record CallConstraint(
        String call, String free, String required, String named, boolean always, String content) {
    private static final String TYPE = "type";
    private static final String OBJECT = "object";
    static final String STRUCTURAL_TAG = "structural_tag";

    /** Checks that each part is JSON. */
    public CallConstraint {
        compile(call, free, required, named, always, content);
    }

    /**
     * A constraint without a frame for content.
     *
     * @param call one call, or a list of the ways to write one
     * @param free where the model decides
     * @param required where any call is demanded
     * @param named where a function is named; {@code required} without further calls if it is empty
     * @return the constraint
     */
    public static CallConstraint of(String call, String free, String required, String named) {
        return new CallConstraint(call, free, required, named, false, "");
    }

    /**
     * The same, where {@code free} holds although no function is strict.
     *
     * @return the constraint
     */
    public CallConstraint evenIfNotStrict() {
        return new CallConstraint(call, free, required, named, true, content);
    }

    /**
     * What is demanded of a model whose calls are then plain JSON: the arguments alone where a function is named, else an array of
     * objects with {@code name} and {@code parameters}.
     *
     * @param tools the functions
     * @param choice what the request demands
     * @param parallel whether there may be several calls
     * @return {@code structured_outputs}; empty where no call is demanded
     */
    static Optional<Map<String, Object>> plainJson(List<Tool> tools, ToolChoice choice, boolean parallel) {
        return switch (choice.mode()) {
            case NONE, AUTO -> Optional.empty();
            case NAMED -> Optional.of(Map.of("json", parameters(named(tools, choice))));
            case REQUIRED -> {
                List<Object> kinds = new ArrayList<>();
                for (Tool tool : tools) {
                    kinds.add(map(
                            "properties",
                            map("name", map(TYPE, "string", "enum", List.of(tool.name())), "parameters", parameters(tool)),
                            "required",
                            List.of("name", "parameters")));
                }
                Map<String, Object> array =
                        map(TYPE, "array", "minItems", 1, "items", map(TYPE, OBJECT, "anyOf", kinds));
                if (!parallel) {
                    array.put("maxItems", 1);
                }
                yield Optional.of(Map.of("json", array));
            }
        };
    }

    /**
     * What is demanded of a model whose calls are then an array of JSON objects that the family writes behind a marker else.
     *
     * @param tools the functions
     * @param choice what the request demands
     * @param parallel whether there may be several calls
     * @param call how each of them is written
     * @return {@code structured_outputs}; empty where no call is demanded
     */
    static Optional<Map<String, Object>> unmarkedJson(
            List<Tool> tools, ToolChoice choice, boolean parallel, Arguments.JsonCall call) {
        if (choice.mode() == ToolChoice.Mode.NONE || choice.mode() == ToolChoice.Mode.AUTO) {
            return Optional.empty();
        }
        boolean one = choice.mode() == ToolChoice.Mode.NAMED;
        String argumentKey = call.argumentKeys().getFirst();
        List<Object> kinds = new ArrayList<>();
        for (Tool tool : one ? List.of(named(tools, choice)) : tools) {
            Object schema = tool.parameters().isEmpty() ? map(TYPE, OBJECT) : tool.parameters();
            Map<String, Object> name = map(TYPE, "string", "enum", List.of(tool.name()));
            kinds.add(map(
                    TYPE, OBJECT,
                    "properties", map(call.nameKey(), name, argumentKey, schema),
                    "required", List.of(call.nameKey(), argumentKey)));
        }
        Map<String, Object> array = map(TYPE, "array", "minItems", 1, "items", map(TYPE, OBJECT, "anyOf", kinds));
        if (one || !parallel) {
            array.put("maxItems", 1);
        }
        return Optional.of(Map.of("json", array));
    }

    private static Map<String, Object> parameters(Tool tool) {
        return tool.parameters().isEmpty() ? map(TYPE, OBJECT, "properties", Map.of()) : tool.parameters();
    }

    private static Tool named(List<Tool> tools, ToolChoice choice) {
        return tools.stream()
                .filter(tool -> tool.name().equals(choice.function()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no function '" + choice.function() + "' is offered"));
    }

    /**
     * Makes the description ready.
     *
     * @return what makes constraints of requests
     */
    public Compiled compile() {
        return compile(call, free, required, named, always, content);
    }

    private static Compiled compile(
            String call, String free, String required, String named, boolean always, String content) {
        Object one = ConstraintTemplate.read("call", call);
        return new Compiled(
                free.isEmpty() ? Optional.empty() : Optional.of(ConstraintTemplate.of("free", free, one)),
                ConstraintTemplate.of("required", required, one),
                named.isEmpty() ? Optional.empty() : Optional.of(ConstraintTemplate.of("named", named, one)),
                always,
                content.isEmpty() ? Optional.empty() : Optional.of(ConstraintTemplate.of("content", content, one)));
    }

    /** A constraint made ready. Immutable; used by many threads at once. */
    public static final class Compiled {
        private final Optional<ConstraintTemplate> free;
        private final ConstraintTemplate required;
        private final Optional<ConstraintTemplate> named;
        private final boolean always;
        private final Optional<ConstraintTemplate> content;

        private Compiled(
                Optional<ConstraintTemplate> free,
                ConstraintTemplate required,
                Optional<ConstraintTemplate> named,
                boolean always,
                Optional<ConstraintTemplate> content) {
            this.free = free;
            this.required = required;
            this.named = named;
            this.always = always;
            this.content = content;
        }

        /**
         * What is demanded.
         *
         * @param tools the functions
         * @param choice what the request demands
         * @param parallel whether there may be several calls
         * @return {@code structured_outputs}; empty where nothing is demanded
         */
        public Optional<Map<String, Object>> calls(List<Tool> tools, ToolChoice choice, boolean parallel) {
            return switch (choice.mode()) {
                case NONE -> Optional.empty();
                case AUTO -> parallel && !always && tools.stream().noneMatch(Tool::strict)
                        ? Optional.empty()
                        : free.map(template -> tag(template.calls(tools, parallel)));
                case REQUIRED -> Optional.of(tag(required.calls(tools, parallel)));
                case NAMED -> {
                    List<Tool> one = List.of(named(tools, choice));
                    yield Optional.of(tag(named.map(template -> template.calls(one, parallel))
                            .orElseGet(() -> required.calls(one, false))));
                }
            };
        }

        /**
         * What the content must follow, in the frame of the family.
         *
         * @param format the format of the content
         * @return {@code structured_outputs}; empty if content stands without a frame
         */
        public Optional<Map<String, Object>> content(Map<String, Object> format) {
            return content.map(template -> tag(template.content(format)));
        }

        private static Map<String, Object> tag(Object format) {
            return Map.of(STRUCTURAL_TAG, map(TYPE, STRUCTURAL_TAG, "format", format));
        }
    }

    private static Map<String, Object> map(Object... pairs) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put((String) pairs[i], pairs[i + 1]);
        }
        return map;
    }
}
