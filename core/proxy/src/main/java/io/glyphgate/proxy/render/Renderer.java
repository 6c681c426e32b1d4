package io.glyphgate.proxy.render;

import io.glyphgate.proxy.wire.ChatBody;
import io.glyphgate.spi.ChatTemplate;
import io.glyphgate.spi.ChatTemplate.ContentFormat;
import io.glyphgate.spi.ChatTemplateException;
import io.glyphgate.spi.ChatTemplateProvider;
import io.glyphgate.spi.InvalidRequestException;
import java.time.Clock;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes a prompt of messages, as vLLM 0.33 does with transformers 5.19. One for each model; used by many threads at once. A
 * template of the model is compiled when it is first needed, one of a client each time.
 */
public final class Renderer {
    private static final String CHAT_TEMPLATE = "chat_template";
    private static final String DEFAULT = "default";
    private static final String TOOL_USE = "tool_use";
    private static final String CONTENT = "content";
    private static final String ADD_GENERATION_PROMPT = "add_generation_prompt";
    private static final String TEXT = "text";
    private static final String TAG = "CONTINUE_FINAL_MESSAGE_TAG ";
    private static final String NO_TEMPLATE = "As of transformers v4.44, default chat template is no longer allowed, so you must "
            + "provide a chat template if the tokenizer does not define one.";

    /** The settings whose tokens a template can print. */
    private static final List<String> SPECIAL_TOKENS =
            List.of("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token");

    /** Arguments that are meant for the tokenizer's own method, not for the template. */
    private static final Set<String> NOT_FOR_TEMPLATES = Set.of(
            CHAT_TEMPLATE,
            "tokenize",
            "padding",
            "truncation",
            "max_length",
            "return_tensors",
            "return_dict",
            "tokenizer_kwargs",
            ADD_GENERATION_PROMPT,
            "continue_final_message");

    private final ChatTemplateProvider engine;
    private final Map<String, String> sources;
    private final @Nullable String server;
    private final Optional<ContentFormat> format;
    private final Map<String, @Nullable Object> defaults;
    private final Map<String, String> specialTokens;
    private final Clock clock;
    private final Map<String, ChatTemplate> compiled = new ConcurrentHashMap<>();

    /**
     * A renderer.
     *
     * @param engine compiles templates
     * @param settings the settings of the model's tokenizer, its templates included
     * @param server the template that the operator gives in place of the tokenizer's; null if none is given
     * @param format how templates take contents; empty to see it in each
     * @param defaults arguments of templates where a client gives none
     * @param clock what templates see of the time
     */
    public Renderer(
            ChatTemplateProvider engine,
            Map<String, @Nullable Object> settings,
            @Nullable String server,
            Optional<ContentFormat> format,
            Map<String, @Nullable Object> defaults,
            Clock clock) {
        this.engine = engine;
        this.server = server;
        this.format = format;
        this.defaults = defaults;
        this.clock = clock;
        sources = sources(settings.get(CHAT_TEMPLATE));
        specialTokens = specialTokens(settings);
    }

    private static Map<String, String> sources(@Nullable Object template) {
        Map<String, String> sources = new LinkedHashMap<>();
        if (template instanceof String text) {
            sources.put(DEFAULT, text);
        } else if (template instanceof Map<?, ?> named) {
            named.forEach((name, text) -> sources.put(String.valueOf(name), String.valueOf(text)));
        }
        return sources;
    }

    private static Map<String, String> specialTokens(Map<String, @Nullable Object> settings) {
        Map<String, String> tokens = new LinkedHashMap<>();
        for (String name : SPECIAL_TOKENS) {
            Object token = settings.get(name);
            if (token instanceof Map<?, ?> map) {
                token = map.get(CONTENT);
            }
            if (token instanceof String text) {
                tokens.put(name, text);
            }
        }
        return tokens;
    }

    /** The templates of the model: the operator's, or the tokenizer's by name; possibly none. */
    public List<String> templates() {
        return server == null ? List.copyOf(sources.values()) : List.of(server);
    }

    /**
     * Compiles the templates of the model, so that no request has to wait for it.
     *
     * @throws ChatTemplateException if one of them is wrong, which requests that need it are told again
     */
    public void compile() throws ChatTemplateException {
        for (String source : templates()) {
            template(source);
        }
    }

    /**
     * Makes the prompt.
     *
     * @param chat the messages
     * @param trusted whether a template of the client may be used
     * @throws InvalidRequestException if it cannot be made: the message says why, in the template's own words if it refuses
     */
    public String render(ChatBody chat, boolean trusted) {
        Object ofArguments = chat.templateArguments().get(CHAT_TEMPLATE);
        if (!trusted && (chat.chatTemplate() != null || ofArguments != null)) {
            throw refused("Chat template is passed with request, but trust-request-chat-template is not set. "
                    + "Refused request with untrusted chat template.");
        }
        chat.mediaArguments().ifPresent(field -> {
            throw new InvalidRequestException(field, field + " cannot be used: this proxy renders text.");
        });
        try {
            String source = source(chat, ofArguments);
            return render(chat, source, template(source));
        } catch (ChatTemplateException e) {
            throw refused(e.reason());
        }
    }

