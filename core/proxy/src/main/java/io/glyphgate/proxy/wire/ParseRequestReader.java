package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.spi.InvalidRequestException;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code parse_context} (vLLM 0.33) and {@code chat_request} (the RFC: a whole chat request), which say the same about
 * parsing under the same names.
 */
final class ParseRequestReader {
    private static final List<String> PARSING_FIELDS =
            List.of("tools", "tool_choice", "parallel_tool_calls", "include_reasoning", "chat_template_kwargs");
    private static final String EARLIER_CALLS = "history_tool_call_cnt";

    private ParseRequestReader() {}

    static ParseRequest read(@Nullable JsonNode parseContext, @Nullable JsonNode chatRequest) {
        if (isGiven(parseContext) && isGiven(chatRequest)) {
            throw new InvalidRequestException(
                    "chat_request", "parse_context and chat_request say the same thing: send one of them.");
        }
        if (parseContext != null && !parseContext.isNull()) {
            ObjectNode object = object(parseContext, "parse_context");
            List<String> unknown = new ArrayList<>();
            object.fieldNames().forEachRemaining(name -> {
                if (!PARSING_FIELDS.contains(name) && !name.equals(EARLIER_CALLS)) {
                    unknown.add(name);
                }
            });
            if (!unknown.isEmpty()) {
                throw new InvalidRequestException(
                        "parse_context." + unknown.getFirst(),
                        "Unknown parse_context fields " + unknown + ": the render server may be newer than this proxy.");
            }
            // without the field vLLM's parse_context wants no calls; a chat request with tools leaves it to the model
            ToolChoice unsaid = object.has("tool_choice") ? ToolChoice.AUTO : ToolChoice.NONE;
            return read(object, "parse_context.", unsaid, whole(object, EARLIER_CALLS, "parse_context."));
        }
        if (chatRequest != null && !chatRequest.isNull()) {
            ObjectNode object = object(chatRequest, "chat_request");
            return read(object, "chat_request.", ToolChoice.AUTO, earlierCalls(object));
        }
        return ParseRequest.DEFAULT;
    }

    private static boolean isGiven(@Nullable JsonNode node) {
        return node != null && !node.isNull();
    }

    /** The same as vLLM's {@code /render} would have made of a chat request. */
    static ObjectNode parseContext(ObjectNode chatRequest) {
        ObjectNode context = Json.MAPPER.createObjectNode();
        for (String name : PARSING_FIELDS) {
            if (chatRequest.hasNonNull(name)) {
                context.set(name, chatRequest.get(name));
            }
        }
        if (!context.has("tool_choice") && !chatRequest.path("tools").isEmpty()) {
            context.put("tool_choice", "auto");
        }
        context.put(EARLIER_CALLS, earlierCalls(chatRequest));
        return context;
    }

    private static ParseRequest read(ObjectNode from, String path, ToolChoice unsaid, int earlierCalls) {
        List<Tool> tools = tools(from, path);
        return new ParseRequest(
                tools,
                toolChoice(from, path, tools, unsaid),
                bool(from, "parallel_tool_calls", path),
                bool(from, "include_reasoning", path),
                arguments(from, path),
                earlierCalls);
    }

    private static List<Tool> tools(ObjectNode from, String path) {
        List<Tool> tools = new ArrayList<>();
        JsonNode list = from.path("tools");
        if (!list.isArray() && !list.isNull() && !list.isMissingNode()) {
            throw GenerateBody.wrongType(path + "tools", "an array");
        }
        for (JsonNode entry : list) {
            String at = path + "tools[" + tools.size() + "]";
            JsonNode function = entry.path("function");
            if (!function.path("name").isTextual() || function.path("name").textValue().isEmpty()) {
                throw new InvalidRequestException(at + ".function.name", at + " has no function.name.");
            }
            tools.add(new Function(
                    function.path("name").textValue(),
                    schema(function.path("parameters"), at),
                    function.path("strict").asBoolean()));
        }
        return tools;
    }

    private static Map<String, Object> schema(JsonNode parameters, String at) {
        if (parameters.isNull() || parameters.isMissingNode()) {
            return Map.of();
        }
        return plain(object(parameters, at + ".function.parameters"));
    }

    private static ToolChoice toolChoice(ObjectNode from, String path, List<Tool> tools, ToolChoice unsaid) {
        JsonNode choice = from.path("tool_choice");
        if (choice.isNull() || choice.isMissingNode()) {
            return tools.isEmpty() ? ToolChoice.NONE : unsaid;
        }
        if (choice.isTextual()) {
            return switch (choice.textValue()) {
                case "none" -> ToolChoice.NONE;
                case "auto" -> ToolChoice.AUTO;
                case "required" -> ToolChoice.REQUIRED;
                default -> throw GenerateBody.wrongType(
                        path + "tool_choice", "none, auto, required, or {\"type\": \"function\", \"function\": {\"name\": ...}}");
            };
        }
        String name = choice.path("function").path("name").asText();
        if (name.isEmpty()) {
            throw GenerateBody.wrongType(
                    path + "tool_choice", "none, auto, required, or {\"type\": \"function\", \"function\": {\"name\": ...}}");
        }
        if (tools.stream().noneMatch(tool -> tool.name().equals(name))) {
            throw new InvalidRequestException(
                    path + "tool_choice", "tool_choice names the function '" + name + "', which is not among the tools "
                            + tools.stream().map(Tool::name).toList() + ".");
        }
        return ToolChoice.named(name);
    }

    private static Map<String, Object> arguments(ObjectNode from, String path) {
        if (!from.hasNonNull("chat_template_kwargs")) {
            return Map.of();
        }
        return plain(object(from.get("chat_template_kwargs"), path + "chat_template_kwargs"));
    }

    private static int earlierCalls(ObjectNode chatRequest) {
        int count = 0;
        for (JsonNode message : chatRequest.path("messages")) {
            count += message.path("tool_calls").size();
        }
        return count;
    }

    private static int whole(ObjectNode from, String name, String path) {
        if (!from.hasNonNull(name)) {
            return 0;
        }
        JsonNode node = from.get(name);
        if (!node.isIntegralNumber() || !node.canConvertToInt() || node.intValue() < 0) {
            throw GenerateBody.wrongType(path + name, "a whole number from 0 on");
        }
        return node.intValue();
    }

    private static boolean bool(ObjectNode from, String name, String path) {
        if (!from.hasNonNull(name)) {
            return true;
        }
        if (!from.get(name).isBoolean()) {
            throw GenerateBody.wrongType(path + name, "true or false");
        }
        return from.get(name).booleanValue();
    }

    private static ObjectNode object(JsonNode node, String path) {
        if (node instanceof ObjectNode object) {
            return object;
        }
        throw GenerateBody.wrongType(path, "an object");
    }

    /** JSON objects as the SPI has them; a null member is left out, because the SPI's maps hold none. */
    static Map<String, Object> plain(ObjectNode object) {
        Map<String, Object> map = new LinkedHashMap<>();
        object.properties().forEach(entry -> {
            Object value = Json.plain(entry.getValue());
            if (value != null) {
                map.put(entry.getKey(), value);
            }
        });
        return map;
    }

    private record Function(String name, Map<String, Object> parameters, boolean strict) implements Tool {}
}
