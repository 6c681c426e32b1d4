package io.glyphgate.proxy.render;

import io.glyphgate.proxy.wire.ChatBody;
import io.glyphgate.proxy.wire.JsonValue;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.spi.ChatTemplate.ContentFormat;
import io.glyphgate.spi.InvalidRequestException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Messages in the form that chat templates are written for, as vLLM gives it to them: content as one text or as parts,
 * arguments of calls as objects, and only the fields that vLLM passes on.
 */
final class Conversation {
    private static final String ROLE = "role";
    private static final String CONTENT = "content";
    private static final String TYPE = "type";
    private static final String TEXT = "text";
    private static final String NAME = "name";
    private static final String REASONING = "reasoning";
    private static final String TOOL_CALLS = "tool_calls";
    private static final String TOOL_CALL_ID = "tool_call_id";
    private static final String TOOL_REFERENCE = "tool_reference";
    private static final String ARGUMENTS = "arguments";
    private static final String FUNCTION = "function";
    private static final String ASSISTANT = "assistant";
    private static final String TOOL = "tool";
    private static final String SYSTEM = "system";
    private static final String DEVELOPER = "developer";
    private static final String CALLS = "tool_calls cannot be used: ";

    /** A line that a client puts before its instructions, with a value that differs each time; vLLM drops it. */
    private static final String BILLING_HEADER = "x-anthropic-billing-header";

    /** The fields of all kinds of parts; other fields of a text part reach a template that takes parts. */
    private static final Set<String> PART_FIELDS = Set.of(
            "audio_embeds",
            "audio_url",
            "closed",
            "data",
            "file",
            "image_embeds",
            "image_pil",
            "image_url",
            "input_audio",
            NAME,
            "prompt_cache_breakpoint",
            "refusal",
            TEXT,
            "thinking",
            TYPE,
            "uuid",
            "video_embeds",
            "video_url");

    private final ContentFormat format;
    private final boolean version2;

    /**
     * Makes conversations.
     *
     * @param format how the template takes contents
     * @param version2 whether as vLLM 0.8.2 did, which knew no reasoning and left the contents of tools as they were
     */
    Conversation(ContentFormat format, boolean version2) {
        this.format = format;
        this.version2 = version2;
    }

    /**
     * The messages for the template.
     *
     * @throws InvalidRequestException if a part or a call cannot be used
     */
    List<Map<String, @Nullable Object>> of(List<Map<String, @Nullable Object>> messages) {
        List<Map<String, @Nullable Object>> conversation = new ArrayList<>();
        for (Map<String, @Nullable Object> message : messages) {
            conversation.add(one(message));
        }
        return conversation;
    }

    private Map<String, @Nullable Object> one(Map<String, @Nullable Object> message) {
        String role = String.valueOf(message.get(ROLE));
        Map<String, @Nullable Object> result = new LinkedHashMap<>();
        result.put(ROLE, role);
        List<Part> parts = parts(message.get(CONTENT), ChatBody.isOpenAiRole(role));
        if (role.equals(SYSTEM) && !version2) {
            parts = withoutBillingHeader(parts);
        }
        result.put(CONTENT, format == ContentFormat.OPENAI ? wrapped(parts) : joined(parts));
        switch (role) {
            case ASSISTANT -> {
                if (message.get(TOOL_CALLS) != null) {
                    List<Map<String, @Nullable Object>> calls = calls(message.get(TOOL_CALLS));
                    if (!calls.isEmpty()) {
                        result.put(TOOL_CALLS, calls);
                    }
                }
                Object reasoning = message.get(REASONING);
                if (reasoning != null && !version2) {
                    result.put(REASONING, reasoning);
                    result.put("reasoning_content", reasoning);
                }
            }
            case TOOL -> {
                if (message.containsKey(TOOL_CALL_ID)) {
                    result.put(TOOL_CALL_ID, message.get(TOOL_CALL_ID));
                }
                if (!version2 && parts.stream().allMatch(part -> part.type().equals(TEXT))) {
                    result.put(CONTENT, joined(parts));
                }
            }
            default -> {
                // no field of its own
            }
        }
        for (String field : version2 ? List.of(NAME) : List.of(NAME, "task")) {
            if (message.get(field) instanceof String text) {
                result.put(field, text);
            }
        }
        if (role.equals(DEVELOPER) && !version2) {
            result.put("tools", message.get("tools"));
        }
        return result;
    }

