package io.glyphgate.plugin.kvconnectors;

import io.glyphgate.spi.KvConnector;
import io.glyphgate.spi.KvConnectorProvider;
import java.util.Map;
import java.util.Set;

/**
 * vLLM's {@code MooncakeConnector}: the prefill server pushes to a decode server that is asked at the same time. Option {@code
 * bootstrap-port}: where the prefill servers tell who they are, 8998 by default.
 */
public final class Mooncake implements KvConnectorProvider {
    private static final String PORT = "bootstrap-port";
    private static final int DEFAULT_PORT = 8998;

    /** For the service loader. */
    public Mooncake() {}

    @Override
    public String name() {
        return "mooncake";
    }

    @Override
    public KvConnector create(Map<String, String> options) {
        Options.requireKnown(name(), Set.of(PORT), options);
        return new MooncakeConnector(Options.port(PORT, DEFAULT_PORT, options));
    }
}
