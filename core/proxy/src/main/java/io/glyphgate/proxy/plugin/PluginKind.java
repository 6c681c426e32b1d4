package io.glyphgate.proxy.plugin;

import io.glyphgate.spi.ChatTemplateProvider;
import io.glyphgate.spi.CombinedParserProvider;
import io.glyphgate.spi.EndpointDiscoveryProvider;
import io.glyphgate.spi.KvConnectorProvider;
import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.PoolPolicyProvider;
import io.glyphgate.spi.ParserProvider;
import io.glyphgate.spi.Provider;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.spi.TokenizerProvider;
import io.glyphgate.spi.ToolParserProvider;
import java.util.List;
import java.util.Optional;

/** The kinds of things that a plugin can bring. */
public enum PluginKind {
    REASONING_PARSER("reasoning-parser", ReasoningParserProvider.class),
    TOOL_PARSER("tool-parser", ToolParserProvider.class),
    PARSER("parser", CombinedParserProvider.class),
    OUTPUT_MODE("output-mode", OutputModeProvider.class),
    TOKENIZER("tokenizer", TokenizerProvider.class),
    CHAT_TEMPLATE("chat-template", ChatTemplateProvider.class),
    POOL_POLICY("pool-policy", PoolPolicyProvider.class),
    KV_CONNECTOR("kv-connector", KvConnectorProvider.class),
    ENDPOINT_DISCOVERY("endpoint-discovery", EndpointDiscoveryProvider.class);

    private static final List<PluginKind> ALL = List.of(values());

    private final String label;
    private final Class<? extends Provider> type;

    PluginKind(String label, Class<? extends Provider> type) {
        this.label = label;
        this.type = type;
    }

    /** What configuration and messages call it. */
    public String label() {
        return label;
    }

    /** The interface that its providers implement. */
    public Class<? extends Provider> type() {
        return type;
    }

    /** The labels of all kinds. */
    public static List<String> labels() {
        return ALL.stream().map(PluginKind::label).toList();
    }

    /** The kind with a label. */
    public static Optional<PluginKind> labelled(String label) {
        return ALL.stream().filter(kind -> kind.label.equals(label)).findFirst();
    }

    /** The kind of a parser. */
    static PluginKind of(ParserProvider parser) {
        return ALL.stream()
                .filter(kind -> kind.type.isInstance(parser))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(parser + " is no parser of the SPI"));
    }

    /**
     * The kind of a provider interface.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static PluginKind of(Class<? extends Provider> type) {
        for (PluginKind kind : ALL) {
            if (kind.type == type) {
                return kind;
            }
        }
        throw new IllegalArgumentException(type.getName() + " is no provider of the SPI");
    }
}
