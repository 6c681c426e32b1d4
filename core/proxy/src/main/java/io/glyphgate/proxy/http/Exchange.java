package io.glyphgate.proxy.http;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.generate.Client;
import io.glyphgate.proxy.generate.ClientGoneException;
import io.glyphgate.proxy.loop.Loop;
import io.glyphgate.proxy.observe.Ticker;
import io.glyphgate.proxy.wire.Dialect;
import io.helidon.http.HeaderNames;
import io.helidon.http.Method;
import io.helidon.webserver.ServerConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The client's side of one exchange over Helidon. */
final class Exchange implements Client {
    private static final long IDLE = Long.MIN_VALUE;
    /** A client that takes so much within the limit is no client that takes no bytes. */
    private static final int PIECE = 64 << 10;

    private final ServerRequest request;
    private final ServerResponse response;
    private final @Nullable ClientSocket socket;
    private final ProxyConfig.Clients limits;
    private final Ticker ticker;
    private final Dialect dialect;
    private final Thread thread = Thread.currentThread();
    private final Ticker.Check lingering = this::checkLeft;
    private volatile boolean gone;
    /** Who waits for the client to take bytes, and since when. */
    private volatile @Nullable Thread writer;
    private volatile long writingSince = IDLE;
    private Duration linger = Duration.ZERO;
    private long leftAt = IDLE;
    private boolean over;
    private @Nullable Events events;

    /**
     * An exchange.
     *
     * @param socket the client's socket, where loops can carry its stream; null where not
     */
    Exchange(
            ServerRequest request,
            ServerResponse response,
            @Nullable ClientSocket socket,
            ProxyConfig.Clients limits,
            Ticker ticker,
            Dialect dialect) {
        this.request = request;
        this.response = response;
        this.socket = socket;
        this.limits = limits;
        this.ticker = ticker;
        this.dialect = dialect;
    }

    /** The client is gone: interrupting is the one lever that ends the handler in every phase. */
    synchronized void leave() {
        if (over) {
            return;
        }
        gone = true;
        Thread other = writer;
        if (other != null) {
            other.interrupt(); // a comment that waits for the client holds the lock that the handler wants
        }
        if (linger.isZero() || other == thread) {
            thread.interrupt();
        } else if (leftAt == IDLE) {
            leftAt = System.nanoTime();
            ticker.add(lingering);
        }
    }

    private synchronized void checkLeft(long now) {
        if (!over && now - leftAt > linger.toNanos()) {
            ticker.remove(lingering);
            thread.interrupt();
        }
    }

    @Override
    public synchronized void linger(Duration delay) {
        linger = delay;
    }

    /** Ends the exchange although the client is there: it is told. */
    synchronized void cancel() {
        if (!over) {
            thread.interrupt();
        }
    }

    /** Ends what would outlive the handler. The thread goes on to the connection's next request, so nobody may interrupt it. */
    void close() {
        if (events != null) {
            events.end();
        }
        synchronized (this) {
            over = true;
            ticker.remove(lingering);
        }
    }

    @Override
    public Optional<String> header(String name) {
        return request.headers().first(HeaderNames.create(name));
    }

    @Override
    public Dialect dialect() {
        return dialect;
    }

    @Override
    public boolean gone() {
        return gone;
    }

    @Override
    public void answer(int status, Map<String, String> headers, byte[] body) {
        if (gone) {
            throw new ClientGoneException(null);
        }
        response.status(status);
        headers(headers);
        if (body.length == 0 || head()) {
            gone(() -> response.send()); // Helidon takes an empty array for the end of the answer
            return;
        }
        Ticker.Check stall = this::checkStall;
        ticker.add(stall);
        try {
            if (body.length <= PIECE) {
                gone(() -> response.send(body));
            } else {
                response.contentLength(body.length);
                gone(() -> {
                    OutputStream out = response.outputStream();
                    writePieces(out, body, 0, body.length);
                    out.close();
                });
            }
        } finally {
            ticker.remove(stall);
        }
    }

    private void headers(Map<String, String> headers) {
        headers.forEach((name, value) -> response.header(HeaderNames.create(name), value));
        String id = headers.get(Doors.REQUEST_ID.defaultCase());
        if (id != null) {
            dialect.requestIdHeader().ifPresent(name -> response.header(HeaderNames.create(name), id));
        }
    }

    private boolean head() {
        return request.prologue().method().equals(Method.HEAD);
    }

    private void checkStall(long now) {
        long since = writingSince;
        if (since != IDLE && now - since > limits.stall().toNanos()) {
            leave();
        }
    }

    private void writePieces(OutputStream out, byte[] bytes, int from, int to) throws IOException {
        for (int at = from; at < to; at += PIECE) {
            writingSince = System.nanoTime();
            out.write(bytes, at, Math.min(PIECE, to - at));
        }
    }

