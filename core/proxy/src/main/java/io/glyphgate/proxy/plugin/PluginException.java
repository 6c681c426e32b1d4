package io.glyphgate.proxy.plugin;

import java.util.List;

/** Plugins cannot be used. The message has a line for each fault. */
public final class PluginException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final List<String> faults;

    /**
     * A refusal.
     *
     * @param faults sentences that name the plugin folder, what is wrong with it and what to do
     */
    public PluginException(List<String> faults) {
        super(String.join("\n", faults));
        this.faults = List.copyOf(faults);
    }

    /** The sentences. */
    public List<String> faults() {
        return faults;
    }
}
