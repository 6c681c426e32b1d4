package io.glyphgate.spi;

import java.net.URI;
import java.util.Collection;

/**
 * Finds out which servers a pool has, and goes on doing so.
 *
 * @since 1.0
 */
public interface EndpointDiscovery extends AutoCloseable {
    /**
     * Starts to look. Called once. Must not wait for the network; what is to be had at once, such as a file, may be told before
     * this returns. A source that cannot be reached is no reason to throw: tell the listener and try again.
     *
     * @param listener is told; may be called by any thread, but by one at a time
     */
    void start(Listener listener);

    /** Ends the looking. No thread, file or connection is left, and the listener is told no more soon after this returns. */
    @Override
    void close();

    /**
     * Is told what was found. Implemented by the host, so it may grow.
     *
     * @since 1.0
     */
    interface Listener {
        /**
         * These are all servers now. Those that are missing get no new requests, and what they are serving goes on to its end.
         * May be told the same again.
         *
         * @param endpoints addresses such as {@code http://10.0.0.7:8000}: http or https, a host, perhaps a port. Empty if the
         *     source says for certain that there is none
         */
        void found(Collection<URI> endpoints);

        /**
         * The source cannot be reached or says what makes no sense, so nothing changes. The host logs it once while it lasts,
         * until {@link #found} is told.
         *
         * @param why what is wrong, where, and what to do, for an operator
         */
        void failed(String why);
    }
}
