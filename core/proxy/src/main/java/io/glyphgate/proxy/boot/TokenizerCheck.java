package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.config.ProxyConfig.OnMismatch;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.route.Router;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.upstream.TokenizerProbe;
import io.glyphgate.proxy.upstream.UpstreamClient;
import io.glyphgate.proxy.upstream.UpstreamException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Compares the tokenizers of the proxy with those of the servers at the start, so that no user finds the difference. */
final class TokenizerCheck implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(TokenizerCheck.class.getName());

    private final Router router;
    private final TokenizerProbe probe;
    private final List<Thread> threads = new ArrayList<>();

    TokenizerCheck(Router router, UpstreamClient client) {
        this.router = router;
        probe = new TokenizerProbe(client);
    }

    /** Does what the configuration asks for; waits for the servers only where the start depends on them. */
    void start(OnMismatch onMismatch) {
        switch (onMismatch) {
            case IGNORE -> {
                // nobody is asked
            }
            case WARN -> all(misfit -> LOG.log(System.Logger.Level.WARNING, misfit));
            case FAIL -> {
                ConcurrentLinkedQueue<String> misfits = new ConcurrentLinkedQueue<>();
                all(misfits::add);
                join();
                if (!misfits.isEmpty()) {
                    throw new IllegalArgumentException(
                            String.join("\n", misfits) + "\n(upstream.tokenizer-mismatch: fail)");
                }
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

    private void all(Listener listener) {
        for (Pool pool : router.pools()) {
            for (Endpoint endpoint : pool.endpoints()) {
                // encoding is native code at its start, which would hold up virtual threads
                threads.add(Thread.ofPlatform()
                        .daemon()
                        .name("tokenizer-check")
                        .start(() -> tell(pool, endpoint, listener)));
            }
        }
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
