package io.glyphgate.proxy.tokenize;

import io.glyphgate.proxy.generate.Client;
import io.glyphgate.proxy.generate.ClientGoneException;
import io.glyphgate.proxy.generate.FailedException;
import io.glyphgate.proxy.wire.Failure;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Keeps long work away from the threads that carry requests. Those are virtual: one that computes, or is inside of native code,
 * holds up all others until it is done. So work on a large body goes to a few platform threads, which the operating system
 * shares out fairly; work on a small one is done at once, and never waits behind a large one.
 */
public final class LongWork implements AutoCloseable {
    /** Up to here the work takes a few milliseconds at most. */
    private static final int SMALL = 8 << 10;

    private static final System.Logger LOG = System.getLogger(LongWork.class.getName());
    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final Duration SOON = Duration.ofSeconds(1);

    private final ExecutorService threads;

    /** As many threads as there are processors. */
    LongWork() {
        AtomicInteger count = new AtomicInteger();
        ThreadFactory factory = task -> {
            Thread thread = new Thread(task, "long-work-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
        threads = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors(), factory);
    }

    /**
     * Does work for a client.
     *
     * @param size how large the body is
     * @param client the client that waits
     * @throws ClientGoneException if the client leaves while the work waits or runs
     * @throws FailedException if the proxy is stopped meanwhile
     */
    <T> T of(int size, Client client, Supplier<T> work) {
        if (size <= SMALL) {
            return work.get();
        }
        Callable<T> task = work::get;
        Future<T> future = threads.submit(task);
        try {
            return future.get();
        } catch (InterruptedException e) {
            future.cancel(true);
            if (client.gone()) {
                throw new ClientGoneException(e);
            }
            throw new FailedException(Failure.passing(503, "cancelled", "The request was cancelled.", SOON), e);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException fault -> throw fault;
                case Error fault -> throw fault;
                case null, default -> throw new IllegalStateException(e);
            }
        }
    }

    /** Waits for the work that is running: what it uses, native memory above all, is freed after this. */
    @Override
    public void close() {
        threads.shutdownNow();
        try {
            if (!threads.awaitTermination(LONGEST.toSeconds(), TimeUnit.SECONDS)) {
                LOG.log(System.Logger.Level.WARNING, "work on a large body is still running");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
