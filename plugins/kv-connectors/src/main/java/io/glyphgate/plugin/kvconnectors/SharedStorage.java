package io.glyphgate.plugin.kvconnectors;

import io.glyphgate.spi.KvConnector;
import io.glyphgate.spi.KvConnectorProvider;
import java.util.Map;
import java.util.Set;

/**
 * Servers that share the keys and values without a word of the proxy, as vLLM's {@code SharedStorageConnector} and {@code
 * OffloadingConnector} do: the prompt is computed by the one, and found by the other.
 */
public final class SharedStorage implements KvConnectorProvider {
    /** For the service loader. */
    public SharedStorage() {}

    @Override
    public String name() {
        return "none";
    }

    @Override
    public Set<String> aliases() {
        return Set.of("shared-storage");
    }

    @Override
    public KvConnector create(Map<String, String> options) {
        Options.requireKnown(name(), Set.of(), options);
        return new LmCache.Shared(Map.of());
    }
}
