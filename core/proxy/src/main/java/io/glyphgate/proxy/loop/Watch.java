package io.glyphgate.proxy.loop;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A socket for which a loop waits, and whose reads and writes do not wait until it is closed. */
public final class Watch implements Loop.Guest, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Watch.class.getName());

    private final Loop loop;
    private final SocketChannel socket;
    private final Step readable;
    private volatile @Nullable SelectionKey key;
    private volatile boolean closed;
    private volatile @Nullable Thread writer;

    Watch(Loop loop, SocketChannel socket, Step readable) throws IOException {
        this.loop = loop;
        this.socket = socket;
        this.readable = readable;
        socket.configureBlocking(false);
        loop.prepare(this::begin);
    }

    /**
     * Waits until there is room to write to the socket, or it has ended. By one thread at a time.
     *
     * @throws ClosedByInterruptException if the thread is interrupted; the socket is closed then, as by a write that waits itself
     */
    public void awaitWritable() throws IOException {
        writer = Thread.currentThread();
        loop.execute(this::wantRoom);
        while (writer != null) {
            LockSupport.park(this);
            if (Thread.currentThread().isInterrupted()) {
                writer = null;
                socket.close();
                throw new ClosedByInterruptException();
            }
        }
    }

    private void wantRoom() {
        SelectionKey known = key;
        if (known == null || !known.isValid()) {
            room(); // the next write says what is wrong
        } else {
            known.interestOpsOr(SelectionKey.OP_WRITE);
        }
    }

    private void room() {
        Thread waiting = writer;
        writer = null;
        LockSupport.unpark(waiting);
    }

    private synchronized void begin() {
        if (closed) {
            return;
        }
        try {
            key = loop.register(socket, SelectionKey.OP_READ, this, this::begin);
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "a socket was closed before it could be watched", e);
        }
    }

    /** Whoever closes the watch waits until this is over: what was read is there then, and nothing is read any more. */
    @Override
    public synchronized void ready(SelectionKey ready) {
        if (closed) {
            return;
        }
        try {
            if (ready.isWritable()) {
                ready.interestOpsAnd(~SelectionKey.OP_WRITE);
                room();
            }
            if (ready.isReadable() && !readable.run()) {
                ready.interestOpsAnd(~SelectionKey.OP_READ);
            }
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "a socket cannot be watched any more", e);
            ready.cancel();
            room();
        }
    }

    @Override
    public void expelled() {
        room();
    }

    /** Has its reads and writes wait again. By the thread that reads and writes next. */
    @Override
    public void close() throws IOException {
        synchronized (this) {
            closed = true;
            if (key != null) {
                key.cancel();
            }
        }
        loop.turn();
        room();
        Flow.block(socket);
    }
}
