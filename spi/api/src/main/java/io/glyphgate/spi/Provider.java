package io.glyphgate.spi;

import java.util.Set;

/**
 * The common face of every extension point.
 *
 * <p>Found by {@link java.util.ServiceLoader}, so it needs a public constructor without parameters, which must be cheap and
 * must not fail. One instance lives as long as the process; its methods may be called by many threads at once.
 *
 * @since 1.0
 */
public interface Provider {
    /**
     * The name that an operator writes in the configuration, for example {@code qwen3}.
     *
     * @return lower-case letters, digits, {@code -} and {@code _}; unique among the providers of its kind; always the same
     */
    String name();

    /**
     * Other names for the same thing, for example names that vLLM uses.
     *
     * @return names of the same form as {@link #name()}, without it; empty by default
     */
    default Set<String> aliases() {
        return Set.of();
    }
}
