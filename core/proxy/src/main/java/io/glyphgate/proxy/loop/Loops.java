package io.glyphgate.proxy.loop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A few platform threads, each of which waits for many sockets at once: waking a thread for each piece of a stream costs more than
 * all that is done with the piece. Nothing that runs on a loop may wait.
 */
public final class Loops implements AutoCloseable {
    private final Loop[] loops;
    private final AtomicInteger next = new AtomicInteger();

    /** Starts so many loops. */
    public Loops(int count) {
        loops = new Loop[count];
        try {
            for (int i = 0; i < count; i++) {
                loops[i] = new Loop("glyphgate-loop-" + i);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("no loop can be started", e);
        }
    }

    /** What is done each time when bytes have come. */
    @FunctionalInterface
    public interface Step {
        /**
         * Takes what has come, without waiting.
         *
         * @return whether it waits for more; else it is over on the loop
         * @throws IOException which ends it, as any other exception does
         */
        boolean run() throws IOException;
    }

    /** Prepares a stream to flow on a loop. */
    public Flow flow(SocketChannel source, Step step) {
        return new Flow(loop(), source, step);
    }

    /**
     * Watches a socket, which no longer waits by itself from now on: a write takes what there is room for.
     *
     * @param readable called on a loop when there are bytes, or the socket has ended; false to hear no more
     * @throws IOException if the socket is closed
     */
    public Watch watch(SocketChannel socket, Step readable) throws IOException {
        return new Watch(loop(), socket, readable);
    }

    /** Whether the thread that asks is a loop's, so that it may not wait. */
    public static boolean onLoop() {
        return Loop.isCurrent();
    }

    private Loop loop() {
        return loops[Math.floorMod(next.getAndIncrement(), loops.length)];
    }

    @Override
    public void close() {
        for (Loop loop : loops) {
            loop.close();
        }
    }
}
