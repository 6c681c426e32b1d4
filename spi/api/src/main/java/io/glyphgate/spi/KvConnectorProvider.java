package io.glyphgate.spi;

import java.util.Map;

/**
 * Makes KV connectors. Named by {@code kv-connector} in the configuration of a prefill pool.
 *
 * @since 1.0
 */
public interface KvConnectorProvider extends Provider {
    /**
     * Makes the connector of one prefill pool.
     *
     * @param options the other keys of the {@code kv-connector} block; possibly empty
     * @return the connector
     * @throws IllegalArgumentException if an option is unknown or wrong; the message says which
     */
    KvConnector create(Map<String, String> options);
}
