package io.glyphgate.plugin.kvconnectors;

import io.glyphgate.spi.KvConnector;
import io.glyphgate.spi.KvConnectorProvider;
import io.glyphgate.spi.KvTransfer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * vLLM's {@code LMCacheConnectorV1} and {@code LMCacheMPConnector}: the servers share a store, and find the prompt in it by
 * its tokens. Options whose names start with {@code lmcache.} go to both servers.
 */
public final class LmCache implements KvConnectorProvider {
    private static final String PREFIX = "lmcache.";

    /** For the service loader. */
    public LmCache() {}

    @Override
    public String name() {
        return "lmcache";
    }

    @Override
    public KvConnector create(Map<String, String> options) {
        Options.requireKnown(
                name(),
                options.keySet().stream().filter(key -> key.startsWith(PREFIX)).collect(java.util.stream.Collectors.toSet()),
                options);
        return new Shared(new LinkedHashMap<>(options));
    }

    /** Servers that share a store: nothing is held for a reader, and there may be many readers. */
    record Shared(Map<String, @Nullable Object> params) implements KvConnector, KvTransfer {
        @Override
        public KvTransfer begin(TransferRequest request) {
            return this;
        }

        @Override
        public boolean sharable() {
            return true;
        }

        @Override
        public Map<String, @Nullable Object> prefillParams() {
            return params;
        }

        @Override
        public Optional<Map<String, @Nullable Object>> decodeParams(Map<String, @Nullable Object> answered) {
            Map<String, @Nullable Object> all = new LinkedHashMap<>(params);
            all.putAll(answered);
            return Optional.of(all);
        }

        @Override
        public boolean held() {
            return false;
        }
    }
}
