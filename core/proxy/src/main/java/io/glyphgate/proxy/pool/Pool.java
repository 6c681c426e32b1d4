package io.glyphgate.proxy.pool;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.secure.Access;
import io.glyphgate.spi.KvConnector;
import io.glyphgate.spi.PoolPolicy;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Interchangeable vLLM servers, and the policy that chooses among them. */
public final class Pool {
    private final String name;
    private final ProxyConfig.Pool config;
    private final PoolPolicy policy;
    private final Optional<KvConnector> connector;
    private final List<Endpoint> endpoints;

    /**
     * A pool of the configuration.
     *
     * @param connector how a prefill pool hands prompts over; empty for others
     * @param access how its servers are reached
     */
    public Pool(
            String name, ProxyConfig.Pool config, PoolPolicy policy, Optional<KvConnector> connector, Access access) {
        this.name = name;
        this.config = config;
        this.policy = policy;
        this.connector = connector;
        endpoints = config.endpoints().stream().map(uri -> new Endpoint(uri, access)).toList();
    }

    /** Its name in the configuration. */
    public String name() {
        return name;
    }

    /** Its configuration. */
    public ProxyConfig.Pool config() {
        return config;
    }

    /** The name under which its servers know the model. */
    public String servedModel() {
        return config.servedModel().orElse(config.model());
    }

    /** How it hands prompts over to decode pools; of a prefill pool only. */
    public Optional<KvConnector> connector() {
        return connector;
    }

    /** Its servers, in the order of the configuration. */
    public List<Endpoint> endpoints() {
        return endpoints;
    }

    /** Whether requests may be sent to one of its servers. */
    public boolean up() {
        return endpoints.stream().anyMatch(Endpoint::up);
    }

    /**
     * Chooses a server.
     *
     * @param request what the policy may use
     * @param tried servers that took no connection for this request
     * @param resting whether to choose among those that rest, instead of those that are up
     * @return empty if none is left
     */
    public Optional<Endpoint> pick(PoolPolicy.RoutedRequest request, Set<Endpoint> tried, boolean resting) {
        List<Endpoint> candidates = endpoints.stream()
                .filter(e -> e.up() != resting && !tried.contains(e))
                .toList();
        if (candidates.isEmpty()) {
            return Optional.empty();
        }
        if (candidates.size() == 1) {
            return Optional.of(candidates.getFirst());
        }
        PoolPolicy.Endpoint picked = policy.pick(request, candidates);
        return candidates.stream().filter(e -> e == picked).findFirst().or(() -> {
            throw new IllegalStateException("the policy '" + config.policy().name() + "' of pool '" + name
                    + "' picked an endpoint that it was not offered: " + picked);
        });
    }
}
