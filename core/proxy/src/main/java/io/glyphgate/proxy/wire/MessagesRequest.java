package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.spi.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A request to {@code /v1/messages} or {@code /v1/messages/count_tokens}, Anthropic's, and the chat that it stands for. Which field
 * becomes which is vLLM 0.33's.
 */
public final class MessagesRequest {
    private static final String MESSAGES = "messages";
    private static final String SYSTEM = "system";
    private static final String ROLE = "role";
    private static final String CONTENT = "content";
    private static final String TYPE = "type";
    private static final String TEXT = "text";
    private static final String NAME = "name";
    private static final String USER = "user";
    private static final String ASSISTANT = "assistant";
    private static final String TOOLS = "tools";
    private static final String TOOL_CHOICE = "tool_choice";
    private static final String THINKING = "thinking";
    private static final String OUTPUT = "output_config";
    private static final String FUNCTION = "function";
    private static final String INPUT_SCHEMA = "input_schema";
    private static final String TOOL_REFERENCE = "tool_reference";
    private static final String TOOL_CALL_ID = "tool_call_id";
    private static final String STOPS = "stop_sequences";
    private static final String LENGTH = "max_tokens";
    private static final String EFFORT = "reasoning_effort";
    private static final int LEAST_BUDGET = 1024;

    /** A line that a client puts before its instructions, with a value that differs each time; vLLM drops it. */
    private static final String BILLING_HEADER = "x-anthropic-billing-header";

    /** Fields that a chat has under the same name. */
    private static final List<String> SAME = List.of(
            "model",
            "temperature",
            "top_p",
            "top_k",
            "cache_salt",
            "watermarking",
            "kv_transfer_params",
            "ec_transfer_params",
            "vllm_xargs",
            "chat_template_kwargs");

    private static final Set<String> CHANGED =
            Set.of(MESSAGES, SYSTEM, LENGTH, STOPS, "stream", TOOLS, TOOL_CHOICE, THINKING, OUTPUT);

    /** Fields that change nothing in the answer of a model that one runs oneself. */
    private static final Set<String> WITHOUT_EFFECT =
            Set.of("metadata", "service_tier", "inference_geo", "cache_control", "mm_payload", "return_mm_kwargs");

    private static final List<String> EFFORTS = List.of("low", "medium", "high", "xhigh", "max");

    private final ObjectNode body;
    private final Fields fields;

    private MessagesRequest(ObjectNode body) {
        this.body = body;
        fields = new Fields(body, List.of(Invalid.BODY), new ArrayList<>());
    }

    /**
     * Reads a request, as far as all doors must know it.
     *
     * @param bytes the body, UTF-8
     * @throws InvalidBodyException if it is no JSON object
     */
    public static MessagesRequest of(byte[] bytes) {
        return new MessagesRequest(Fields.body(bytes, true));
    }

    /** The model; empty if none is named. */
    public Optional<String> model() {
        return Optional.ofNullable(fields.textOrNull("model")).filter(name -> !name.isEmpty());
    }

    /**
     * Checks what a chat does not check.
     *
     * @param strict whether a field that is not known is refused
     * @param answered whether an answer is wanted, and not only a count of tokens
     * @throws InvalidBodyException if its shape is wrong
     * @throws InvalidRequestException if it asks for what cannot be had
     */
    public void check(boolean strict, boolean answered) {
        if (strict) {
            body.properties().forEach(field -> {
                String name = field.getKey();
                if (!SAME.contains(name) && !CHANGED.contains(name) && !WITHOUT_EFFECT.contains(name) && !field.getValue().isNull()) {
                    throw TextRequest.unknown(name);
                }
            });
        }
        fields.textOrNull("model");
        fields.list(MESSAGES);
        fields.flag("stream", false, true);
        fields.objectOrNull(OUTPUT);
        fields.objectOrNull(THINKING);
        fields.objectOrNull(TOOL_CHOICE);
        fields.listOrNull(TOOLS, true);
        fields.listOrNull(STOPS, true);
        if (answered && fields.has(LENGTH)) {
            fields.number(LENGTH, 1);
        } else if (answered) {
            fields.missing(LENGTH);
        }
        Fields.check(fields.faults());
        if (answered && fields.number(LENGTH, 1) < 1) {
            throw new InvalidRequestException(LENGTH, "max_tokens must be positive.");
        }
        for (JsonNode stop : body.path(STOPS)) {
            if (stop.asText().isEmpty()) {
                throw new InvalidRequestException(STOPS, "stop_sequences cannot contain an empty string.");
            }
        }
        checkThinking(answered);
    }

