package io.glyphgate.proxy.plugin;

import io.glyphgate.spi.Provider;
import java.util.Optional;
import java.util.Set;

/** The providers of all plugins, by kind and name. */
@SuppressWarnings("DoNotCallSuggester")
public final class Registry implements AutoCloseable {
    /** The providers that a class loader sees, for tests and for programs that embed the proxy. */
    public static Registry of(ClassLoader loader) {
        throw new UnsupportedOperationException();
    }

    /** Finds a provider by its name or one of its aliases. */
    public <P extends Provider> Optional<P> find(Class<P> kind, String name) {
        throw new UnsupportedOperationException();
    }

    /** The names of all providers of a kind, aliases included, sorted. */
    public Set<String> names(Class<? extends Provider> kind) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
