package io.glyphgate.proxy.pool;

import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.proxy.plugin.PluginKind;
import io.glyphgate.spi.EndpointDiscovery;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Keeps a pool at what its discovery finds. */
public final class Discovering implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Discovering.class.getName());

    private final Pool pool;
    private final String name;
    private final EndpointDiscovery discovery;
    private final LongAdder failures = new LongAdder();
    private final CountDownLatch firstWord = new CountDownLatch(1);
    private volatile String failing = "";
    private volatile boolean closed;

    /**
     * A discovery that was not started.
     *
     * @param name the name of its plugin
     */
    public Discovering(Pool pool, String name, EndpointDiscovery discovery) {
        this.pool = pool;
        this.name = name;
        this.discovery = discovery;
    }

    /** The pool. */
    public Pool pool() {
        return pool;
    }

    /**
     * Starts to look.
     *
     * @throws PluginFailedException if the plugin throws
     */
    public void start() {
        PluginFailedException.guard(PluginKind.ENDPOINT_DISCOVERY, name, () -> {
            discovery.start(new Listener());
            return true;
        });
    }

    /** Waits for the first word of the discovery, be it good or bad; false if the time is over before. */
    public boolean await(Duration limit) throws InterruptedException {
        return firstWord.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** How often it failed. */
    public LongAdder failures() {
        return failures;
    }

    /** Why it fails now; empty if it does not. */
    public String failing() {
        return failing;
    }

    private final class Listener implements EndpointDiscovery.Listener {
        @Override
        public void found(Collection<URI> found) {
            Optional<URI> wrong = found.stream().filter(uri -> !isServer(uri)).findFirst();
            if (wrong.isPresent()) {
                failed("the discovery '" + name + "' found '" + wrong.get()
                        + "', which is not the address of a server such as http://decode-0:8000");
                return;
            }
            if (closed) {
                return;
            }
            if (!failing.isEmpty()) {
                LOG.log(System.Logger.Level.INFO, "pool {0}: servers are found again", pool.name());
                failing = "";
            }
            pool.update(found);
            firstWord.countDown();
        }

        @Override
        public void failed(String why) {
            if (closed) {
                return;
            }
            failures.increment();
            if (!Objects.equals(failing, why)) {
                failing = why;
                LOG.log(System.Logger.Level.ERROR, "pool {0} keeps its {1} servers, because the discovery fails: {2}",
                        pool.name(), pool.endpoints().size(), why);
            }
            firstWord.countDown();
        }
    }

    private static boolean isServer(URI uri) {
        return ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme())) && uri.getHost() != null;
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            discovery.close();
        }
    }
}
