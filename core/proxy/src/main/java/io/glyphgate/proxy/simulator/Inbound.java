package io.glyphgate.proxy.simulator;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What a client sends. It reads ahead on a thread of its own, so that it notices a client that leaves while nobody
 * waits for bytes.
 */
final class Inbound extends InputStream {
    private final InputStream source;
    private final Runnable onEnd;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final byte[] buffer = new byte[16 * 1024];
    private int position;
    private int limit;
    private boolean ended;

    /**
     * Starts at the beginning.
     *
     * @param source the socket's bytes
     * @param onEnd called once, when the client has closed its side
     */
    Inbound(InputStream source, Runnable onEnd) {
        this.source = source;
        this.onEnd = onEnd;
    }

    /** Reads ahead until the client closes. */
    void readAhead() {
        try {
            while (awaitSpace()) {
                // Nobody else touches the buffer while it is empty.
                int count = source.read(buffer);
                if (count <= 0) {
                    break;
                }
                accept(count);
            }
        } catch (IOException e) {
            // A reset, or a socket that this side closed, is an end like any other: readers see the end of the stream.
        } finally {
            end();
            onEnd.run();
        }
    }

    /** Ends the stream for its reader. */
    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Whether the client has closed its side and all that it sent has been read. */
    boolean ended() {
        lock.lock();
        try {
            return ended && position == limit;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int read() {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
        lock.lock();
        try {
            while (position == limit && !ended) {
                changed.awaitUninterruptibly();
            }
            if (position == limit) {
                return -1;
            }
            int count = Math.min(length, limit - position);
            System.arraycopy(buffer, position, target, offset, count);
            position += count;
            changed.signalAll();
            return count;
        } finally {
            lock.unlock();
        }
    }

    private boolean awaitSpace() {
        lock.lock();
        try {
            while (position < limit && !ended) {
                changed.awaitUninterruptibly();
            }
            return !ended;
        } finally {
            lock.unlock();
        }
    }

    private void accept(int count) {
        lock.lock();
        try {
            position = 0;
            limit = count;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
