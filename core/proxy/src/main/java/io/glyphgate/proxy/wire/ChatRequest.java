package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.spi.InvalidRequestException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request to {@code /v1/chat/completions}. */
public final class ChatRequest extends TextRequest {
    private static final Set<String> FIELDS = Set.of(
            "messages",
            "tools",
            "tool_choice",
            "parallel_tool_calls",
            "include_reasoning",
            "reasoning_effort",
            "top_logprobs",
            "max_completion_tokens",
            "add_generation_prompt",
            "continue_final_message",
            "documents",
            "chat_template",
            "chat_template_kwargs",
            "media_io_kwargs",
            "mm_processor_kwargs",
            "return_prompt_text",
            "modalities");

    private static final List<String> EFFORTS = List.of("none", "minimal", "low", "medium", "high", "xhigh", "max");
    private static final String TOOL_CHOICE = "tool_choice";
    private static final String TOOLS = "tools";
    private static final String THINKING = "enable_thinking";

    private @Nullable ChatBody chat;

    private ChatRequest(byte[] bytes) {
        super(bytes);
    }

    /**
     * Reads and checks all of it; what is wrong with a request that a server answers by itself is that server's to say.
     *
     * @param strict whether a field that is not known is refused
     * @throws InvalidBodyException if its shape is wrong
     * @throws InvalidRequestException if it contradicts itself, or asks for what cannot be had
     */
    public void check(boolean strict) {
        if (strict) {
            checkNames(FIELDS);
        }
        if (ChatBody.continuesAndPrompts(body)) {
            throw new InvalidRequestException("continue_final_message", ChatBody.CONTRADICTION);
        }
        checkTools();
        checkLogprobs();
        for (JsonNode modality : body.path("modalities")) {
            if (!modality.asText().equals("text")) {
                throw unsupported("modalities", "this proxy writes text");
            }
        }
        ChatBody read = ChatBody.read(fields);
        number("max_completion_tokens", 0);
        String effort = checkReading();
        checkCommon();
        chat = read.with(withReasoning(read.messages()), arguments(read, effort));
    }

    /**
     * Reads and checks what says how an output is read that is there already.
     *
     * @param strict whether a field that is not known is refused
     * @throws InvalidBodyException if its shape is wrong
     * @throws InvalidRequestException if it contradicts itself
     */
    public void checkOfOutput(boolean strict) {
        if (strict) {
            checkNames(FIELDS);
        }
        checkTools();
        checkLogprobs();
        ChatBody read = ChatBody.read(fields);
        String effort = checkReading();
        checkCommonOfOutput();
        chat = read.with(read.messages(), arguments(read, effort));
    }

    /** Checks what says how the output is read; gives the effort of reasoning, or null. */
    private @Nullable String checkReading() {
        fields.flag("include_reasoning", true, true);
        fields.flag("parallel_tool_calls", true, true);
        String effort = fields.textOrNull("reasoning_effort");
        if (effort != null && !EFFORTS.contains(effort)) {
            throw new InvalidRequestException("reasoning_effort", "reasoning_effort must be one of " + EFFORTS + ".");
        }
        return effort;
    }

    /**
     * Reads a request, as far as all doors must know it.
     *
     * @param bytes the body, UTF-8
     * @throws InvalidBodyException if it is no JSON object
     */
    public static ChatRequest of(byte[] bytes) {
        return new ChatRequest(bytes);
    }

    /** The older name of a message's reasoning is taken, too. */
    private static List<Map<String, @Nullable Object>> withReasoning(List<Map<String, @Nullable Object>> messages) {
        return messages.stream()
                .map(message -> {
                    if (message.get("reasoning_content") == null || message.get("reasoning") != null) {
                        return message;
                    }
                    Map<String, @Nullable Object> renamed = new LinkedHashMap<>(message);
                    renamed.put("reasoning", renamed.remove("reasoning_content"));
                    return renamed;
                })
                .toList();
    }

