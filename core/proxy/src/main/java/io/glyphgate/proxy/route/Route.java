package io.glyphgate.proxy.route;

import io.glyphgate.proxy.pool.Pool;

/**
 * One pool that can serve a request, and how.
 *
 * @param pool the pool
 * @param way how it serves the request
 */
public record Route(Pool pool, Way way) {}
