package io.glyphgate.proxy.generate;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Work that may go on when the request that began it has ended. What it uses must stay open until {@link #await}. */
final class Errands {
    private static final System.Logger LOG = System.getLogger(Errands.class.getName());

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    /** Begins work on a thread of its own. */
    Thread start(String name, Runnable work) {
        Thread thread = Thread.ofVirtual().name(name).unstarted(() -> {
            try {
                work.run();
            } finally {
                threads.remove(Thread.currentThread());
            }
        });
        threads.add(thread);
        thread.start();
        return thread;
    }

    /** Waits until no work is left, which may begin other work; up to a limit, or an interrupt. */
    void await(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        try {
            for (Thread thread = any(); thread != null; thread = any()) {
                if (!thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())))) {
                    LOG.log(System.Logger.Level.WARNING, "{0} has not ended within {1} s", thread.getName(), limit.toSeconds());
                    return;
                }
                threads.remove(thread);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private @Nullable Thread any() {
        return threads.stream().findAny().orElse(null);
    }
}
