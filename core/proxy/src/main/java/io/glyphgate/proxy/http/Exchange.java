package io.glyphgate.proxy.http;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.generate.Client;
import io.glyphgate.proxy.generate.ClientGoneException;
import io.glyphgate.proxy.observe.Ticker;
import io.glyphgate.proxy.wire.Sse;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.ServerConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The client's side of one exchange over Helidon. */
final class Exchange implements Client {
    private final ServerRequest request;
    private final ServerResponse response;
    private final ProxyConfig.Clients limits;
    private final Ticker ticker;
    private final Thread thread = Thread.currentThread();
    private volatile boolean gone;
    private boolean over;
    private @Nullable Events events;

    Exchange(ServerRequest request, ServerResponse response, ProxyConfig.Clients limits, Ticker ticker) {
        this.request = request;
        this.response = response;
        this.limits = limits;
        this.ticker = ticker;
    }

    /** The client is gone: interrupting is the one lever that ends the handler in every phase. */
    synchronized void leave() {
        if (!over) {
            gone = true;
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
        }
    }

    @Override
    public Optional<String> header(String name) {
        return request.headers().first(HeaderNames.create(name));
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
        headers.forEach((name, value) -> response.header(HeaderNames.create(name), value));
        try {
            if (body.length == 0) {
                response.send(); // Helidon takes an empty array for the end of the answer
            } else {
                response.send(body);
            }
        } catch (UncheckedIOException | ServerConnectionException e) {
            throw new ClientGoneException(e);
        }
    }

    @Override
    public EventStream stream(Map<String, String> headers) {
        headers.forEach((name, value) -> response.header(HeaderNames.create(name), value));
        events = new Events();
        ticker.add(events);
        return events;
    }

    /**
     * The stream of events. The ticker's thread looks at it, too: a stream that was silent gets a comment, and a client that
     * takes no bytes is cut, because Helidon's writes wait without limit.
     */
    private final class Events implements EventStream, Ticker.Check {
        private static final long IDLE = Long.MIN_VALUE;

        private final ReentrantLock lock = new ReentrantLock();
        private final long keepAlive = limits.keepAlive().toNanos();
        private final long stall = limits.stall().toNanos();
        private @Nullable OutputStream out;
        private boolean ended;
        private volatile long lastSent = System.nanoTime();
        private volatile long writingSince = IDLE;

        @Override
        public void write(byte[] bytes, int from, int to) {
            if (to > from) { // Helidon takes an empty write for the end of the answer
                send(() -> started().write(bytes, from, to - from));
            }
        }

        @Override
        public void flush() {
            send(() -> started().flush());
        }

        @Override
        public boolean end() {
            ticker.remove(this);
            lock.lock();
            try {
                ended = true;
                return out != null;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void tick(long now) {
            long writing = writingSince;
            if (writing != IDLE && now - writing > stall) {
                leave();
            } else if (now - lastSent > keepAlive) {
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
                if (!ended && !gone) {
                    write(Sse.KEEP_ALIVE, 0, Sse.KEEP_ALIVE.length);
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
            writingSince = System.nanoTime();
            try {
                write.run();
            } catch (IOException | UncheckedIOException | ServerConnectionException e) {
                gone = true;
                throw new ClientGoneException(e);
            } finally {
                lastSent = System.nanoTime();
                writingSince = IDLE;
                lock.unlock();
            }
            if (gone) {
                throw new ClientGoneException(null);
            }
        }
    }

    /** A write that may fail. */
    @FunctionalInterface
    private interface Write {
        void run() throws IOException;
    }
}
