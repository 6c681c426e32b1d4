package io.glyphgate.spi;

import java.util.List;
import java.util.Optional;

/**
 * Chooses an endpoint in the pool that routing has settled on. Called by many threads at once; must not block.
 *
 * @since 1.0
 */
public interface PoolPolicy {
    /**
     * Chooses an endpoint. Called once for each endpoint that is tried, and not where only one is left.
     *
     * @param request what of the request a policy may use
     * @param endpoints those that may be asked, in the order of the configuration: those that are up, or those that rest where
     *     no other is left, without those tried before; never empty
     * @return one of them
     */
    Endpoint pick(RoutedRequest request, List<? extends Endpoint> endpoints);

    /**
     * One server of the pool, as a policy sees it. Implemented by the host, so it may grow.
     *
     * @since 1.0
     */
    interface Endpoint {
        /**
         * Its address.
         *
         * @return the same for its life, unique in the pool
         */
        String id();

        /**
         * How many requests of this proxy it is serving now.
         *
         * @return 0 or more
         */
        int inFlight();

        /**
         * Which part of the load of others it should get: one that is new, or was down, starts with little.
         *
         * @return above 0 and at most 1, which is what most have at most times
         */
        default double weight() {
            return 1;
        }
    }

    /**
     * What of the request a policy may use. Implemented by the host, so it may grow.
     *
     * @since 1.0
     */
    interface RoutedRequest {
        /**
         * The ID of the request.
         *
         * @return the client's, or one that the proxy made
         */
        String requestId();

        /**
         * The prompt.
         *
         * @return the token IDs, not to be modified
         */
        int[] promptTokenIds();

        /**
         * A header of the client's request.
         *
         * @param name the name, in any case
         * @return the first value; empty if the header is absent
         */
        Optional<String> header(String name);
    }
}
