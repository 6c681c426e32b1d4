package io.glyphgate.spi;

import java.nio.file.Path;
import java.util.Map;

/**
 * Makes discoveries. Named by {@code discovery} in a pool's configuration, in place of {@code endpoints}.
 *
 * @since 1.0
 */
public interface EndpointDiscoveryProvider extends Provider {
    /**
     * Makes the discovery of one pool. Reads the options and nothing else: no file, no network. Configurations are checked by
     * making what they name, so what was made may never be started or closed.
     *
     * @param context what the configuration says
     * @return the discovery
     * @throws IllegalArgumentException if an option is unknown, missing or wrong; the message says which
     */
    EndpointDiscovery create(Context context);

    /**
     * What the configuration says of one discovery. Implemented by the host, so it may grow.
     *
     * @since 1.0
     */
    interface Context {
        /**
         * The name of the pool.
         *
         * @return for names of threads and the like
         */
        String pool();

        /**
         * The other keys of the {@code discovery} block.
         *
         * @return the options by their names; possibly empty
         */
        Map<String, String> options();

        /**
         * The folder of the configuration file, to which paths in options are relative.
         *
         * @return an absolute path
         */
        Path folder();
    }
}
