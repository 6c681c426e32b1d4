package io.glyphgate.plugin.poolpolicies;

import io.glyphgate.spi.PoolPolicy.Endpoint;

/** How busy an endpoint is for what it should get. */
final class Load {
    private Load() {}

    /**
     * The load with one more request, by the endpoint's weight: where all have as much of this, an endpoint of weight 0.5 serves
     * half as many requests as one of weight 1.
     */
    static double of(Endpoint endpoint) {
        return (endpoint.inFlight() + 1) / endpoint.weight();
    }
}
