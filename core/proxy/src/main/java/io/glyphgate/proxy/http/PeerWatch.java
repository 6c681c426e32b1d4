package io.glyphgate.proxy.http;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.buffers.DataWriter;
import io.helidon.common.concurrency.limits.Limit;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.PeerInfo;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.ProxyProtocolData;
import io.helidon.webserver.Router;
import io.helidon.webserver.ServerConnectionException;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Notices a client that closes its connection while its request is being served. Helidon 4.5.0 learns of it only by a failed
 * write, so a client that leaves before the first token is not noticed at all. This reads ahead on the connection while a
 * handler works; bytes that arrive are kept for the next request.
 */
final class PeerWatch {
    private static final System.Logger LOG = System.getLogger(PeerWatch.class.getName());
    /** How much of the next requests is read while one is served; a client that sends more is not watched any longer. */
    private static final int MOST_AHEAD = 64 << 10;

    /** The connection that the thread serves: Helidon runs a connection's handlers on its own thread. */
    private static final ThreadLocal<@Nullable ReadAhead> CURRENT = new ThreadLocal<>();

    private final AtomicInteger open = new AtomicInteger();

    /** The connections that are open. */
    int open() {
        return open.get();
    }

    /** What Helidon must use for HTTP/1.1 connections. */
    ServerConnectionSelector selector() {
        Http1ConnectionSelector http1 =
                Http1ConnectionSelector.builder()
                        .config(Http1Config.builder().addReceiveListener(new RequestGuard()).build())
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
        ReadAhead readAhead = new ReadAhead(reader);
        ServerConnection connection = http1.connection(new WatchedContext(context, new StrictReader(readAhead::read)));
        return new ServerConnection() {
            @Override
            public void handle(Limit limit) throws InterruptedException {
                CURRENT.set(readAhead);
                open.incrementAndGet();
                try {
                    connection.handle(limit);
                } finally {
                    open.decrementAndGet();
                    CURRENT.remove();
                }
            }

            @Override
            @SuppressWarnings("removal") // must be there until Helidon removes it
            public void handle(Semaphore semaphore) throws InterruptedException {
                throw new UnsupportedOperationException("Helidon 4.5 calls handle(Limit)");
            }

            @Override
            public Duration idleTime() {
                return connection.idleTime();
            }

            @Override
            public void close(boolean interrupt) {
                connection.close(interrupt);
            }
        };
    }

    /** The only reader of a connection's socket. */
    private static final class ReadAhead {
        private final DataReader socket;
        private final Deque<byte[]> ahead = new ArrayDeque<>();
        private int bytesAhead;
        /** Whether a thread of ours reads the socket now; nobody else may then. */
        private boolean reading;

        private boolean ended;
        private @Nullable RuntimeException failure;
        private @Nullable Runnable gone;

        ReadAhead(DataReader socket) {
            this.socket = socket;
        }

        /** Called by the connection's own thread; null at the end of the connection. */
        byte @Nullable [] read() {
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
                if (!reading && bytesAhead < MOST_AHEAD) {
                    reading = true;
                    Thread.ofVirtual().name("peer-watch").start(this::readAhead);
                }
            }
            return this::unwatch;
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
            reading = !ended && gone != null && bytesAhead < MOST_AHEAD;
            notifyAll();
            return reading;
        }

        private synchronized void unwatch() {
            gone = null;
        }
    }

    /** Helidon's connection with another reader. */
    private record WatchedContext(ConnectionContext context, DataReader dataReader) implements ConnectionContext {
        @Override
        public ListenerContext listenerContext() {
            return context.listenerContext();
        }

        @Override
        public ExecutorService executor() {
            return context.executor();
        }

        @Override
        public DataWriter dataWriter() {
            return context.dataWriter();
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
