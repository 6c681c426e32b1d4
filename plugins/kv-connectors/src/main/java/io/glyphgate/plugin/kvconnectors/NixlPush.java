package io.glyphgate.plugin.kvconnectors;

import io.glyphgate.spi.KvConnector;
import io.glyphgate.spi.KvConnectorProvider;
import io.glyphgate.spi.KvTransfer;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * vLLM's {@code NixlPushConnector}: the prefill server pushes to a decode server that waits for it. Who a prefill server is
 * stands in its first answer; from then on both servers are asked at the same time.
 */
public final class NixlPush implements KvConnectorProvider {
    /** What the decode server must know of the prefill server; the same in every answer of it. */
    private static final List<String> IDENTITY =
            List.of("remote_engine_id", "remote_host", "remote_port", "tp_size", "pp_size");

    /** For the service loader. */
    public NixlPush() {}

    @Override
    public String name() {
        return "nixl-push";
    }

    @Override
    public KvConnector create(Map<String, String> options) {
        Options.requireKnown(name(), Set.of(), options);
        Map<URI, Map<String, @Nullable Object>> known = new ConcurrentHashMap<>();
        return request -> new Push(request.prefillServer(), request.serverRequestId(), known);
    }

    /** One transfer. */
    private record Push(URI server, String requestId, Map<URI, Map<String, @Nullable Object>> known)
            implements KvTransfer {
        @Override
        public Map<String, @Nullable Object> prefillParams() {
            return Nixl.ASK;
        }

        @Override
        public Optional<Map<String, @Nullable Object>> paramsAtOnce() {
            return Optional.ofNullable(known.get(server)).map(this::params);
        }

        @Override
        public Optional<Map<String, @Nullable Object>> decodeParams(Map<String, @Nullable Object> answered) {
            if (!"push".equals(answered.get("transfer_mode"))) {
                return Optional.empty();
            }
            Map<String, @Nullable Object> identity = new LinkedHashMap<>();
            for (String field : IDENTITY) {
                if (answered.get(field) == null) {
                    return Optional.empty();
                }
                identity.put(field, answered.get(field));
            }
            Map<String, @Nullable Object> before = known.put(server, identity);
            // a server that was started anew is another one, for which the decode server waits in vain
            return before == null || before.equals(identity) ? Optional.of(params(identity)) : Optional.empty();
        }

        @Override
        public boolean pushes() {
            return true;
        }

        private Map<String, @Nullable Object> params(Map<String, @Nullable Object> identity) {
            Map<String, @Nullable Object> params = new LinkedHashMap<>();
            params.put("do_remote_prefill", true);
            params.put("do_remote_decode", false);
            params.putAll(identity);
            params.put("remote_request_id", requestId);
            return params;
        }
    }
}
