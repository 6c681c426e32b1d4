package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a chat and how they become a prompt. The values are plain: maps, lists, strings, numbers, booleans and nulls.
 *
 * @param messages the messages, each with a role
 * @param tools the tools, each with what vLLM fills in; null if the field is absent or null
 * @param addGenerationPrompt whether the assistant's turn is opened
 * @param continueFinalMessage whether the last message stays open
 * @param chatTemplate the client's own template; null if it gives none
 * @param templateArguments the client's arguments of the template
 * @param mediaArguments the first field that the client uses to change how media are read; empty if it uses none
 * @param version2 whether it has the form that vLLM 0.8.2 had
 */
public record ChatBody(
        List<Map<String, @Nullable Object>> messages,
        @Nullable List<Map<String, @Nullable Object>> tools,
        boolean addGenerationPrompt,
        boolean continueFinalMessage,
        @Nullable String chatTemplate,
        Map<String, @Nullable Object> templateArguments,
        Optional<String> mediaArguments,
        boolean version2) {
    static final String CONTRADICTION = "Cannot set both `continue_final_message` and `add_generation_prompt` to True.";

    private static final String ADD_GENERATION_PROMPT = "add_generation_prompt";
    private static final String CONTINUE_FINAL_MESSAGE = "continue_final_message";
    private static final String MM_PROCESSOR = "mm_processor_kwargs";
    private static final String MEDIA_IO = "media_io_kwargs";
    private static final String MESSAGES = "messages";
    private static final String TOOLS = "tools";
    private static final String FUNCTION = "function";
    private static final String DEFER_LOADING = "defer_loading";
    private static final Set<String> CONTENT_MAY_BE_NULL = Set.of("assistant", FUNCTION);
    /** The roles of OpenAI, whose content may be anything that can be walked over: its parts are checked later. */
    private static final Set<String> OPEN_CONTENT = Set.of("user", "system", "developer", "assistant", "tool");

    /** The same, with other messages and arguments of the template. */
    ChatBody with(List<Map<String, @Nullable Object>> otherMessages, Map<String, @Nullable Object> otherArguments) {
        return new ChatBody(
                otherMessages, tools, addGenerationPrompt, continueFinalMessage, chatTemplate, otherArguments, mediaArguments, version2);
    }

    /** Whether a role is one of OpenAI's whose content may be parts. */
    public static boolean isOpenAiRole(String role) {
        return OPEN_CONTENT.contains(role);
    }

    /** Whether both flags that exclude each other are set, by Python's rules. */
    static boolean continuesAndPrompts(ObjectNode body) {
        return HappyBody.truth(body.get(CONTINUE_FINAL_MESSAGE), false)
                && HappyBody.truth(body.get(ADD_GENERATION_PROMPT), false);
    }

    /** Reads the form of vLLM 0.33. */
    static ChatBody read(Fields fields) {
        List<Map<String, @Nullable Object>> messages = messages(fields);
        boolean prompt = fields.flag(ADD_GENERATION_PROMPT, true, false);
        boolean goOn = fields.flag(CONTINUE_FINAL_MESSAGE, false, false);
        String template = fields.textOrNull("chat_template");
        Map<String, @Nullable Object> arguments = arguments(fields);
        JsonNode mediaIo = fields.objectOrNull(MEDIA_IO);
        if (mediaIo != null) {
            mediaIo.properties().stream()
                    .filter(each -> !each.getValue().isObject())
                    .forEach(each -> fields.fault(
                            "dict_type", "Input should be a valid dictionary", each.getValue(), MEDIA_IO, each.getKey()));
        }
        JsonNode processor = fields.objectOrNull(MM_PROCESSOR);
        Optional<String> media = processor != null && !processor.isEmpty()
                ? Optional.of(MM_PROCESSOR)
                : mediaIo != null && !mediaIo.isEmpty() ? Optional.of(MEDIA_IO) : Optional.empty();
        return new ChatBody(messages, tools(fields), prompt, goOn, template, arguments, media, false);
    }

    /** Reads the form of vLLM 0.8.2, which knows no tools. */
    static ChatBody readVersion2(Fields fields) {
        List<Map<String, @Nullable Object>> messages = messages(fields);
        boolean prompt = fields.flag(ADD_GENERATION_PROMPT, true, false);
        boolean goOn = fields.flag(CONTINUE_FINAL_MESSAGE, false, false);
        String template = fields.textOrNull("chat_template");
        Map<String, @Nullable Object> arguments = arguments(fields);
        fields.objectOrNull(MM_PROCESSOR);
        return new ChatBody(messages, null, prompt, goOn, template, arguments, Optional.empty(), true);
    }

    private static Map<String, @Nullable Object> arguments(Fields fields) {
        JsonNode arguments = fields.objectOrNull("chat_template_kwargs");
        return arguments == null ? Map.of() : Fields.members(arguments);
    }

    private static List<Map<String, @Nullable Object>> messages(Fields fields) {
        List<Map<String, @Nullable Object>> messages = new ArrayList<>();
        JsonNode list = fields.list(MESSAGES);
        int i = 0;
        for (JsonNode node : list == null ? Json.MAPPER.createArrayNode() : list) {
            if (node instanceof ObjectNode message) {
                check(message, fields, i);
                messages.add(Fields.members(message));
            } else {
                fields.fault("dict_type", "Input should be a valid dictionary", node, MESSAGES, i);
            }
            i++;
        }
        return messages;
    }

    /** What makes a message no message of any kind; what is inside of its parts and calls is checked where they are used. */
    private static void check(ObjectNode message, Fields fields, int i) {
        JsonNode role = message.get("role");
        if (role == null) {
            fields.fault("missing", "Field required", message, MESSAGES, i, "role");
            return;
        }
        if (!role.isTextual()) {
            fields.fault("string_type", "Input should be a valid string", role, MESSAGES, i, "role");
            return;
        }
        JsonNode content = message.get("content");
        boolean good = content == null
                || content.isTextual()
                || (content.isArray() && (OPEN_CONTENT.contains(role.textValue()) || areParts(content)))
                || (content.isObject() && OPEN_CONTENT.contains(role.textValue()))
                || (content.isNull() && CONTENT_MAY_BE_NULL.contains(role.textValue()));
        if (!good) {
            fields.fault("string_type", "Input should be a valid string", content, MESSAGES, i, "content");
        }
        JsonNode name = message.get("name");
        if (name != null && !name.isTextual()) {
            fields.fault("string_type", "Input should be a valid string", name, MESSAGES, i, "name");
        }
        JsonNode call = message.get("tool_call_id");
        if (role.textValue().equals("tool") && call != null && !call.isTextual() && !call.isNull()) {
            fields.fault("string_type", "Input should be a valid string", call, MESSAGES, i, "tool_call_id");
        }
    }

    private static boolean areParts(JsonNode content) {
        for (JsonNode part : content) {
            if (!part.isObject() && !part.isTextual()) {
                return false;
            }
        }
        return true;
    }

    private static @Nullable List<Map<String, @Nullable Object>> tools(Fields fields) {
        JsonNode list = fields.listOrNull(TOOLS, true);
        if (list == null) {
            return null;
        }
        List<Map<String, @Nullable Object>> tools = new ArrayList<>();
        int i = 0;
        for (JsonNode node : list) {
            if (node instanceof ObjectNode tool) {
                tools.add(tool(tool, fields, i));
            } else {
                fields.fault("model_attributes_type", "Input should be a valid dictionary", node, TOOLS, i);
            }
            i++;
        }
        return tools;
    }

    /** A tool as vLLM hands it to templates: what it does not know is gone, and what was left out is null. */
    private static Map<String, @Nullable Object> tool(ObjectNode tool, Fields fields, int i) {
        JsonNode type = tool.get("type");
        if (type != null && !type.asText().equals(FUNCTION)) {
            fields.fault("literal_error", "Input should be 'function'", type, TOOLS, i, "type");
        }
        Map<String, @Nullable Object> filled = new LinkedHashMap<>();
        filled.put("type", FUNCTION);
        if (tool.get(FUNCTION) instanceof ObjectNode function) {
            List<Invalid> faults = fields.faults();
            Fields inner = new Fields(function, fields.at(TOOLS, i, FUNCTION), faults);
            Map<String, @Nullable Object> described = new LinkedHashMap<>();
            described.put("name", inner.text("name"));
            described.put("description", inner.textOrNull("description"));
            JsonNode parameters = inner.objectOrNull("parameters");
            described.put("parameters", parameters == null ? null : Fields.plain(parameters));
            for (String flag : List.of("strict", DEFER_LOADING)) {
                if (function.hasNonNull(flag)) {
                    described.put(flag, inner.flag(flag, false, true));
                }
            }
            Fields outer = new Fields(tool, fields.at(TOOLS, i), faults);
            filled.put(FUNCTION, described);
            if (tool.hasNonNull(DEFER_LOADING)) {
                boolean deferred = outer.flag(DEFER_LOADING, false, true);
                described.putIfAbsent(DEFER_LOADING, deferred);
                filled.put(DEFER_LOADING, deferred);
            }
        } else if (tool.has(FUNCTION)) {
            fields.fault("model_attributes_type", "Input should be a valid dictionary", tool.get(FUNCTION), TOOLS, i, FUNCTION);
        } else {
            fields.fault("missing", "Field required", tool, TOOLS, i, FUNCTION);
        }
        return filled;
    }
}
