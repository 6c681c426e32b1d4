package io.glyphgate.proxy.loop;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A stream that flows on a loop while its own thread waits, until one of them has enough of it. What the step uses belongs to the
 * loop meanwhile, and to the thread again behind {@link #run}.
 */
public final class Flow implements Loop.Guest {
    private final Loop loop;
    private final SocketChannel source;
    private final Step step;
    private final Thread owner = Thread.currentThread();
    private @Nullable SelectionKey key;
    private @Nullable Throwable failure;
    private volatile boolean cancelled;
    private volatile boolean over;

    Flow(Loop loop, SocketChannel source, Step step) {
        this.loop = loop;
        this.source = source;
        this.step = step;
    }

    /**
     * Lets it flow. By the thread that has made it, once.
     *
     * @throws IOException what the step has thrown; other exceptions come through as well
     * @throws InterruptedException if the thread is interrupted; the step runs no more then
     */
    public void run() throws IOException, InterruptedException {
        boolean interrupted = false;
        try {
            source.configureBlocking(false);
            loop.execute(this::begin);
            while (!over) {
                LockSupport.park(this);
                if (Thread.interrupted()) {
                    interrupted = true;
                    cancel();
                }
            }
        } finally {
            block(source);
        }
        switch (failure) {
            case null -> {}
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new AssertionError("a step throws nothing else", failure);
        }
        if (interrupted) {
            throw new InterruptedException();
        }
    }

    /** Has reads and writes of a socket wait again. */
    static void block(SocketChannel socket) throws IOException {
        try {
            socket.configureBlocking(true);
        } catch (ClosedChannelException e) {
            // who reads next is told
        }
    }

    /** Ends it, by any thread: its own goes on. */
    public void cancel() {
        cancelled = true;
        loop.execute(this::end);
    }

    private void begin() {
        if (cancelled) {
            end();
            return;
        }
        try {
            key = loop.register(source, SelectionKey.OP_READ, this, this::begin);
        } catch (IOException | RuntimeException e) {
            failure = e;
            end();
        }
    }

    @Override
    public void ready(SelectionKey ready) {
        try {
            if (cancelled || !step.run()) {
                end();
            }
        } catch (Throwable e) { // the stream's own thread throws it
            failure = e;
            end();
        }
    }

    @Override
    public void expelled() {
        end();
    }

    private void end() {
        if (!over) {
            if (key != null) {
                key.cancel();
            }
            over = true;
            LockSupport.unpark(owner);
        }
    }
}
