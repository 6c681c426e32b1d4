package io.glyphgate.proxy.pool;

import io.glyphgate.proxy.config.ProxyConfig.Ejection;
import io.glyphgate.proxy.config.ProxyConfig.Health;
import io.glyphgate.proxy.config.ProxyConfig.Watch;
import java.time.Duration;

/** How servers are watched in tests. */
public final class Watches {
    /** As the configuration has it where it says nothing. */
    public static final Watch DEFAULT = new Watch(
            new Health("/health", Duration.ofSeconds(5), Duration.ofSeconds(2), 3, 2),
            new Ejection(5, Duration.ofSeconds(10), Duration.ofMinutes(5), 50),
            Duration.ofSeconds(45),
            Duration.ofSeconds(30));

    private Watches() {}
}
