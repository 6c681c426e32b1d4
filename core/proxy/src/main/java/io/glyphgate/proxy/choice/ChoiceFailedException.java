package io.glyphgate.proxy.choice;

import io.glyphgate.spi.ParserProvider;

/** A parser threw, which no parser may; its choice has ended with the finish reason {@code error}. */
public final class ChoiceFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String kind;
    private final String plugin;

    ChoiceFailedException(String kind, ParserProvider provider, Throwable cause) {
        super(
                "the " + kind + " '" + provider.name() + "' failed (" + cause + "), which ended the choice;"
                        + " this is a fault of the plugin",
                cause);
        this.kind = kind;
        this.plugin = provider.name();
    }

    /**
     * The kind of the plugin, as the configuration names it: {@code reasoning-parser}, {@code tool-parser} or {@code
     * parser}.
     */
    public String kind() {
        return kind;
    }

    /** The name of the plugin's provider. */
    public String plugin() {
        return plugin;
    }
}