    private Map<String, @Nullable Object> arguments(ChatBody read, @Nullable String effort) {
        Map<String, @Nullable Object> arguments = new LinkedHashMap<>(read.templateArguments());
        if (body.hasNonNull("documents")) {
            arguments.put("documents", Fields.plain(body.get("documents")));
        }
        if (effort != null) {
            arguments.put("reasoning_effort", effort);
            arguments.putIfAbsent(THINKING, !effort.equals("none"));
        }
        return arguments;
    }

    private void checkTools() {
        JsonNode tools = body.path(TOOLS);
        JsonNode choice = body.path(TOOL_CHOICE);
        if (tools.isArray() && tools.isEmpty()) {
            throw new InvalidRequestException(
                    TOOLS, "`tools` must not be an empty array. Either provide at least one tool or omit the field entirely.");
        }
        if (choice.isMissingNode() || choice.isNull() || choice.asText().equals("none")) {
            return;
        }
        if (!tools.isArray()) {
            throw new InvalidRequestException(TOOL_CHOICE, "When using `tool_choice`, `tools` must be set.");
        }
        if (choice.isObject()) {
            String name = choice.path("function").path("name").asText();
            if (name.isEmpty()) {
                throw new InvalidRequestException(
                        "tool_choice.function.name",
                        "tool_choice names no function: send {\"type\": \"function\", \"function\": {\"name\": ...}}.");
            }
            for (JsonNode tool : tools) {
                if (tool.path("function").path("name").asText().equals(name)) {
                    return;
                }
            }
            throw new InvalidRequestException(
                    TOOL_CHOICE, "The tool specified in `tool_choice` does not match any of the specified `tools`");
        }
        if (!List.of("auto", "required").contains(choice.asText())) {
            throw new InvalidRequestException(
                    TOOL_CHOICE,
                    "Invalid value for `tool_choice`: " + choice.asText() + "! Only named tools, \"none\", \"auto\" or"
                            + " \"required\" are supported.");
        }
    }

    private void checkLogprobs() {
        boolean logprobs = fields.flag("logprobs", false, true);
        long top = number("top_logprobs", 0);
        if (top < -1) {
            throw new InvalidRequestException("top_logprobs", "`top_logprobs` must be a positive value or -1.");
        }
        if (top != 0 && !logprobs) {
            throw new InvalidRequestException("top_logprobs", "when using `top_logprobs`, `logprobs` must be set to true.");
        }
        if (!body.path("logprob_token_ids").isEmpty() && !logprobs) {
            throw new InvalidRequestException(
                    "logprob_token_ids", "when using `logprob_token_ids`, `logprobs` must be set to true.");
        }
    }

    /** The messages, and how they become a prompt; only after the {@linkplain #check check}. */
    public ChatBody chat() {
        return Objects.requireNonNull(chat, "the request was not checked");
    }

    @Override
    public boolean addSpecialTokens() {
        return fields.flag("add_special_tokens", false, true);
    }

    @Override
    public OutputWishes wishes() {
        boolean asked = fields.flag("logprobs", false, true);
        return wishes(asked || outputOnly(), outputOnly() && !asked ? ChatLogprobs.ALL : number("top_logprobs", 0));
    }

    /** Whether the client offers functions and does not forbid calls. */
    public boolean offersCalls() {
        return body.hasNonNull(TOOLS)
                && !body.path(TOOL_CHOICE).asText().equals("none")
                && !(body.has(TOOL_CHOICE) && body.get(TOOL_CHOICE).isNull());
    }

    /** What the client says about parsing. */
    public ParseRequest parseRequest() {
        return ParseRequestReader.read(null, body);
    }

    /** Whether the client demands a call. */
    public boolean demandsCalls() {
        return body.path(TOOL_CHOICE).isObject() || body.path(TOOL_CHOICE).asText().equals("required");
    }

    /** The role of the answer: that of the last message where it goes on with that. */
    public String answerRole() {
        return outputOnly() || chat().addGenerationPrompt() || chat().messages().isEmpty()
                ? "assistant"
                : String.valueOf(chat().messages().getLast().get("role"));
    }

