package io.glyphgate.toolkit;

import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How the server holds a model to the calls that a request demands: as plain JSON, or as a structural tag in the notation of the
 * family. What it makes is vLLM's {@code structured_outputs}. Sources: vLLM 0.33, and the tags of xgrammar.
 */
public final class CallConstraint {
    private static final String TYPE = "type";
    private static final List<String> THOUGHTS = List.of("<think>", "</think>");

    private final String trigger;
    private final boolean listed;
    private final boolean separateThoughts;
    private final String style;
    private final List<Form> forms;

    private CallConstraint(String trigger, boolean listed, boolean separateThoughts, String style, List<Form> forms) {
        this.trigger = trigger;
        this.listed = listed;
        this.separateThoughts = separateThoughts;
        this.style = style;
        this.forms = List.copyOf(forms);
    }

    /**
     * One way to write a call.
     *
     * @param begin what stands before the name
     * @param behindName what stands between the name and the arguments
     * @param end what stands behind the arguments
     */
    public record Form(String begin, String behindName, String end) {}

    /**
     * A constraint in which calls follow each other as a list.
     *
     * @param trigger what begins any call
     * @param style how arguments are written, as xgrammar names it
     * @param forms the ways to write a call
     * @return the constraint
     */
    public static CallConstraint listed(String trigger, String style, Form... forms) {
        return new CallConstraint(trigger, true, false, style, List.of(forms));
    }

    /**
     * A constraint in which calls stand anywhere in text without thoughts.
     *
     * @param trigger what begins any call
     * @param style how arguments are written, as xgrammar names it
     * @param form the way to write a call
     * @return the constraint
     */
    public static CallConstraint scattered(String trigger, String style, Form form) {
        return new CallConstraint(trigger, false, true, style, List.of(form));
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
    public static Optional<Map<String, Object>> plainJson(List<Tool> tools, ToolChoice choice, boolean parallel) {
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
                        map(TYPE, "array", "minItems", 1, "items", map(TYPE, "object", "anyOf", kinds));
                if (!parallel) {
                    array.put("maxItems", 1);
                }
                yield Optional.of(Map.of("json", array));
            }
        };
    }

    private static Map<String, Object> parameters(Tool tool) {
        return tool.parameters().isEmpty() ? map(TYPE, "object", "properties", Map.of()) : tool.parameters();
    }

    private static Tool named(List<Tool> tools, ToolChoice choice) {
        return tools.stream()
                .filter(tool -> tool.name().equals(choice.function()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no function '" + choice.function() + "' is offered"));
    }

    /**
     * What is demanded in the notation of the family.
     *
     * @param tools the functions
     * @param choice what the request demands
     * @param parallel whether there may be several calls
     * @return {@code structured_outputs}; empty where nothing is demanded
     */
    public Optional<Map<String, Object>> of(List<Tool> tools, ToolChoice choice, boolean parallel) {
        boolean free = choice.mode() == ToolChoice.Mode.AUTO;
        if (choice.mode() == ToolChoice.Mode.NONE || (free && parallel && tools.stream().noneMatch(Tool::strict))) {
            return Optional.empty();
        }
        boolean one = choice.mode() == ToolChoice.Mode.NAMED;
        List<Map<String, Object>> tags = tags(one ? List.of(named(tools, choice)) : tools);
        Map<String, Object> format;
        if (one && !listed) {
            format = tags.getFirst();
        } else if (listed && !free) {
            format = map(TYPE, "tags_with_separator", "tags", tags, "separator", "");
            format.put("at_least_one", true);
            format.put("stop_after_first", one || !parallel);
        } else {
            format = map(TYPE, "triggered_tags", "triggers", List.of(trigger), "tags", tags);
            format.put("at_least_one", !free);
            format.put("stop_after_first", !parallel);
            format.put("excludes", separateThoughts ? THOUGHTS : List.of());
        }
        return Optional.of(Map.of("structural_tag", map(TYPE, "structural_tag", "format", format)));
    }

    private List<Map<String, Object>> tags(List<Tool> tools) {
        List<Map<String, Object>> tags = new ArrayList<>();
        for (Tool tool : tools) {
            for (Form form : forms) {
                Object schema = tool.strict() && !tool.parameters().isEmpty() ? tool.parameters() : true;
                tags.add(map(
                        TYPE, "tag",
                        "begin", form.begin() + tool.name() + form.behindName(),
                        "content", map(TYPE, "json_schema", "json_schema", schema, "style", style),
                        "end", form.end()));
            }
        }
        return tags;
    }

    private static Map<String, Object> map(Object... pairs) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put((String) pairs[i], pairs[i + 1]);
        }
        return map;
    }
}
