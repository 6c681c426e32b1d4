package io.glyphgate.proxy.plugin;

import io.glyphgate.spi.InvalidRequestException;
import java.util.function.Supplier;

/** A plugin threw what it may not throw, or broke a rule of the SPI, while it served a request. */
public final class PluginFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final PluginKind kind;
    private final String plugin;

    /**
     * A failure.
     *
     * @param kind the kind of the plugin
     * @param plugin the name of its provider
     * @param cause what it threw
     */
    public PluginFailedException(PluginKind kind, String plugin, Throwable cause) {
        super("the " + kind.label() + " '" + plugin + "' failed (" + cause + "); this is a fault of the plugin", cause);
        this.kind = kind;
        this.plugin = plugin;
    }

    /** Calls a plugin; what it throws is its failure, a refusal of the request excepted. */
    public static <T> T guard(PluginKind kind, String plugin, Supplier<T> call) {
        try {
            return call.get();
        } catch (InvalidRequestException | PluginFailedException e) {
            throw e;
        } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
            throw new PluginFailedException(kind, plugin, e);
        }
    }

    /** The kind of the plugin. */
    public PluginKind kind() {
        return kind;
    }

    /** The name of the plugin's provider. */
    public String plugin() {
        return plugin;
    }
}
