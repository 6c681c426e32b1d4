package io.glyphgate.proxy.pool;

import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.proxy.plugin.PluginKind;
import io.glyphgate.spi.PoolPolicy;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The endpoints that a request can be sent to, one after the other: those of the first pool at the front, each pool in the order
 * of its policy. Endpoints that took no connection a moment ago come only when no other is left.
 */
public final class Candidates {
    private static final System.Logger LOG = System.getLogger(Candidates.class.getName());
    private static final Duration REST = Duration.ofSeconds(5);

    private final List<Pool> pools;
    private final PoolPolicy.RoutedRequest request;
    private final Meters meters;
    private final Set<Endpoint> tried = new HashSet<>();
    private boolean resting;
    private int pool;

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
     * @param rested whether it took no connection a moment ago
     */
    public record Candidate(int pool, Endpoint endpoint, boolean rested) {}

    /** The next one; empty if none is left. */
    public Optional<Candidate> next() {
        while (true) {
            Optional<Endpoint> picked = pick(pools.get(pool));
            if (picked.isPresent()) {
                tried.add(picked.get());
                return Optional.of(new Candidate(pool, picked.get(), resting));
            }
            if (pool + 1 < pools.size()) {
                pool++;
            } else if (!resting) {
                resting = true;
                pool = 0;
            } else {
                return Optional.empty();
            }
        }
    }

    /** Lets an endpoint come again. */
    public void again(Candidate candidate) {
        tried.remove(candidate.endpoint());
    }

    /** Says that an endpoint took no connection: it is left alone for a while. */
    public void unreachable(Candidate candidate) {
        unreachable(pools.get(candidate.pool()), candidate.endpoint());
    }

    /** Leaves an endpoint of a pool alone for a while, because it took no connection. */
    public static void unreachable(Pool pool, Endpoint endpoint) {
        if (endpoint.up()) {
            LOG.log(System.Logger.Level.WARNING, "pool {0}: {1} takes no connection and rests for {2} s",
                    pool.name(), endpoint, REST.toSeconds());
        }
        endpoint.rest(REST);
    }

    /** A pool whose policy fails counts as one that has no server left. */
    private Optional<Endpoint> pick(Pool pool) {
        String policy = pool.config().policy().name();
        try {
            return PluginFailedException.guard(PluginKind.POOL_POLICY, policy, () -> pool.pick(request, tried, resting));
        } catch (PluginFailedException e) {
            meters.pluginError(e.kind().label(), policy);
            LOG.log(System.Logger.Level.ERROR, "pool '" + pool.name() + "' is passed over: " + e.getMessage(), e);
            return Optional.empty();
        }
    }
}