    /** The text that an echo puts before the output: that of the last message, if the answer goes on with it. */
    public String echoedText() {
        if (chat().messages().isEmpty() || !answerRole().equals(chat().messages().getLast().get("role"))) {
            return "";
        }
        return switch (chat().messages().getLast().get("content")) {
            case String text -> text;
            case List<?> parts -> String.join(
                    "\n",
                    parts.stream()
                            .map(part -> part instanceof Map<?, ?> map && map.get("text") instanceof String text ? text : "")
                            .toList());
            case null, default -> "";
        };
    }

    @Override
    @Nullable Long maxTokens() {
        String name = body.hasNonNull("max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
        return body.hasNonNull(name) ? Long.valueOf(number(name, 0)) : null;
    }

    @Override
    void addSampling(ObjectNode sampling) {
        if (fields.flag("logprobs", false, true) && body.path("logprob_token_ids").isEmpty()) {
            sampling.put("logprobs", number("top_logprobs", 0));
        }
        if (body.hasNonNull("prompt_logprobs")) {
            sampling.put("prompt_logprobs", number("prompt_logprobs", 0));
        } else if (fields.flag("echo", false, true) && !stream()) {
            sampling.put("prompt_logprobs", number("top_logprobs", 0));
        }
    }

    @Override
    void addFields(ObjectNode generate, ModelRules rules) {
        boolean reasoning = includesReasoning();
        Map<String, @Nullable Object> arguments = new LinkedHashMap<>(rules.templateDefaults());
        arguments.putAll(chat().templateArguments());
        ObjectNode context = generate.putObject("parse_context");
        if (body.hasNonNull(TOOLS)) {
            context.set(TOOLS, body.get(TOOLS));
        }
        JsonNode choice = body.path(TOOL_CHOICE);
        context.set(
                TOOL_CHOICE,
                choice.isNull() || choice.isMissingNode()
                        ? Json.MAPPER.getNodeFactory().textNode(choice.isMissingNode() && body.hasNonNull(TOOLS) ? "auto" : "none")
                        : choice);
        context.put("parallel_tool_calls", fields.flag("parallel_tool_calls", true, true));
        context.put("include_reasoning", reasoning);
        context.set("chat_template_kwargs", Json.MAPPER.valueToTree(arguments));
        int earlier = 0;
        for (JsonNode message : body.path("messages")) {
            earlier += message.path("tool_calls").size();
        }
        context.put("history_tool_call_cnt", earlier);
        if (generate.path("sampling_params").has(Constraint.FIELD)) {
            // the server applies a constraint from where the reasoning ends, unless it says what reasoning looks like itself
            if (!reasoning || rules.calls().whole()) {
                generate.put("reasoning_ended", true);
            }
            if (rules.reasons()) {
                generate.putObject("reasoning_parser_kwargs")
                        .set("chat_template_kwargs", Json.MAPPER.valueToTree(arguments));
            }
        }
    }

    @Override
    void addParsing(ObjectNode rendered, ModelRules rules, RenderedParsing parsed) {
        ObjectNode context = rendered.objectNode();
        context.putNull(TOOLS);
        context.setAll((ObjectNode) rendered.get("parse_context"));
        rendered.set("parse_context", context);
        ObjectNode arguments = context.objectNode();
        arguments.put("add_generation_prompt", chat().addGenerationPrompt());
        arguments.put("continue_final_message", chat().continueFinalMessage());
        arguments.setAll((ObjectNode) context.get("chat_template_kwargs"));
        context.set("chat_template_kwargs", arguments);
        if (rules.reasons()) {
            rendered.putObject("reasoning_parser_kwargs").set("chat_template_kwargs", arguments);
            if (!includesReasoning()) {
                rendered.put("reasoning_ended", true);
            } else {
                parsed.reasoningEnded().ifPresent(ended -> rendered.put("reasoning_ended", ended));
            }
        }
    }

    private boolean includesReasoning() {
        return fields.flag("include_reasoning", true, true);
    }
}
