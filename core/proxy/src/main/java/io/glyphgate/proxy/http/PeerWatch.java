package io.glyphgate.proxy.http;

import io.glyphgate.proxy.loop.Loops;
import io.glyphgate.proxy.observe.Ticker;
import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.buffers.DataWriter;
import io.helidon.common.concurrency.limits.Limit;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.PeerInfo;
import io.helidon.common.socket.SocketOptions;
import io.helidon.common.task.InterruptableTask;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.ProxyProtocolData;
import io.helidon.webserver.Router;
import io.helidon.webserver.ServerConnectionException;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Notices a client that closes its connection while its request is being served. Helidon 4.5.0 learns of it only by a failed
 * write, so a client that leaves before the first token is not noticed at all. This reads ahead on the connection while a
 * handler works; bytes that arrive are kept for the next request. It also cuts a client that takes too long to send its request,
 * for which Helidon would wait for ever.
 */
final class PeerWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PeerWatch.class.getName());
    /** How much of the next requests is read while one is served; a client that sends more is not watched any longer. */
    private static final int MOST_AHEAD = 64 << 10;

    /** The connection that the thread serves: Helidon runs a connection's handlers on its own thread. */
    private static final ThreadLocal<@Nullable ReadAhead> CURRENT = new ThreadLocal<>();

    private static final long IDLE = Long.MIN_VALUE;
    /** A request that is answered sooner is not worth the watching, for which a loop must be woken. */
    private static final long SOON_NANOS = 50_000_000;

    private final Set<WatchedConnection> open = ConcurrentHashMap.newKeySet();
    private final Supplier<Duration> limit;
    private final byte[] tooLate;
    private final Runnable cut;
    private final Ticker ticker;
    private final Optional<Loops> loops;
    private final AcceptedChannels accepted =
            new AcceptedChannels(SocketOptions.builder().tcpNoDelay(true).build()); // a token must not wait for the one before
    private final Ticker.Check look = this::look;

    /**
     * A watch over all connections.
     *
     * @param limit how long a client may take to send a request
     * @param tooLate the whole answer that it gets then, before its connection is closed
     * @param cut called for each such client
     * @param loops what watches sockets without TLS; empty if a thread of its own watches each
     */
    PeerWatch(Supplier<Duration> limit, byte[] tooLate, Runnable cut, Ticker ticker, Optional<Loops> loops) {
        this.limit = limit;
        this.tooLate = tooLate;
        this.cut = cut;
        this.ticker = ticker;
        this.loops = loops;
        ticker.addStanding(look);
    }

    /** How many connections are open. */
    int open() {
        return open.size();
    }

    /** The options that the sockets of clients must have. */
    SocketOptions options() {
        return accepted;
    }

    /** The socket of the client that this thread serves, where loops can carry its stream; null where not. */
    @Nullable ClientSocket socket() {
        ReadAhead connection = CURRENT.get();
        return connection == null ? null : connection.client;
    }

    /** Says that the request that this thread serves has come, so that its client is no longer waited for. */
    void received() {
        ReadAhead connection = CURRENT.get();
        if (connection != null && !connection.received()) {
            throw new CloseConnectionException("the request came too late");
        }
    }

    private void look(long now) {
        if (open.isEmpty()) {
            return;
        }
        long most = limit.get().toNanos();
        boolean begun = false;
        for (WatchedConnection watched : open) {
            ReadAhead connection = watched.readAhead;
            if (connection.isIdle()) {
                continue;
            }
            begun |= connection.begin(now);
            if (connection.isLate(now, most)) {
                cut.run();
                // a write may wait for the client, and the ticker must not
                Thread.ofVirtual().name("cut-late").start(() -> connection.end(tooLate));
            }
        }
        if (begun) {
            loops.ifPresent(Loops::turn);
        }
    }

    @Override
    public void close() {
        ticker.remove(look);
    }

    /** Closes all connections, whatever they do. */
    void closeAll() {
        open.forEach(connection -> connection.close(true));
    }

    /** What Helidon must use for HTTP/1.1 connections. */
    ServerConnectionSelector selector(Http1Config.Builder config) {
        Http1ConnectionSelector http1 =
                Http1ConnectionSelector.builder()
                        .config(config.addReceiveListener(new RequestGuard()).build())
                        .build();
        return new ServerConnectionSelector() {
            @Override
            public int bytesToIdentifyConnection() {
                return http1.bytesToIdentifyConnection();
            }

            @Override
            public Support supports(BufferData data) {
                return http1.supports(data);
            }

            @Override
            public Set<String> supportedApplicationProtocols() {
                return http1.supportedApplicationProtocols();
            }

            @Override
            public ServerConnection connection(ConnectionContext context) {
                return watched(http1, context);
            }
        };
    }

    /**
     * Watches the client of the request that this thread serves, whose body was read.
     *
     * @param gone called once, by another thread, when the client closes its connection
     * @return ends the watch when closed: {@code gone} is not called any more
     */
    Watch watch(Runnable gone) {
        ReadAhead connection = CURRENT.get();
        if (connection == null) {
            throw new IllegalStateException("this thread serves no connection");
        }
        return connection.watch(gone);
    }

    /** A watch that is on. */
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    private ServerConnection watched(Http1ConnectionSelector http1, ConnectionContext context) {
        DataReader reader = context.dataReader();
        SocketChannel channel = accepted.take(context);
        ClientSocket client = channel == null || loops.isEmpty() ? null : new ClientSocket(channel, context.dataWriter(), loops.get().next());
        ReadAhead readAhead = new ReadAhead(reader, context, client);
        DataWriter writer = client == null ? context.dataWriter() : client;
        ServerConnection connection = http1.connection(new WatchedContext(context, new StrictReader(readAhead::read), writer));
        return new WatchedConnection(connection, readAhead);
    }

    /** A connection that is counted, and that Helidon may interrupt when it stops and the connection waits for a request. */
    private final class WatchedConnection implements ServerConnection, InterruptableTask<Void> {
        private final ServerConnection connection;
        private final ReadAhead readAhead;

        private WatchedConnection(ServerConnection connection, ReadAhead readAhead) {
            this.connection = connection;
            this.readAhead = readAhead;
        }

        @Override
        public void handle(Limit limit) throws InterruptedException {
            CURRENT.set(readAhead);
            open.add(this);
            try {
                connection.handle(limit);
            } finally {
                open.remove(this);
                CURRENT.remove();
            }
        }

        @Override
        @SuppressWarnings("removal") // must be there until Helidon removes it
        public void handle(Semaphore semaphore) throws InterruptedException {
            throw new UnsupportedOperationException("Helidon 4.5 calls handle(Limit)");
        }

        @Override
        public boolean canInterrupt() {
            return connection instanceof InterruptableTask<?> task && task.canInterrupt();
        }

        @Override
        public Duration idleTime() {
            return connection.idleTime();
        }

        @Override
        public void close(boolean interrupt) {
            connection.close(interrupt);
        }
    }

    /** The only reader of a connection's socket. */
    private static final class ReadAhead {
        private final DataReader socket;
        private final ConnectionContext context;
        private final @Nullable ClientSocket client;
        private final Deque<byte[]> ahead = new ArrayDeque<>();
        private int bytesAhead;
        /** Whether a thread of ours reads the socket now; nobody else may then. */
        private boolean reading;

        private boolean ended;
        private @Nullable RuntimeException failure;
        private volatile @Nullable Runnable gone;
        private long watchedSince;
        /** Since when a request is coming, of which not all is here. */
        private volatile long comingSince = IDLE;

        private boolean late;

        ReadAhead(DataReader socket, ConnectionContext context, @Nullable ClientSocket client) {
            this.socket = socket;
            this.context = context;
            this.client = client;
        }

        /** Called by the connection's own thread; null at the end of the connection. */
        byte @Nullable [] read() {
            byte[] bytes = next();
            synchronized (this) {
                if (bytes != null && comingSince == IDLE) {
                    comingSince = System.nanoTime();
                }
            }
            return bytes;
        }

        /** Says that all of the request is here; false if that is too late. */
        synchronized boolean received() {
            comingSince = IDLE;
            return !late;
        }

        /** Whether no request is coming or served: most connections of many, so that it takes no lock. */
        boolean isIdle() {
            return gone == null && comingSince == IDLE;
        }

        /** Whether the request takes longer than the limit; true once. */
        synchronized boolean isLate(long now, long limit) {
            if (late || comingSince == IDLE || now - comingSince <= limit) {
                return false;
            }
            late = true;
            return true;
        }

        /** Answers in place of the handler, which still waits for the request, and ends the connection. */
        void end(byte[] answer) {
            try {
                context.dataWriter().writeNow(BufferData.create(answer));
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.DEBUG, "a client left before it was told that it is too slow", e);
            } finally {
                context.serverSocket().close();
            }
        }

        private byte @Nullable [] next() {
            synchronized (this) {
                while (ahead.isEmpty() && reading) {
                    try {
                        wait();
                    } catch (InterruptedException e) {
                        // how Helidon ends a connection that was idle for too long
                        Thread.currentThread().interrupt();
                        return null;
                    }
                }
                byte[] bytes = ahead.poll();
                if (bytes != null) {
                    bytesAhead -= bytes.length;
                    return bytes;
                }
                if (failure != null) {
                    throw failure;
                }
                if (ended) {
                    return null;
                }
            }
            return readSocket();
        }

        private byte @Nullable [] readSocket() {
            try {
                socket.ensureAvailable();
            } catch (DataReader.InsufficientDataAvailableException e) {
                return null; // how Helidon's reader says that the connection has ended
            } catch (ServerConnectionException e) {
                if (e.getCause() instanceof UncheckedIOException io && io.getCause() instanceof SSLException tls) {
                    // who knocks without TLS, or without a certificate that is trusted; Helidon says nothing of it
                    LOG.log(System.Logger.Level.INFO, "a client got no TLS connection: {0}", tls.getMessage());
                }
                throw e;
            }
            int count = socket.available();
            byte[] bytes = new byte[count];
            var unused = socket.readBuffer(count).read(bytes);
            return bytes;
        }

        synchronized Watch watch(Runnable callback) {
            if (ended) {
                callback.run();
            } else {
                gone = callback;
                watchedSince = System.nanoTime();
                if (client != null) {
                    client.watch(this::readOnLoop);
                }
            }
            return this::unwatch;
        }

        /**
         * Begins to watch a client whose request takes longer than most that are no streams.
         *
         * @return whether its loop does so from the next turn on
         */
        synchronized boolean begin(long now) {
            if (gone == null || ended || now - watchedSince < SOON_NANOS) {
                return false;
            }
            if (client != null) {
                return !client.isWatched() && client.onLoop();
            }
            if (!reading && bytesAhead < MOST_AHEAD) {
                reading = true;
                Thread.ofVirtual().name("peer-watch").start(this::readAhead);
            }
            return false;
        }

        /** Takes what has come; false if nothing more matters. */
        private boolean readOnLoop() {
            byte[] bytes = null;
            RuntimeException thrown = null;
            try {
                bytes = Objects.requireNonNull(client).read();
            } catch (IOException e) {
                thrown = new UncheckedIOException(e);
            }
            return (bytes != null && bytes.length == 0) || take(bytes, thrown);
        }

        /** Reads until the connection ends, too much has come, or nobody watches any more. */
        private void readAhead() {
            boolean more = true;
            while (more) {
                byte[] bytes = null;
                RuntimeException thrown = null;
                try {
                    bytes = readSocket();
                } catch (RuntimeException e) {
                    thrown = e;
                }
                more = take(bytes, thrown);
            }
        }

        private synchronized boolean take(byte @Nullable [] bytes, @Nullable RuntimeException thrown) {
            if (bytes != null) {
                ahead.add(bytes);
                bytesAhead += bytes.length;
            } else {
                ended = true;
                failure = thrown;
                if (gone != null) {
                    gone.run();
                }
            }
            boolean more = !ended && gone != null && bytesAhead < MOST_AHEAD;
            reading = more && client == null; // a loop does not read what others wait for
            notifyAll();
            return more;
        }

        private void unwatch() {
            synchronized (this) {
                gone = null;
            }
            if (client != null) {
                client.unwatch();
            }
        }
    }

    /** Helidon's connection with another reader and writer. */
    private record WatchedContext(ConnectionContext context, DataReader dataReader, DataWriter dataWriter)
            implements ConnectionContext {
        @Override
        public ListenerContext listenerContext() {
            return context.listenerContext();
        }

        @Override
        public ExecutorService executor() {
            return context.executor();
        }

        @Override
        public Router router() {
            return context.router();
        }

        @Override
        public Optional<ProxyProtocolData> proxyProtocolData() {
            return context.proxyProtocolData();
        }

        @Override
        public HelidonSocket serverSocket() {
            return context.serverSocket();
        }

        @Override
        public PeerInfo remotePeer() {
            return context.remotePeer();
        }

        @Override
        public PeerInfo localPeer() {
            return context.localPeer();
        }

        @Override
        public boolean isSecure() {
            return context.isSecure();
        }

        @Override
        public String socketId() {
            return context.socketId();
        }

        @Override
        public String childSocketId() {
            return context.childSocketId();
        }
    }
}
