package io.glyphgate.proxy.pool;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.secure.Access;
import io.glyphgate.spi.KvConnector;
import io.glyphgate.spi.PoolPolicy;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Interchangeable vLLM servers, which may come and go, and the policy that chooses among them. */
public final class Pool {
    private static final System.Logger LOG = System.getLogger(Pool.class.getName());

    private final String name;
    private final ProxyConfig.Pool config;
    private final PoolPolicy policy;
    private final Optional<KvConnector> connector;
    private final Access access;
    /** Null where there is no limit. */
    private final @Nullable Line line;
    private final Object ejecting = new Object();
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private volatile List<Endpoint> endpoints;
    /** Whether its servers are its own: those of the pool before it must not change while that one serves. */
    private boolean inForce;

    /** Is told of servers that come and go. Must not block. */
    public interface Listener {
        /** A server has come, or was there already when the listening began. */
        void came(Endpoint endpoint);

        /** A server has gone; what it serves may still go on. */
        void went(Endpoint endpoint);
    }

    /**
     * A pool of the configuration.
     *
     * @param connector how a prefill pool hands prompts over; empty for others
     */
    public Pool(String name, ProxyConfig.Pool config, PoolPolicy policy, Optional<KvConnector> connector) {
        this(name, config, policy, connector, Access.PLAIN, List.of());
    }

    /**
     * A pool of the configuration that takes over what is known of servers.
     *
     * @param connector how a prefill pool hands prompts over; empty for others
     * @param access how its servers are reached
     * @param known servers of a pool before it. Those that the configuration names are taken over, and where servers are
     *     discovered, all of them, until the first word of the discovery
     */
    public Pool(
            String name,
            ProxyConfig.Pool config,
            PoolPolicy policy,
            Optional<KvConnector> connector,
            Access access,
            Collection<Endpoint> known) {
        this.name = name;
        this.config = config;
        this.policy = policy;
        this.connector = connector;
        this.access = access;
        Collection<URI> uris =
                config.discovery().isPresent() ? known.stream().map(Endpoint::uri).toList() : config.endpoints();
        endpoints = with(uris, known);
        // those that are known belong to the pool before until this one takes effect
        endpoints.stream().filter(endpoint -> !known.contains(endpoint)).forEach(this::adopt);
        inForce = known.isEmpty();
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

    /** Its servers now, in the order of the configuration or as they were discovered. The list never changes; ask again. */
    public List<Endpoint> endpoints() {
        return endpoints;
    }

    /** Whether requests may be sent to one of its servers. */
    public boolean up() {
        return endpoints.stream().anyMatch(Endpoint::up);
    }

    /** Tells a listener of the servers that are there, and of all that come and go from now on. */
    public synchronized void listen(Listener listener) {
        listeners.add(listener);
        endpoints.forEach(listener::came);
    }

    /**
     * These are its servers now. Those that stay keep their state, those that are missing get no new requests, and one that comes
     * back later is a new one.
     */
    public synchronized void update(Collection<URI> uris) {
        List<Endpoint> before = endpoints;
        List<Endpoint> now = with(uris, before);
        List<Endpoint> gone = new ArrayList<>(before);
        gone.removeAll(now);
        List<Endpoint> come = new ArrayList<>(now);
        come.removeAll(before);
        if (gone.isEmpty() && come.isEmpty()) {
            return;
        }
        for (Endpoint endpoint : come) {
            adopt(endpoint);
            if (!before.isEmpty()) {
                endpoint.startSlowly(); // where all are new, each has its share
            }
        }
        endpoints = now;
        if (inForce) {
            gone.forEach(Endpoint::remove);
        }
        now.stream().filter(Endpoint::ejected).skip(most()).forEach(Endpoint::pardon);
        LOG.log(System.Logger.Level.INFO, "pool {0} has {1} servers: {2} came, {3} went", name, now.size(), come, gone);
        for (Listener listener : listeners) {
            gone.forEach(listener::went);
            come.forEach(listener::came);
        }
    }

    private void adopt(Endpoint endpoint) {
        endpoint.belongTo(config.watch(), access, ejection -> eject(endpoint, ejection));
    }

    /** Takes over the servers that it was given, from the pool of an older configuration. */
    public synchronized void takeEffect() {
        inForce = true;
        endpoints.forEach(this::adopt);
    }

    /** Servers at these addresses, known ones where there are some. */
    private List<Endpoint> with(Collection<URI> uris, Collection<Endpoint> known) {
        Map<URI, Endpoint> byAddress = new HashMap<>();
        known.forEach(endpoint -> byAddress.put(endpoint.uri(), endpoint));
        return new LinkedHashSet<>(uris)
                .stream()
                        .map(uri -> Optional.ofNullable(byAddress.get(uri))
                                .orElseGet(() -> new Endpoint(uri, name, config.watch())))
                        .toList();
    }

    /** Ejects a server if no more than the allowed share is ejected then, and another one is up. */
    private boolean eject(Endpoint endpoint, Runnable ejection) {
        synchronized (ejecting) {
            List<Endpoint> all = endpoints;
            long ejected = all.stream().filter(Endpoint::ejected).count();
            boolean other = all.stream().anyMatch(candidate -> candidate != endpoint && candidate.up());
            if (ejected >= most() || !other) {
                return false;
            }
            ejection.run();
            return true;
        }
    }

    /** How many may be ejected at once. */
    private int most() {
        return endpoints.size() * config.watch().ejection().maxPercent() / 100;
    }

    /**
     * Chooses a server.
     *
     * @param request what the policy may use
     * @param among which servers it may be
     * @return empty if it may be none
     */
    Optional<Endpoint> pick(PoolPolicy.RoutedRequest request, Predicate<Endpoint> among) {
        List<Endpoint> candidates = new ArrayList<>();
        for (Endpoint endpoint : endpoints) {
            if (among.test(endpoint)) {
                candidates.add(endpoint);
            }
        }
        if (candidates.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(candidates.size() == 1 ? candidates.getFirst() : picked(request, candidates));
    }

    private Endpoint picked(PoolPolicy.RoutedRequest request, List<Endpoint> candidates) {
        PoolPolicy.Endpoint picked = policy.pick(request, candidates);
        return candidates.stream().filter(e -> e == picked).findFirst().orElseThrow(() -> new IllegalStateException(
                "the policy '" + config.policy().name() + "' of pool '" + name
                        + "' picked an endpoint that it was not offered: " + picked));
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