    /** A part of a content: a text, or the name of a tool. */
    private record Part(String type, String text, Map<String, @Nullable Object> more) {}

    /** vLLM checks the parts of a role that OpenAI knows strictly, and walks over those of another one. */
    private static List<Part> parts(@Nullable Object content, boolean strict) {
        if (content == null) {
            return List.of();
        }
        if (content instanceof String text) {
            return List.of(new Part(TEXT, text, Map.of()));
        }
        if (!(content instanceof List<?> list)) {
            throw refused("", "content must be a text or a list of parts");
        }
        List<Part> parts = new ArrayList<>();
        for (Object each : list) {
            if (each instanceof Map<?, ?> part) {
                part(part, strict).ifPresent(parts::add);
            } else if (each instanceof String text && !strict) {
                parts.add(new Part(TEXT, text, Map.of()));
            } else {
                throw refused("", "a part of a content must be an object with a type");
            }
        }
        return parts;
    }

    /** A part; empty for one without a text that may be left out. */
    private static Optional<Part> part(Map<?, ?> part, boolean strict) {
        String type = part.get(TYPE) instanceof String text ? text : "";
        String blamed = strict ? "" : TYPE;
        String field = switch (type) {
            case TEXT, "refusal", "thinking" -> type;
            case TOOL_REFERENCE -> NAME;
            case "input_text", "output_text" -> {
                if (strict) {
                    throw refused(blamed, "the part type '" + type + "' is unknown in a message of this role");
                }
                yield TEXT;
            }
            default ->
                throw refused(blamed, "the part type '" + type + "' cannot be rendered here: this proxy renders text");
        };
        if (part.get("uuid") != null) {
            throw refused(TYPE, "a part of type '" + type + "' has no uuid");
        }
        if (!(part.get(field) instanceof String text)) {
            if (!strict && part.get(field) == null) {
                return Optional.empty();
            }
            throw refused("", "a part of type '" + type + "' needs the text '" + field + "'");
        }
        Map<String, @Nullable Object> more = new LinkedHashMap<>();
        part.forEach((key, value) -> {
            if (!PART_FIELDS.contains(String.valueOf(key))) {
                more.put(String.valueOf(key), value);
            }
        });
        return Optional.of(new Part(type.equals(TOOL_REFERENCE) ? type : TEXT, text, more));
    }

    private static InvalidRequestException refused(String param, String message) {
        return new InvalidRequestException(param, "messages: " + message + ".");
    }

    private static List<Part> withoutBillingHeader(List<Part> parts) {
        List<Part> kept = new ArrayList<>();
        for (Part part : parts) {
            int line = part.text().indexOf('\n');
            if (!part.type().equals(TEXT) || !part.text().startsWith(BILLING_HEADER)) {
                kept.add(part);
            } else if (line >= 0 && line < part.text().length() - 1) {
                kept.add(new Part(TEXT, part.text().substring(line + 1), part.more()));
            }
        }
        return kept;
    }

    private static String joined(List<Part> parts) {
        return parts.stream().map(Part::text).collect(Collectors.joining("\n"));
    }

    private static List<Map<String, @Nullable Object>> wrapped(List<Part> parts) {
        List<Map<String, @Nullable Object>> wrapped = new ArrayList<>();
        for (Part part : parts) {
            Map<String, @Nullable Object> map = new LinkedHashMap<>();
            map.put(TYPE, part.type());
            map.put(part.type().equals(TEXT) ? TEXT : NAME, part.text());
            if (part.type().equals(TEXT)) {
                map.putAll(part.more());
            }
            wrapped.add(map);
        }
        return wrapped;
    }

