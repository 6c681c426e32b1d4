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
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Notices a client that closes its connection while its request is being served. Helidon 4.5.0 learns of it only by a failed
 * write, so a client that leaves before the first token is not noticed at all. This reads ahead on the connection while a
 * handler works; bytes that arrive are kept for the next request.
 */
final class PeerWatch {
    private final Map<String, ReadAhead> connections = new ConcurrentHashMap<>();

    /** The connections that are open. */
    int open() {
        return connections.size();
    }

    /** What Helidon must use for HTTP/1.1 connections. */
    ServerConnectionSelector selector() {
        Http1ConnectionSelector http1 =
                Http1ConnectionSelector.builder().config(Http1Config.create()).build();
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
     * Watches the client of a request whose body was read.
     *
     * @param request the request
     * @param gone called once, by another thread, when the client closes its connection
     * @return ends the watch when closed: {@code gone} is not called any more
     */
    Watch watch(ServerRequest request, Runnable gone) {
        ReadAhead connection = connections.get(key(request.serverSocketId(), request.socketId()));
        if (connection == null) {
            throw new IllegalStateException("the connection of a request is not known");
        }
        return connection.watch(gone);
    }

    /** A watch that is on. */
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    private static String key(String server, String client) {
        return server + " " + client;
    }

    private ServerConnection watched(Http1ConnectionSelector http1, ConnectionContext context) {
        DataReader reader = context.dataReader();
        ReadAhead readAhead = new ReadAhead(reader);
        String key = key(context.socketId(), context.childSocketId());
        ServerConnection connection = http1.connection(new WatchedContext(context, DataReader.create(readAhead::read)));
        return new ServerConnection() {
            @Override
            public void handle(Limit limit) throws InterruptedException {
                connections.put(key, readAhead);
                try {
                    connection.handle(limit);
                } finally {
                    connections.remove(key);
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
        private @Nullable CompletableFuture<byte @Nullable []> pending;
        private @Nullable Runnable gone;

        ReadAhead(DataReader socket) {
            this.socket = socket;
        }

        /** Called by the connection's own thread; null at the end of the connection. */
        byte @Nullable [] read() {
            CompletableFuture<byte @Nullable []> ahead;
            synchronized (this) {
                ahead = pending;
                pending = null;
            }
            if (ahead == null) {
                return readSocket();
            }
            try {
                return ahead.join();
            } catch (CompletionException e) {
                throw e.getCause() instanceof RuntimeException x ? x : new UncheckedIOException(new IOException(e.getCause()));
            }
        }

        private byte @Nullable [] readSocket() {
            try {
                socket.ensureAvailable();
            } catch (DataReader.InsufficientDataAvailableException e) {
                return null; // how Helidon's reader says that the connection has ended
            }
            int count = socket.available();
            byte[] bytes = new byte[count];
            var unused = socket.readBuffer(count).read(bytes);
            return bytes;
        }

        synchronized Watch watch(Runnable callback) {
            gone = callback;
            if (pending == null) {
                CompletableFuture<byte @Nullable []> ahead = new CompletableFuture<>();
                pending = ahead;
                Thread.ofVirtual().name("peer-watch").start(() -> readAhead(ahead));
            } else if (pending.isDone() && (pending.isCompletedExceptionally() || pending.join() == null)) {
                callback.run(); // it had ended before
            }
            return this::unwatch;
        }

        private void readAhead(CompletableFuture<byte @Nullable []> ahead) {
            boolean ended;
            try {
                byte[] bytes = readSocket();
                ended = bytes == null;
                ahead.complete(bytes);
            } catch (RuntimeException e) {
                ended = true;
                ahead.completeExceptionally(e);
            }
            if (ended) {
                synchronized (this) {
                    if (gone != null) {
                        gone.run();
                    }
                }
            }
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
