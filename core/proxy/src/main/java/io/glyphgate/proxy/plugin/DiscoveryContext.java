package io.glyphgate.proxy.plugin;

import io.glyphgate.proxy.config.ConfigFile;
import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.spi.EndpointDiscoveryProvider;
import java.nio.file.Path;
import java.util.Map;

/**
 * What a discovery is made of.
 *
 * @param pool the name of the pool
 * @param options the options of the discovery
 * @param folder the folder of the configuration file
 */
public record DiscoveryContext(String pool, Map<String, String> options, Path folder)
        implements EndpointDiscoveryProvider.Context {
    /** That of a pool of a configuration. */
    public static DiscoveryContext of(ConfigFile file, String pool, ProxyConfig.Discovery discovery) {
        Path folder = file.path().toAbsolutePath().normalize().getParent();
        return new DiscoveryContext(pool, discovery.options(), folder == null ? file.path().toAbsolutePath() : folder);
    }
}
