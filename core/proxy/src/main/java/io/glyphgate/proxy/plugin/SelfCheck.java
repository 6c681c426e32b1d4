package io.glyphgate.proxy.plugin;

import io.glyphgate.spi.ChatTemplate;
import io.glyphgate.spi.ChatTemplateException;
import io.glyphgate.spi.ChatTemplateProvider;
import io.glyphgate.spi.ChoiceParser;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.DeltaSink;
import io.glyphgate.spi.EndpointDiscoveryProvider;
import io.glyphgate.spi.FinishReason;
import io.glyphgate.spi.GenerateRequest;
import io.glyphgate.spi.KvConnectorProvider;
import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.PoolPolicyProvider;
import io.glyphgate.spi.Provider;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.TokenDelta;
import io.glyphgate.spi.Tokenizer;
import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParserProvider;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Uses a provider once, cheaply, at the start. Java finds a missing class only when it is needed; this moves that
 * moment from the first request to the start. Tokenizers are not loaded: that needs a source.
 */
final class SelfCheck {
    private static final Pattern NAME = Pattern.compile("[a-z0-9_-]+");

    private static final String FUNCTION = "self_check";

    /** A provider breaks a rule of the SPI. */
    static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;

        private Failure(String message) {
            super(message);
        }
    }

    private SelfCheck() {}

    /**
     * Uses a provider.
     *
     * @throws Failure if it breaks a rule of the SPI; the message says which
     */
    static void run(PluginKind kind, Provider provider) {
        require(provider.name(), "name() gave null");
        require(provider.aliases(), "aliases() gave null");
        checkName("name", provider.name());
        for (String alias : provider.aliases()) {
            checkName("alias", alias);
        }
        if (provider.aliases().contains(provider.name())) {
            throw new Failure("its aliases hold its name '" + provider.name() + "'");
        }
        if (provider instanceof ParserProvider parser) {
            require(parser.markers(), "markers() gave null");
            if (parser.markers().stream().anyMatch(String::isEmpty)) {
                throw new Failure("markers() holds an empty text");
            }
        }
        switch (kind) {
            case REASONING_PARSER -> {
                ReasoningParserProvider reasoning = (ReasoningParserProvider) provider;
                parse(reasoning, reasoning::create);
            }
            case TOOL_PARSER -> {
                ToolParserProvider tools = (ToolParserProvider) provider;
                require(tools.openers(), "openers() gave null");
                parse(tools, tools::create);
            }
            case PARSER -> {
                CombinedParserProvider combined = (CombinedParserProvider) provider;
                parse(combined, combined::create);
            }
            case OUTPUT_MODE -> openMode((OutputModeProvider) provider);
            case POOL_POLICY -> create(((PoolPolicyProvider) provider)::create);
            case KV_CONNECTOR -> create(((KvConnectorProvider) provider)::create);
            case ENDPOINT_DISCOVERY -> create(options -> ((EndpointDiscoveryProvider) provider)
                    .create(new DiscoveryContext("self-check", options, Path.of("").toAbsolutePath())));
            case CHAT_TEMPLATE -> render((ChatTemplateProvider) provider);
            case TOKENIZER -> {}
        }
    }

    private static void checkName(String what, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new Failure("its " + what + " '" + name
                    + "' holds something other than lower-case letters, digits, '-' and '_'");
        }
    }

    /** A plugin need not be compiled with a null checker. */
    private static void require(@Nullable Object result, String fault) {
        if (result == null) {
            throw new Failure(fault);
        }
    }

    /**
     * Feeds a parser each of its own markers, alone and with text behind it, and all of them in a row: where a marker
     * opens something, other classes may be needed than for plain text.
     */
    private static void parse(ParserProvider provider, Function<ParseContext, ? extends ChoiceParser> create) {
        List<String> outputs = new ArrayList<>();
        outputs.add("x");
        outputs.addAll(provider.markers());
        provider.markers().forEach(marker -> outputs.add(marker + FUNCTION + "{\"x\": [1, 'x']}\n<x>"));
        outputs.add(String.join(FUNCTION, provider.markers()));
        for (String output : outputs) {
            ChoiceParser parser = create.apply(new Context());
            require(parser, "create(..) gave null");
            parser.accept(TokenDelta.of(output), new Discard());
            parser.finish(FinishReason.STOP, new Discard());
        }
    }

    private static void openMode(OutputModeProvider provider) {
        require(provider.needs(), "needs() gave null");
        if (!provider.verbatim()) {
            require(provider.open(new Request(provider.name())), "open(..) gave null");
        }
    }

    private static void create(Function<Map<String, String>, ? extends @Nullable Object> provider) {
        try {
            require(provider.apply(Map.of()), "create(..) gave null");
        } catch (IllegalArgumentException e) {
            // It may insist on options. What the configuration gives it is checked with the configuration.
            return;
        }
    }

    /** Any text without markup is a template, whatever the language of templates is. */
    private static void render(ChatTemplateProvider provider) {
        try {
            ChatTemplate template = provider.compile("x");
            require(template, "compile(..) gave null");
            require(template.contentFormat(), "contentFormat() gave null");
            require(template.render(Map.of(), LocalDate.EPOCH.atStartOfDay()), "render(..) gave null");
        } catch (ChatTemplateException e) {
            throw new Failure("it refuses the template 'x': " + e.getMessage());
        }
    }

    /** A chat with one function, without a prompt. */
    private record Context() implements ParseContext {
        @Override
        public String model() {
            return "self-check";
        }

        @Override
        public Optional<Tokenizer> tokenizer() {
            return Optional.empty();
        }

        @Override
        public List<Tool> tools() {
            return List.of(Tool.of(FUNCTION, Map.of()));
        }

        @Override
        public ToolChoice toolChoice() {
            return ToolChoice.AUTO;
        }

        @Override
        public Map<String, Object> chatTemplateArguments() {
            return Map.of();
        }

        @Override
        public int[] promptTokenIds() {
            return new int[0];
        }

        @Override
        public String promptTail(int tokens) {
            return "";
        }

        @Override
        public List<ToolOpener> toolOpeners() {
            return List.of();
        }

        @Override
        public int earlierToolCalls() {
            return 0;
        }
    }

    /** A batch request with one token and no other field. */
    private record Request(String outputMode) implements GenerateRequest {
        @Override
        public String model() {
            return "self-check";
        }

        @Override
        public boolean stream() {
            return false;
        }

        @Override
        public boolean hasParseContext() {
            return false;
        }

        @Override
        public int[] promptTokenIds() {
            return new int[] {0};
        }

        @Override
        public Optional<Object> field(String... path) {
            return Optional.empty();
        }
    }

    /** A sink whose content nobody wants. */
    private record Discard() implements DeltaSink {
        @Override
        public void reasoning(CharSequence text) {}

        @Override
        public void content(CharSequence text) {}

        @Override
        public void addedContent(CharSequence text) {}

        @Override
        public void toolCall(String name, @Nullable String id) {}

        @Override
        public void toolArguments(CharSequence json) {}

        @Override
        public void structure(CharSequence text) {}

        @Override
        public void anomaly(String kind) {}
    }
}
