package io.glyphgate.proxy.http;

import io.glyphgate.proxy.loop.Loop;
import io.glyphgate.proxy.loop.Step;
import io.glyphgate.proxy.loop.Watch;
import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client's socket without TLS, which a loop can watch while a request is served. Its writes do not wait by themselves then, so what
 * Helidon writes goes through here.
 */
final class ClientSocket implements DataWriter {
    private static final System.Logger LOG = System.getLogger(ClientSocket.class.getName());
    /** What a loop writes at once: a size in hexadecimal digits, a piece of a stream, two ends of lines. */
    private static final int PIECE = 16 << 10;
    private static final int FRAME = 12;
    /** A head, and a piece of a stream as most are. */
    private static final int HELD = 4 << 10;
    private static final byte[] HEX = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};

    private final SocketChannel channel;
    private final DataWriter helidon;
    private final Loop loop;
    /** Held while something is written that may wait, and while that changes. */
    private final ReentrantLock writing = new ReentrantLock();
    /** What a loop is to call; null if none is to watch. */
    private volatile @Nullable Step readable;
    private volatile @Nullable Watch watch;
    private @Nullable ByteBuffer buffer;
    /** What is to be sent in one piece with what comes next; null if nothing is. */
    private @Nullable ByteBuffer held;

    ClientSocket(SocketChannel channel, DataWriter helidon, Loop loop) {
        this.channel = channel;
        this.helidon = helidon;
        this.loop = loop;
    }

    /**
     * Lets a loop watch it from the next {@link #onLoop} on.
     *
     * @param step called there when there are bytes, or the socket has ended; false to hear no more
     */
    void watch(Step step) {
        readable = step;
    }

    /** Whether its loop watches it. */
    boolean isWatched() {
        return watch != null;
    }

    /** The loop that it belongs to. */
    Loop loop() {
        return loop;
    }

    /**
     * Has its loop watch it from that one's next turn on, where it may. By any thread: it never waits.
     *
     * @return whether it does; false, too, while something is being written
     */
    boolean onLoop() {
        if (watch == null && readable != null && writing.tryLock()) {
            try {
                Step step = readable;
                if (watch == null && step != null) {
                    watch = loop.watch(channel, step);
                }
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "a connection was closed before it could be watched", e);
            } finally {
                writing.unlock();
            }
        }
        return watch != null;
    }

    /** Has its reads and writes wait again. */
    void unwatch() {
        writing.lock();
        try {
            readable = null;
            Watch watching = watch;
            watch = null;
            if (watching != null) {
                watching.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            writing.unlock();
        }
    }

    /** What has come; null at the end. For a loop that has seen something come. */
    byte @Nullable [] read() throws IOException {
        ByteBuffer some = ByteBuffer.allocate(4096);
        int count = channel.read(some);
        if (count < 0) {
            return null;
        }
        byte[] bytes = new byte[count];
        some.flip().get(bytes);
        return bytes;
    }

    private ByteBuffer buffer() {
        ByteBuffer known = buffer;
        if (known == null) {
            known = ByteBuffer.allocateDirect(PIECE + FRAME);
            buffer = known;
        }
        return known.clear();
    }

    /**
     * Writes a piece of a stream as a chunk, without waiting.
     *
     * @return what the client did not take, by value; null if it took all
     */
    byte @Nullable [] writeChunk(byte[] bytes, int from, int to) throws IOException {
        for (int at = from; at < to; at += PIECE) {
            ByteBuffer chunk = chunk(bytes, at, Math.min(to, at + PIECE));
            int written = channel.write(chunk);
            if (chunk.hasRemaining()) {
                return rest(chunk, bytes, at + PIECE, to);
            }
            assert written > 0;
        }
        return null;
    }

    /** What is left of a chunk, with the pieces behind it. */
    private byte[] rest(ByteBuffer begun, byte[] bytes, int from, int to) {
        int size = begun.remaining();
        for (int at = from; at < to; at += PIECE) {
            size += Math.min(PIECE, to - at) + FRAME;
        }
        ByteBuffer rest = ByteBuffer.allocate(size).put(begun);
        for (int at = from; at < to; at += PIECE) {
            rest.put(chunk(bytes, at, Math.min(to, at + PIECE)));
        }
        byte[] left = new byte[rest.position()];
        rest.flip().get(left);
        return left;
    }

    private ByteBuffer chunk(byte[] bytes, int from, int to) {
        ByteBuffer chunk = buffer();
        int size = to - from;
        for (int shift = (31 - Integer.numberOfLeadingZeros(size)) / 4 * 4; shift >= 0; shift -= 4) {
            chunk.put(HEX[size >> shift & 0xF]);
        }
        return chunk.put((byte) '\r').put((byte) '\n').put(bytes, from, size).put((byte) '\r').put((byte) '\n').flip();
    }

    /** Keeps what is written, as far as there is room for it, until {@link #release}, which must follow. */
    void hold() {
        writing.lock();
        held = ByteBuffer.allocate(HELD);
    }

    /** Sends what was kept, in one piece. */
    void release() throws IOException {
        try {
            ByteBuffer kept = Objects.requireNonNull(held, "nothing is held");
            held = null;
            drain(kept.flip());
        } finally {
            writing.unlock();
        }
    }

    /** Writes bytes, and waits until the client has taken them. */
    void writeAll(byte[] bytes, int from, int to) throws IOException {
        writing.lock();
        try {
            drain(ByteBuffer.wrap(bytes, from, to - from));
        } finally {
            writing.unlock();
        }
    }

    private void drain(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            Watch watching = watch;
            if (channel.write(bytes) == 0 && watching != null) {
                watching.awaitWritable();
            }
        }
    }

    @Override
    public void write(BufferData... buffers) {
        write(BufferData.create(buffers));
    }

    @Override
    public void write(BufferData data) {
        write(data, helidon::write);
    }

    private void write(BufferData data, Consumer<BufferData> waiting) {
        writing.lock();
        try {
            if (held != null) {
                keep(data, held);
                return;
            }
            if (watch == null) {
                waiting.accept(data);
                return;
            }
            ByteBuffer some = ByteBuffer.allocate(Math.min(PIECE, data.available()));
            while (!data.consumed()) {
                some.clear();
                data.writeTo(some, Math.min(some.remaining(), data.available()));
                drain(some.flip());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            writing.unlock();
        }
    }

    private void keep(BufferData data, ByteBuffer kept) throws IOException {
        while (!data.consumed()) {
            if (!kept.hasRemaining()) {
                drain(kept.flip());
                kept.clear();
            }
            data.writeTo(kept, Math.min(kept.remaining(), data.available()));
        }
    }

    @Override
    public void writeNow(BufferData... buffers) {
        writeNow(BufferData.create(buffers));
    }

    @Override
    public void writeNow(BufferData data) {
        write(data, helidon::writeNow);
    }

    @Override
    public void flush() {
        if (watch == null && held == null) {
            helidon.flush();
        }
    }

    @Override
    public void close() {
        helidon.close();
    }
}
