package io.glyphgate.plugin.kvconnectors;

import io.glyphgate.spi.KvConnector;
import io.glyphgate.spi.KvConnectorProvider;
import io.glyphgate.spi.KvTransfer;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * vLLM's {@code NixlConnector}: the decode server pulls. The prefill server answers with what the decode server needs for
 * that, which is passed on as it is: a field that is missing costs the lease or the whole transfer.
 */
public final class Nixl implements KvConnectorProvider {
    static final Map<String, @Nullable Object> ASK = Map.of("do_remote_decode", true, "do_remote_prefill", false);
    private static final KvTransfer TRANSFER = new KvTransfer() {
        @Override
        public Map<String, @Nullable Object> prefillParams() {
            return ASK;
        }

        @Override
        public Optional<Map<String, @Nullable Object>> decodeParams(Map<String, @Nullable Object> answered) {
            return Boolean.TRUE.equals(answered.get("do_remote_prefill")) ? Optional.of(answered) : Optional.empty();
        }
    };

    /** For the service loader. */
    public Nixl() {}

    @Override
    public String name() {
        return "nixl";
    }

    @Override
    public KvConnector create(Map<String, String> options) {
        Options.requireKnown(name(), Set.of(), options);
        return request -> TRANSFER;
    }
}