    private void checkThinking(boolean answered) {
        JsonNode thinking = body.path(THINKING);
        if (thinking.isObject() && !List.of("enabled", "disabled", "adaptive").contains(thinking.path(TYPE).asText())) {
            throw new InvalidRequestException("thinking.type", "thinking.type must be enabled, disabled or adaptive.");
        }
        if (thinking.path(TYPE).asText().equals("enabled")) {
            JsonNode budget = thinking.path("budget_tokens");
            if (!budget.isIntegralNumber() || budget.longValue() < LEAST_BUDGET) {
                throw new InvalidRequestException(
                        "thinking.budget_tokens", "thinking.budget_tokens must be a number of tokens, at least " + LEAST_BUDGET + ".");
            }
            if (answered && budget.longValue() >= fields.number(LENGTH, 0)) {
                throw new InvalidRequestException(
                        "thinking.budget_tokens", "thinking.budget_tokens must be less than max_tokens.");
            }
        }
        JsonNode effort = body.path(OUTPUT).path("effort");
        if (!effort.isMissingNode() && !effort.isNull() && !EFFORTS.contains(effort.asText())) {
            throw new InvalidRequestException("output_config.effort", "output_config.effort must be one of " + EFFORTS + ".");
        }
    }

    /** Whether the system speaks between other messages, which not every chat template takes. */
    public boolean hasLaterSystem() {
        for (JsonNode message : body.path(MESSAGES)) {
            if (message.path(ROLE).asText().equals(SYSTEM)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the client wants no thinking. */
    public boolean disablesThinking() {
        return body.path(THINKING).path(TYPE).asText().equals("disabled");
    }

    /**
     * The chat that this stands for; only after the {@linkplain #check check}.
     *
     * @param systemFirst whether the chat template takes the system at the start only, so that all that it says goes there
     * @param noThinking the {@code reasoning_effort} that keeps the model from thinking, or nearly so
     * @throws InvalidRequestException if a message or a tool cannot be used
     */
    public ChatRequest chat(boolean systemFirst, String noThinking) {
        ObjectNode chat = Json.MAPPER.createObjectNode();
        for (String name : SAME) {
            if (body.hasNonNull(name)) {
                chat.set(name, body.get(name));
            }
        }
        if (body.hasNonNull(LENGTH)) {
            chat.set("max_completion_tokens", body.get(LENGTH));
        }
        if (!body.path(STOPS).isEmpty()) {
            chat.set("stop", body.get(STOPS));
        }
        if (fields.flag("stream", false, true)) {
            chat.put("stream", true);
            chat.putObject("stream_options").put("include_usage", true); // only so do servers tell of cached tokens
        }
        messages(systemFirst, chat.putArray(MESSAGES));
        tools(chat);
        JsonNode schema = body.path(OUTPUT).path("format").path("schema");
        if (schema.isObject()) {
            chat.putObject("response_format").put(TYPE, "json_schema").putObject("json_schema").put(NAME, "json_schema")
                    .set("schema", schema);
        }
        if (body.path(OUTPUT).hasNonNull("effort")) {
            chat.set(EFFORT, body.path(OUTPUT).get("effort"));
        }
        switch (body.path(THINKING).path(TYPE).asText()) {
            case "disabled" -> chat.put(EFFORT, noThinking);
            case "enabled" -> chat.set("thinking_token_budget", body.path(THINKING).get("budget_tokens"));
            default -> {
                // the model thinks as it likes
            }
        }
        try {
            return ChatRequest.of(Json.MAPPER.writeValueAsBytes(chat));
        } catch (JsonProcessingException e) {
            throw new AssertionError("a tree is always JSON", e);
        }
    }

    private void messages(boolean systemFirst, ArrayNode chat) {
        StringBuilder first = new StringBuilder();
        JsonNode instructions = body.path(SYSTEM);
        if (instructions.isTextual()) {
            first.append(instructions.textValue());
        } else {
            first.append(systemText(instructions, SYSTEM));
        }
        JsonNode messages = body.path(MESSAGES);
        for (int i = 0; systemFirst && i < messages.size(); i++) {
            if (messages.get(i).path(ROLE).asText().equals(SYSTEM)) {
                first.append(laterSystemText(messages.get(i), i));
            }
        }
        if (!first.isEmpty()) {
            chat.addObject().put(ROLE, SYSTEM).put(CONTENT, first.toString());
        }
        for (int i = 0; i < messages.size(); i++) {
            JsonNode message = messages.get(i);
            switch (message.path(ROLE).asText()) {
                case SYSTEM -> {
                    String text = systemFirst ? "" : laterSystemText(message, i);
                    if (!text.isEmpty()) {
                        chat.addObject().put(ROLE, SYSTEM).put(CONTENT, text);
                    }
                }
                case USER, ASSISTANT -> message(message, i, chat);
                default -> throw refused(MESSAGES + "." + i + ".role", "role must be user, assistant or system");
            }
        }
    }

    private static String laterSystemText(JsonNode message, int i) {
        JsonNode content = message.path(CONTENT);
        if (content.isTextual()) {
            return content.textValue().startsWith(BILLING_HEADER) ? "" : content.textValue();
        }
        return systemText(content, MESSAGES + "." + i + ".content");
    }

    /** The text of blocks of the system; empty without any. */
    private static String systemText(JsonNode blocks, String path) {
        if (!blocks.isArray() && !blocks.isMissingNode() && !blocks.isNull()) {
            throw refused(path, "it must be a text, or a list of blocks");
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < blocks.size(); i++) {
            if (!blocks.get(i).path(TYPE).asText().equals(TEXT)) {
                throw unknownBlock(blocks.get(i), path + "." + i);
            }
            String said = text(blocks.get(i), TEXT, path + "." + i);
            text.append(said.startsWith(BILLING_HEADER) ? "" : said);
        }
        return text.toString();
    }

    private static void message(JsonNode message, int i, ArrayNode chat) {
        String role = message.path(ROLE).asText();
        JsonNode content = message.path(CONTENT);
        String path = MESSAGES + "." + i + ".content";
        if (content.isTextual()) {
            chat.addObject().put(ROLE, role).set(CONTENT, content);
            return;
        }
        if (!content.isArray()) {
            throw refused(path, "it must be a text, or a list of blocks");
        }
        ArrayNode parts = Json.MAPPER.createArrayNode();
        ArrayNode calls = Json.MAPPER.createArrayNode();
        StringBuilder reasoning = new StringBuilder();
        boolean thinks = false;
        for (int j = 0; j < content.size(); j++) {
            JsonNode block = content.get(j);
            String where = path + "." + j;
            boolean assistant = role.equals(ASSISTANT);
            switch (block.path(TYPE).asText()) {
                case TEXT -> {
                    String text = text(block, TEXT, where);
                    if (!text.isEmpty()) {
                        parts.addObject().put(TYPE, TEXT).put(TEXT, text);
                    }
                }
                case THINKING -> {
                    requireRole(assistant, block, where);
                    reasoning.append(text(block, THINKING, where));
                    thinks = true;
                }
                case "redacted_thinking" -> requireRole(assistant, block, where); // nobody here can read it
                case "tool_use" -> {
                    requireRole(assistant, block, where);
                    calls.add(call(block, where));
                }
                case "tool_result" -> {
                    requireRole(!assistant, block, where);
                    result(block, where, chat);
                }
                default -> throw unknownBlock(block, where);
            }
        }
        if (role.equals(USER) && parts.isEmpty()) {
            return; // results only, which stand by themselves
        }
        ObjectNode said = chat.addObject().put(ROLE, role);
        if (thinks) {
            said.put("reasoning", reasoning.toString());
        }
        if (!calls.isEmpty()) {
            said.set("tool_calls", calls);
        }
        if (parts.size() == 1) {
            said.set(CONTENT, parts.get(0).get(TEXT));
        } else if (!parts.isEmpty()) {
            said.set(CONTENT, parts);
        }
    }

    private static void requireRole(boolean right, JsonNode block, String where) {
        if (!right) {
            throw refused(where + ".type", "a block of type " + block.path(TYPE).asText() + " has no place in a message of this role");
        }
    }

    private static ObjectNode call(JsonNode block, String where) {
        ObjectNode call = Json.MAPPER.createObjectNode().put("id", text(block, "id", where)).put(TYPE, FUNCTION);
        JsonNode input = block.path("input");
        if (!input.isObject() && !input.isMissingNode() && !input.isNull()) {
            throw refused(where + ".input", "it must be an object");
        }
        call.putObject(FUNCTION).put(NAME, text(block, NAME, where)).put("arguments", input.isObject() ? input.toString() : "{}");
        return call;
    }

    /** The result of a call is a message of its own, and so are the tools that it names. */
    private static void result(JsonNode block, String where, ArrayNode chat) {
        String id = text(block, "tool_use_id", where);
        JsonNode content = block.path(CONTENT);
        StringBuilder text = new StringBuilder(content.asText(""));
        ArrayNode references = Json.MAPPER.createArrayNode();
        boolean first = true;
        for (int i = 0; content.isArray() && i < content.size(); i++) {
            JsonNode item = content.get(i);
            String place = where + ".content." + i;
            switch (item.path(TYPE).asText()) {
                case TEXT -> {
                    text.append(first ? "" : "\n").append(text(item, TEXT, place));
                    first = false;
                }
                case TOOL_REFERENCE -> references
                        .addObject()
                        .put(TYPE, TOOL_REFERENCE)
                        .put(NAME, text(item, item.has("tool_name") ? "tool_name" : NAME, place));
                default -> throw unknownBlock(item, place);
            }
        }
        chat.addObject().put(ROLE, "tool").put(TOOL_CALL_ID, id).put(CONTENT, text.toString());
        if (!references.isEmpty()) {
            chat.addObject().put(ROLE, "tool").put(TOOL_CALL_ID, id).set(CONTENT, references);
        }
    }

    private static String text(JsonNode block, String field, String where) {
        JsonNode text = block.path(field);
        if (!text.isTextual()) {
            throw refused(where + "." + field, "it must be a text");
        }
        return text.textValue();
    }

    private static InvalidRequestException unknownBlock(JsonNode block, String where) {
        String type = block.path(TYPE).asText();
        return refused(
                where + (type.isEmpty() ? "" : ".type"),
                type.isEmpty()
                        ? "a block must be an object with a type"
                        : "a block of type " + type + " cannot be used here: this proxy renders text, thinking, tool_use and tool_result");
    }

    private static InvalidRequestException refused(String param, String message) {
        return new InvalidRequestException(param, param + ": " + message + ".");
    }

    private void tools(ObjectNode chat) {
        JsonNode tools = body.path(TOOLS);
        JsonNode choice = body.path(TOOL_CHOICE);
        boolean demanded = List.of("any", "tool").contains(choice.path(TYPE).asText());
        if (tools.isEmpty() && !demanded) {
            return;
        }
        ArrayNode offered = Json.MAPPER.createArrayNode();
        for (int i = 0; i < tools.size(); i++) {
            offered.add(tool(tools.get(i), TOOLS + "." + i));
        }
        if (!offered.isEmpty()) {
            chat.set(TOOLS, offered);
        }
        chat.put("parallel_tool_calls", !choice.path("disable_parallel_tool_use").asBoolean(false));
        switch (choice.path(TYPE).asText(choice.isObject() ? "" : "auto")) {
            case "auto" -> chat.put(TOOL_CHOICE, "auto");
            case "none" -> chat.put(TOOL_CHOICE, "none");
            case "any" -> chat.put(TOOL_CHOICE, "required");
            case "tool" -> chat.putObject(TOOL_CHOICE).put(TYPE, FUNCTION).putObject(FUNCTION)
                    .put(NAME, text(choice, NAME, TOOL_CHOICE));
            default -> throw refused("tool_choice.type", "it must be auto, any, tool or none");
        }
    }

    private static ObjectNode tool(JsonNode tool, String where) {
        String type = tool.path(TYPE).asText("custom");
        if (!tool.isObject() || !List.of("custom", "null").contains(type)) {
            throw refused(where + ".type", "a tool of type " + type + " runs at Anthropic only: give a function with an input_schema");
        }
        if (!(tool.path(INPUT_SCHEMA) instanceof ObjectNode given)) {
            throw refused(where + "." + INPUT_SCHEMA, "it must be an object");
        }
        ObjectNode schema = given.deepCopy();
        if (!schema.has(TYPE)) {
            schema.put(TYPE, "object");
        }
        ObjectNode converted = Json.MAPPER.createObjectNode().put(TYPE, FUNCTION);
        ObjectNode function = converted.putObject(FUNCTION).put(NAME, text(tool, NAME, where));
        if (tool.hasNonNull("description")) {
            function.put("description", text(tool, "description", where));
        }
        function.set("parameters", schema);
        for (String flag : List.of("strict", "defer_loading")) {
            if (tool.path(flag).isBoolean()) {
                function.set(flag, tool.get(flag));
            }
        }
        return converted;
    }
}