    /** Writes; a failure means that the client is gone. */
    private void gone(Write write) {
        writer = Thread.currentThread();
        writingSince = System.nanoTime();
        try {
            write.run();
        } catch (IOException | UncheckedIOException | ServerConnectionException e) {
            gone = true;
            throw new ClientGoneException(e);
        } finally {
            writingSince = IDLE;
            writer = null;
        }
        if (gone) {
            throw new ClientGoneException(null);
        }
    }

    @Override
    public EventStream stream(Map<String, String> headers) {
        headers(headers);
        events = new Events();
        ticker.add(events);
        return events;
    }

    /**
     * The stream of events. The ticker's thread looks at it, too: a stream that was silent gets a comment, and a client that
     * takes no bytes is cut, because Helidon's writes wait without limit.
     */
    private final class Events implements EventStream, Ticker.Check {
        private final ReentrantLock lock = new ReentrantLock();
        private final long keepAlive = limits.keepAlive().toNanos();
        private @Nullable OutputStream out;
        private boolean ended;
        /** Whether the head is sent, behind which the stream is nothing but chunks. */
        private boolean begun;
        /** Chunks that the client did not take from a loop at once; null if there are none. */
        private byte @Nullable [] kept;
        /** What could not be sent from a loop because a comment was being sent. */
        private byte @Nullable [] unsent;

        private volatile long lastSent = System.nanoTime();

        @Override
        public void write(byte[] bytes, int from, int to) {
            if (to == from) {
                return; // Helidon takes an empty write for the end of the answer
            }
            if (Loop.isCurrent()) {
                offer(bytes, from, to);
            } else {
                send(() -> {
                    catchUp();
                    writePieces(started(), bytes, from, to);
                });
            }
        }

        @Override
        public void flush() {
            if (!Loop.isCurrent()) {
                send(() -> {
                    catchUp();
                    if (begun) {
                        started().flush();
                    } else {
                        inOnePiece(started()::flush); // Helidon keeps the first piece, and then writes the head by itself
                        begun = true;
                    }
                });
            }
        }

        @Override
        public Optional<Loop> loop() {
            return begun && socket != null && socket.onLoop() ? Optional.of(socket.loop()) : Optional.empty();
        }

        @Override
        public boolean behind() {
            return kept != null || unsent != null;
        }

        /** Sends what the client takes, and keeps the rest. */
        private void offer(byte[] bytes, int from, int to) {
            if (gone) {
                throw new ClientGoneException(null);
            }
            if (!lock.tryLock()) {
                unsent = Arrays.copyOfRange(bytes, from, to);
                return;
            }
            try {
                kept = Objects.requireNonNull(socket).writeChunk(bytes, from, to);
                lastSent = System.nanoTime();
            } catch (IOException e) {
                gone = true;
                throw new ClientGoneException(e);
            } finally {
                lock.unlock();
            }
        }

        /** Sends what a loop has kept. */
        private void catchUp() throws IOException {
            byte[] chunks = kept;
            if (chunks != null) {
                for (int at = 0; at < chunks.length; at += PIECE) {
                    writingSince = System.nanoTime();
                    Objects.requireNonNull(socket).writeAll(chunks, at, Math.min(chunks.length, at + PIECE));
                }
                kept = null;
            }
            byte[] bytes = unsent;
            if (bytes != null) {
                unsent = null;
                writePieces(started(), bytes, 0, bytes.length);
            }
        }

        @Override
        public boolean end() {
            lock.lock(); // a comment may be on its way to a client that takes nothing, which the ticker sees to
            try {
                ended = true;
                return out != null;
            } finally {
                lock.unlock();
                ticker.remove(this);
            }
        }

        @Override
        public void tick(long now) {
            checkStall(now);
            if (now - lastSent > keepAlive) {
                lastSent = now;
                // a write may wait for the client, and the ticker must not
                Thread.ofVirtual().name("keep-alive").start(this::sendComment);
            }
        }

        private void sendComment() {
            if (!lock.tryLock()) {
                return; // an event is being written, which is a sign of life
            }
            try {
                if (!ended && !gone && !behind()) {
                    write(dialect.keepAlive(), 0, dialect.keepAlive().length);
                    flush();
                }
            } catch (ClientGoneException e) {
                leave();
            } finally {
                lock.unlock();
            }
        }

        private OutputStream started() {
            if (out == null) {
                out = response.outputStream();
            }
            return out;
        }

        private void send(Write write) {
            lock.lock();
            try {
                gone(write);
            } finally {
                lastSent = System.nanoTime();
                lock.unlock();
            }
        }
    }

    /** What is written to the client goes to it in one piece, where that is not too large. */
    private void inOnePiece(Write write) throws IOException {
        if (socket == null) {
            write.run();
            return;
        }
        socket.hold();
        try {
            write.run();
        } finally {
            socket.release();
        }
    }

    /** A write that may fail. */
    @FunctionalInterface
    private interface Write {
        void run() throws IOException;
    }
}
