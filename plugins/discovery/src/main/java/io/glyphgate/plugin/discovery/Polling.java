package io.glyphgate.plugin.discovery;

import io.glyphgate.spi.EndpointDiscovery;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a source again and again. On a platform thread of its own, which sleeps most of the time: looking a name up is native
 * code, which would hold up virtual threads.
 */
final class Polling implements EndpointDiscovery {
    private final String pool;
    private final Source source;
    private final Duration interval;
    private @Nullable Thread thread;
    private boolean closed;

    /** Where servers are found. */
    @FunctionalInterface
    interface Source {
        /**
         * Looks once.
         *
         * @return the servers; empty if what is there may still be changing
         * @throws IOException if the source cannot be reached or makes no sense; the message says so to an operator
         */
        Optional<List<URI>> look() throws IOException;
    }

    /**
     * A discovery.
     *
     * @param pool for the name of the thread
     * @param interval how long to sleep between two looks
     */
    Polling(String pool, Source source, Duration interval) {
        this.pool = pool;
        this.source = source;
        this.interval = interval;
    }

    @Override
    public synchronized void start(Listener listener) {
        thread = Thread.ofPlatform().daemon().name("discovery-" + pool).start(() -> run(listener));
    }

    private void run(Listener listener) {
        try {
            while (true) {
                look(listener);
                Thread.sleep(interval);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    private void look(Listener listener) throws InterruptedException {
        try {
            Optional<List<URI>> found = source.look();
            tell(() -> found.ifPresent(listener::found));
        } catch (IOException e) {
            tell(() -> listener.failed(String.valueOf(e.getMessage())));
        }
    }

    private synchronized void tell(Runnable news) throws InterruptedException {
        if (closed) {
            throw new InterruptedException();
        }
        news.run();
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (thread != null) {
            thread.interrupt();
        }
    }
}