    private static InvalidRequestException refused(String message) {
        return new InvalidRequestException("", message);
    }

    private String source(ChatBody chat, @Nullable Object ofArguments) {
        String own = chat.chatTemplate();
        if (own == null || own.isEmpty()) {
            own = server == null && ofArguments instanceof String text ? text : server;
        }
        if (own != null) {
            return sources.getOrDefault(own, own); // a client may name one of several
        }
        String source = chat.tools() != null ? sources.get(TOOL_USE) : null;
        if (source == null) {
            source = sources.get(DEFAULT);
        }
        if (source == null) {
            throw refused(NO_TEMPLATE);
        }
        return source;
    }

    private ChatTemplate template(String source) throws ChatTemplateException {
        boolean known = source.equals(server) || sources.containsValue(source);
        ChatTemplate template = compiled.get(source);
        if (template == null) {
            template = engine.compile(source);
            if (known) {
                compiled.put(source, template);
            }
        }
        return template;
    }

    private String render(ChatBody chat, String source, ChatTemplate template) throws ChatTemplateException {
        List<Map<String, @Nullable Object>> messages =
                new Conversation(format.orElseGet(template::contentFormat), chat.version2()).of(chat.messages());
        if (!chat.version2() && !source.contains("\"developer\"") && !source.contains("'developer'")) {
            messages = Conversation.withoutDeveloper(messages);
        }
        if (messages.isEmpty()) {
            throw refused("Cannot apply chat template to an empty conversation. Provide at least one message.");
        }
        Map<String, @Nullable Object> variables = variables(chat);
        boolean prompt = Boolean.TRUE.equals(variables.get(ADD_GENERATION_PROMPT));
        Optional<String> continued = Optional.empty();
        if (chat.continueFinalMessage()) {
            if (prompt) {
                throw refused("continue_final_message and add_generation_prompt are not compatible: set add_generation_prompt to "
                        + "false to continue the final message.");
            }
            continued = Optional.of(markLast(messages, source));
        }
        variables.put("messages", messages);
        String text = template.render(variables, LocalDateTime.now(clock));
        return continued.isPresent() ? cut(text, continued.get()) : text;
    }

    private Map<String, @Nullable Object> variables(ChatBody chat) {
        Map<String, @Nullable Object> arguments = new LinkedHashMap<>(defaults);
        chat.templateArguments().forEach((name, value) -> {
            if (value != null && !value.equals("auto")) {
                arguments.put(name, value);
            }
        });
        for (String taken : List.of("conversation", "messages")) {
            if (arguments.containsKey(taken)) {
                throw refused("chat_template_kwargs cannot hold '" + taken + "': the proxy fills it in.");
            }
        }
        checkDocuments(arguments.get("documents"));
        Map<String, @Nullable Object> variables = new LinkedHashMap<>(specialTokens);
        variables.put("tools", chat.tools());
        variables.put("documents", null);
        arguments.forEach((name, value) -> {
            if (!NOT_FOR_TEMPLATES.contains(name)) {
                variables.put(name, value);
            }
        });
        boolean prompt = chat.addGenerationPrompt();
        if (chat.version2() && arguments.get(ADD_GENERATION_PROMPT) instanceof Boolean given) {
            prompt = given; // vLLM 0.8.2 let the arguments win
        }
        variables.put(ADD_GENERATION_PROMPT, prompt);
        return variables;
    }

    private static void checkDocuments(@Nullable Object documents) {
        if (documents != null
                && !(documents instanceof List<?> list && list.stream().allMatch(each -> each instanceof Map<?, ?>))) {
            throw refused("documents must be a list of objects with 'title' and 'text'.");
        }
    }

    /** Marks the end of the last message, to find it in the prompt; gives its text. */
    private static String markLast(List<Map<String, @Nullable Object>> messages, String source) {
        Map<String, @Nullable Object> last = new LinkedHashMap<>(messages.getLast());
        messages.set(messages.size() - 1, last);
        Object content = last.get(CONTENT);
        if (!source.contains(CONTENT)) {
            throw refused("continue_final_message is set, but the chat template knows no 'content'.");
        }
        if (content instanceof String text) {
            last.put(CONTENT, text + TAG);
            return text;
        }
        if (content instanceof List<?> list) {
            List<@Nullable Object> parts = new ArrayList<>(list);
            for (int i = parts.size() - 1; i >= 0; i--) {
                if (parts.get(i) instanceof Map<?, ?> part && part.get(TEXT) instanceof String text) {
                    Map<Object, @Nullable Object> marked = new LinkedHashMap<>(part);
                    marked.put(TEXT, text + TAG);
                    parts.set(i, marked);
                    last.put(CONTENT, parts);
                    return text;
                }
            }
        }
        throw refused("continue_final_message is set, but the final message has no text to continue.");
    }

    /** Cuts the prompt behind the last message. */
    private static String cut(String text, String last) {
        String bare = TAG.strip();
        int at = text.lastIndexOf(bare);
        if (at < 0 || !text.contains(last.strip())) {
            throw refused("continue_final_message is set, but the final message does not appear in the prompt: the chat template "
                    + "deletes a part of it.");
        }
        String before = text.substring(0, at);
        return text.startsWith(TAG, at) ? before : before.stripTrailing();
    }
}
