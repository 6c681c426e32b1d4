package io.glyphgate.proxy.pool;

import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.proxy.plugin.PluginKind;
import io.glyphgate.spi.PoolPolicy;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/**
 * The endpoints that a request can be sent to, one after the other: those of the first pool at the front, each pool in the order
 * of its policy. Endpoints that said a moment ago that they have no room come when no other is left, and those that took no
 * connection, or whose health checks fail, come last.
 */
public final class Candidates {
    private static final System.Logger LOG = System.getLogger(Candidates.class.getName());

    private final List<Pool> pools;
    private final PoolPolicy.RoutedRequest request;
    private final Meters meters;
    private final Set<Endpoint> tried = new HashSet<>();
    /** Pools whose policy failed on this request. */
    private final Set<Pool> failing = new HashSet<>();

    /**
     * The candidates of a request.
     *
     * @param pools the pools that can serve it, at least one
     * @param request what policies see of it
     * @param meters counts policies that fail
     */
    public Candidates(List<Pool> pools, PoolPolicy.RoutedRequest request, Meters meters) {
        this.pools = pools;
        this.request = request;
        this.meters = meters;
    }

    /**
     * An endpoint.
     *
     * @param pool the index of its pool
     * @param rested whether it is asked only because no other is left
     */
    public record Candidate(int pool, Endpoint endpoint, boolean rested) {}

    /** How an endpoint stands; who stands better comes first. */
    enum Standing {
        /** Requests may be sent to it. */
        READY,
        /** It said a moment ago that it has no room. */
        BUSY,
        /** It took no connection a moment ago, or its health checks fail. */
        RESTING;

        boolean of(Endpoint endpoint) {
            return switch (this) {
                case READY -> endpoint.up() && !endpoint.busy();
                case BUSY -> endpoint.up() && endpoint.busy();
                case RESTING -> endpoint.lastResort();
            };
        }
    }

    /** The next one, whatever its limits; empty if none is left. */
    public Optional<Candidate> next() {
        for (Standing standing : Standing.values()) {
            Optional<Candidate> next = next(standing, (pool, endpoint) -> true);
            while (next.isPresent()) {
                if (next.get().endpoint().claim()) {
                    return next;
                }
                next = next(standing, (pool, endpoint) -> true); // another request tries it at this moment
            }
        }
        return Optional.empty();
    }

    /** The next one that stands like this and passes a filter; empty if none is left. */
    Optional<Candidate> next(Standing standing, BiPredicate<Pool, Endpoint> filter) {
        for (int i = 0; i < pools.size(); i++) {
            Pool pool = pools.get(i);
            Optional<Endpoint> picked =
                    pick(pool, e -> standing.of(e) && !tried.contains(e) && filter.test(pool, e));
            if (picked.isPresent()) {
                tried.add(picked.get());
                return Optional.of(new Candidate(i, picked.get(), standing == Standing.RESTING));
            }
        }
        return Optional.empty();
    }

    /** Whether there is one that was not tried yet. */
    boolean hasMore() {
        return pools.stream()
                .filter(pool -> !failing.contains(pool))
                .flatMap(pool -> pool.endpoints().stream())
                .anyMatch(endpoint -> (endpoint.up() || endpoint.lastResort()) && !tried.contains(endpoint));
    }

    /** Whether a pool has one that is up and not tried yet, but a limit that keeps the request waiting. */
    boolean full(Pool pool) {
        return pool.limited()
                && !failing.contains(pool)
                && pool.endpoints().stream()
                        .anyMatch(e -> e.up() && !tried.contains(e) && (!e.busy() || !pool.hasRoom(e)));
    }

    /** Those that came already, as they are now. */
    Set<Endpoint> tried() {
        return Set.copyOf(tried);
    }

    /** Says that one came by another way. */
    void tried(Candidate candidate) {
        tried.add(candidate.endpoint());
    }

    /** Lets an endpoint come again. */
    public void again(Candidate candidate) {
        tried.remove(candidate.endpoint());
    }

    /** A pool whose policy fails counts as one that has no server left. */
    private Optional<Endpoint> pick(Pool pool, Predicate<Endpoint> among) {
        if (failing.contains(pool)) {
            return Optional.empty();
        }
        String policy = pool.config().policy().name();
        try {
            return PluginFailedException.guard(PluginKind.POOL_POLICY, policy, () -> pool.pick(request, among));
        } catch (PluginFailedException e) {
            failing.add(pool);
            meters.pluginError(e.kind().label(), policy);
            LOG.log(System.Logger.Level.ERROR, "pool '" + pool.name() + "' is passed over: " + e.getMessage(), e);
            return Optional.empty();
        }
    }
}
