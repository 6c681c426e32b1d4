package io.glyphgate.proxy.loop;

import java.io.IOException;
import java.io.UncheckedIOException;
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

    /** A loop for something new: each in its turn. */
    public Loop next() {
        return loops[Math.floorMod(next.getAndIncrement(), loops.length)];
    }

    /** Has all loops look for what is to be done, without being waited for. */
    public void turn() {
        for (Loop loop : loops) {
            loop.turn();
        }
    }

    @Override
    public void close() {
        for (Loop loop : loops) {
            loop.close();
        }
    }
}
