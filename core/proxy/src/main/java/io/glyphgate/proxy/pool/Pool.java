package io.glyphgate.proxy.pool;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.spi.KvConnector;
import io.glyphgate.spi.PoolPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Interchangeable vLLM servers, and the policy that chooses among them. */
public final class Pool {
    private final String name;
    private final ProxyConfig.Pool config;
    private final PoolPolicy policy;
    private final Optional<KvConnector> connector;
    private final List<Endpoint> endpoints;
    /** Null where there is no limit. */
    private final @Nullable Line line;

    /**
     * A pool of the configuration.
     *
     * @param connector how a prefill pool hands prompts over; empty for others
     * @param endpoints its servers, in the order of the configuration
     */
    public Pool(
            String name,
            ProxyConfig.Pool config,
            PoolPolicy policy,
            Optional<KvConnector> connector,
            List<Endpoint> endpoints) {
        this.name = name;
        this.config = config;
        this.policy = policy;
        this.connector = connector;
        this.endpoints = List.copyOf(endpoints);
        line = config.limits().inFlightPerEndpoint().isPresent()
                ? new Line(this, config.limits().inFlightPerEndpoint().getAsInt(), config.limits(), System::nanoTime)
                : null;
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
     * @param among which servers it may be
     * @return empty if it may be none
     */
    Optional<Endpoint> pick(PoolPolicy.RoutedRequest request, Predicate<Endpoint> among) {
        List<Endpoint> candidates = endpoints.stream().filter(among).toList();
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

    /** Whether there is a limit on what its servers are asked to do at once. */
    public boolean limited() {
        return line != null;
    }

    /** How many requests wait for one of its servers. */
    public int waiting() {
        return line == null ? 0 : line.waiting();
    }

    /** Lets those go on who wait for a server that has come back. Cheap where nobody waits. */
    public void look() {
        if (line != null) {
            line.look();
        }
    }

    /** Whether a server has room for another request at this moment. */
    boolean hasRoom(Endpoint endpoint) {
        return line == null || line.hasRoom(endpoint);
    }

    /** Counts a request in, if the server has room; {@link #leave} must follow. */
    boolean enter(Endpoint endpoint) {
        if (line != null) {
            return line.enter(endpoint);
        }
        endpoint.enter();
        return true;
    }

    /** Counts a request out. */
    void leave(Endpoint endpoint) {
        if (line != null) {
            line.leave(endpoint);
        } else {
            endpoint.leave();
        }
    }

    /** Lets a request wait; of a pool with a limit only. */
    void join(Waiter waiter) {
        Objects.requireNonNull(line, "no limit").join(waiter);
    }

    /** Ends its wait. */
    void quit(Waiter waiter) {
        Objects.requireNonNull(line, "no limit").quit(waiter);
    }

    /** About how long those wait now who come last; of a pool with a limit only. */
    Duration timeToServe() {
        return Objects.requireNonNull(line, "no limit").timeToServe();
    }
}
