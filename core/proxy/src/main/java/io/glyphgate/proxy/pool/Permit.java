package io.glyphgate.proxy.pool;

import io.glyphgate.proxy.pool.Candidates.Candidate;

/**
 * The right to ask an endpoint, counted against the limit of its pool until it is closed. It must be closed once.
 *
 * @param pool the pool of the endpoint
 * @param candidate the endpoint
 */
public record Permit(Pool pool, Candidate candidate) implements AutoCloseable {
    /** The endpoint that may be asked. */
    public Endpoint endpoint() {
        return candidate.endpoint();
    }

    /** Gives the right back, to who waits for it first. */
    @Override
    public void close() {
        pool.leave(candidate.endpoint());
    }
}
