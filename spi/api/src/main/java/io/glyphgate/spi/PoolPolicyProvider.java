package io.glyphgate.spi;

import java.util.Map;

/**
 * Makes pool policies. Named by {@code policy} in a pool's configuration.
 *
 * @since 1.0
 */
public interface PoolPolicyProvider extends Provider {
    /**
     * Makes the policy of one pool.
     *
     * @param options the other keys of the {@code policy} block; possibly empty
     * @return the policy
     * @throws IllegalArgumentException if an option is unknown or wrong; the message says which
     */
    PoolPolicy create(Map<String, String> options);
}
