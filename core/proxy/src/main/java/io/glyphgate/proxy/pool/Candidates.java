package io.glyphgate.proxy.pool;

import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.proxy.plugin.PluginKind;
import io.glyphgate.spi.PoolPolicy;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The endpoints that a request can be sent to, one after the other: those of the first pool at the front, each pool in the order
 * of its policy. Endpoints that took no connection a moment ago, or whose health checks fail, come only when no other is left.
 */
public final class Candidates {
    private static final System.Logger LOG = System.getLogger(Candidates.class.getName());

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
     * @param rested whether it is asked only because no other is left
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
