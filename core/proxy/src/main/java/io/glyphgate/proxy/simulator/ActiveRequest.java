package io.glyphgate.proxy.simulator;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A request that is being answered, and whether it still should be. */
final class ActiveRequest {
    /** Why a request is not answered to its end. */
    enum End {
        /** The client closed the connection. */
        CLIENT_LEFT,
        /** Somebody asked to abort the request. */
        ABORTED
    }

    private final CountDownLatch over = new CountDownLatch(1);
    private volatile @Nullable End end;

    /** Ends it; the first reason stands. */
    synchronized void end(End reason) {
        if (end == null) {
            end = reason;
            over.countDown();
        }
    }

    /** Why it ended; null while it goes on. */
    @Nullable End end() {
        return end;
    }

    /**
     * Waits until the request ends or the time has come.
     *
     * @param due the time of {@link System#nanoTime()} to wait for
     * @return true if the request ended
     */
    boolean endsBefore(long due) throws InterruptedException {
        return over.await(due - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    /** Waits until the request ends. */
    void awaitEnd() throws InterruptedException {
        over.await();
    }
}