    /** The calls of an assistant, their fields in the order in which vLLM has them. */
    private static List<Map<String, @Nullable Object>> calls(@Nullable Object value) {
        if (!(value instanceof List<?> list)) {
            throw refused("", CALLS + "it must be a list");
        }
        List<Map<String, @Nullable Object>> calls = new ArrayList<>();
        for (Object each : list) {
            if (each instanceof Map<?, ?> call && "custom".equals(call.get(TYPE)) && call.get("custom") instanceof Map<?, ?>) {
                throw refused(TOOL_CALLS, CALLS + "only calls of the type 'function' are known");
            }
            if (!(each instanceof Map<?, ?> call)
                    || !(call.get("id") instanceof String)
                    || !FUNCTION.equals(call.get(TYPE))
                    || !(call.get(FUNCTION) instanceof Map<?, ?> function)) {
                throw refused("", CALLS + "each needs an id, the type 'function', and a function");
            }
            if (!(function.get(NAME) instanceof String) || !(function.get(ARGUMENTS) instanceof String arguments)) {
                throw refused("", CALLS + "a function needs its name, and its arguments as a text");
            }
            Map<String, @Nullable Object> ordered = new LinkedHashMap<>();
            ordered.put("id", call.get("id"));
            Map<String, @Nullable Object> inner = new LinkedHashMap<>();
            inner.put(ARGUMENTS, arguments(arguments));
            inner.put(NAME, function.get(NAME));
            function.forEach((key, field) -> inner.putIfAbsent(String.valueOf(key), field));
            ordered.put(FUNCTION, inner);
            ordered.put(TYPE, FUNCTION);
            call.forEach((key, field) -> ordered.putIfAbsent(String.valueOf(key), field));
            calls.add(ordered);
        }
        return calls;
    }

    /** Templates want an object. What is none comes from the history, which no client can change any more, so it is empty. */
    private static Map<?, ?> arguments(String text) {
        try {
            return JsonValue.parse(text) instanceof Map<?, ?> map ? map : Map.of();
        } catch (MalformedJsonException e) {
            return Map.of();
        }
    }

    /**
     * For a template that knows no developer: it is the system, and the system speaks once, at the start. Nothing changes where
     * no developer speaks.
     */
    static List<Map<String, @Nullable Object>> withoutDeveloper(List<Map<String, @Nullable Object>> conversation) {
        if (conversation.stream().noneMatch(message -> DEVELOPER.equals(message.get(ROLE)))) {
            return conversation;
        }
        List<Map<String, @Nullable Object>> converted = new ArrayList<>();
        for (Map<String, @Nullable Object> message : conversation) {
            Map<String, @Nullable Object> copy = new LinkedHashMap<>(message);
            if (DEVELOPER.equals(copy.get(ROLE))) {
                copy.put(ROLE, SYSTEM);
                copy.remove("tools");
            }
            converted.add(copy);
        }
        List<Map<String, @Nullable Object>> systems =
                converted.stream().filter(message -> SYSTEM.equals(message.get(ROLE))).toList();
        if (systems.size() == 1 && converted.getFirst() == systems.getFirst()) {
            return converted;
        }
        Map<String, @Nullable Object> merged = new LinkedHashMap<>();
        merged.put(ROLE, SYSTEM);
        merged.put(
                CONTENT,
                systems.stream()
                        .map(message -> text(message.get(CONTENT)))
                        .filter(text -> !text.isEmpty())
                        .collect(Collectors.joining("\n\n")));
        converted.removeAll(systems);
        converted.addFirst(merged);
        return converted;
    }

    private static String text(@Nullable Object content) {
        if (content instanceof List<?> list) {
            return list.stream()
                    .map(part -> part instanceof Map<?, ?> map && map.get(TEXT) instanceof String text ? text : null)
                    .filter(text -> text != null)
                    .collect(Collectors.joining("\n"));
        }
        return content instanceof String text ? text : "";
    }
}
