package io.glyphgate.spi;

import java.util.Map;

/** As in the SPI, and one more method, which no plugin has. */
public interface PoolPolicyProvider extends Provider {
    PoolPolicy create(Map<String, String> options);

    String added();
}
