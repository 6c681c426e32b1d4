package io.glyphgate.proxy.simulator;

import java.io.IOException;
import java.io.InputStream;

/**
 * What a client sends. It reads ahead on a thread of its own, so that it notices a client that leaves while nobody waits for
 * bytes.
 */
final class Inbound extends InputStream {
    private final InputStream source;
    private final Runnable onEnd;
    private final byte[] buffer = new byte[16 * 1024];
    private int position;
    private int limit;
    private boolean ended;

    /**
     * Starts reading.
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
    synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** Whether the client has closed its side and all that it sent has been read. */
    synchronized boolean ended() {
        return ended && position == limit;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public synchronized int read(byte[] target, int offset, int length) throws IOException {
        while (position == limit && !ended) {
            pause();
        }
        if (position == limit) {
            return -1;
        }
        int count = Math.min(length, limit - position);
        System.arraycopy(buffer, position, target, offset, count);
        position += count;
        notifyAll();
        return count;
    }

    private synchronized boolean awaitSpace() throws IOException {
        while (position < limit && !ended) {
            pause();
        }
        return !ended;
    }

    private synchronized void accept(int count) {
        position = 0;
        limit = count;
        notifyAll();
    }

    private synchronized void pause() throws IOException {
        try {
            wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for a client", e);
        }
    }
}
