package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.config.ProxyConfig.OnMismatch;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.route.Router;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.upstream.TokenizerProbe;
import io.glyphgate.proxy.upstream.UpstreamClient;
import io.glyphgate.proxy.upstream.UpstreamException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Compares the tokenizers of the proxy with those of the servers at the start, so that no user finds the difference. */
final class TokenizerCheck implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(TokenizerCheck.class.getName());

    private final Router router;
    private final TokenizerProbe probe;
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final Set<Endpoint> compared = ConcurrentHashMap.newKeySet();
    private boolean closed;

    TokenizerCheck(Router router, UpstreamClient client) {
        this.router = router;
        probe = new TokenizerProbe(client);
    }

    /**
     * Does what the configuration asks for; waits for the servers only where the start depends on them. Servers that come later are
     * compared when they come, and what differs is logged.
     */
    void start(OnMismatch onMismatch) {
        switch (onMismatch) {
            case IGNORE -> {
                // nobody is asked
            }
            case WARN -> router.pools().forEach(pool -> pool.listen(new Comparing(pool)));
            case FAIL -> {
                ConcurrentLinkedQueue<String> misfits = new ConcurrentLinkedQueue<>();
                router.pools().forEach(pool -> pool.endpoints().forEach(endpoint -> compare(pool, endpoint, misfits::add)));
                join();
                if (!misfits.isEmpty()) {
                    throw new IllegalArgumentException(
                            String.join("\n", misfits) + "\n(upstream.tokenizer-mismatch: fail)");
                }
                router.pools().forEach(pool -> pool.listen(new Comparing(pool)));
            }
        }
    }

    /** Waits for all servers; an interrupt ends the waiting. */
    private void join() {
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Where a difference is told. */
    @FunctionalInterface
    private interface Listener {
        void misfit(String text);
    }

    /** Has the servers of a pool compared that were not. */
    private final class Comparing implements Pool.Listener {
        private final Pool pool;

        Comparing(Pool pool) {
            this.pool = pool;
        }

        @Override
        public void came(Endpoint endpoint) {
            compare(pool, endpoint, misfit -> LOG.log(System.Logger.Level.WARNING, misfit));
        }

        @Override
        public void went(Endpoint endpoint) {
            compared.remove(endpoint);
        }
    }

    private synchronized void compare(Pool pool, Endpoint endpoint, Listener listener) {
        if (closed || !compared.add(endpoint)) {
            return;
        }
        // encoding is native code at its start, which would hold up virtual threads
        Thread thread = Thread.ofPlatform().daemon().name("tokenizer-check").unstarted(() -> {
            try {
                tell(pool, endpoint, listener);
            } finally {
                threads.remove(Thread.currentThread());
            }
        });
        threads.add(thread);
        thread.start();
    }

    private void tell(Pool pool, Endpoint endpoint, Listener listener) {
        String place = "pool '" + pool.name() + "', " + endpoint + ": ";
        try {
            one(pool, endpoint).ifPresent(findings -> findings.misfits().forEach(misfit -> listener.misfit(place + misfit)));
        } catch (RuntimeException e) {
            if (!Thread.currentThread().isInterrupted()) {
                listener.misfit(place + "the proxy's tokenizer fails at a text: " + e.getMessage());
            }
        }
    }

    /** Ends what is still being compared, because the tokenizers are closed after this. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        threads.forEach(Thread::interrupt);
        join();
    }

    /** Compares one server; empty if there is nothing to compare, or it does not answer. */
    Optional<TokenizerProbe.Findings> one(Pool pool, Endpoint endpoint) {
        ServedModel model = router.model(Optional.of(pool.config().model()));
        if (model.tokenizer() == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(probe.compare(
                    endpoint, pool.servedModel(), model.tokenizer(), model.maxLength(), model.chatTemplate()));
        } catch (UpstreamException e) {
            LOG.log(System.Logger.Level.DEBUG, "the tokenizer of " + endpoint + " was not compared", e);
            return Optional.empty();
        }
    }
}
