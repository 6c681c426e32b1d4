package io.glyphgate.proxy.route;

import io.glyphgate.proxy.pool.Pool;
import java.util.List;

/**
 * One pool that can serve a request, and how.
 *
 * @param pool the pool
 * @param way how it serves the request
 * @param prefills the pools that may compute the prompt for it; none if the pool computes it itself
 */
public record Route(Pool pool, Way way, List<Pool> prefills) {
    /** Copies the list. */
    public Route {
        prefills = List.copyOf(prefills);
    }

    /** The same pool, which computes the prompt itself. */
    public Route alone() {
        return new Route(pool, way, List.of());
    }
}
