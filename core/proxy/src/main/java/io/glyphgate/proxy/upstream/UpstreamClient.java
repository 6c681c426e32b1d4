package io.glyphgate.proxy.upstream;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.observe.Ticker;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.upstream.Connection.Request;
import io.glyphgate.proxy.upstream.UpstreamException.Kind;
import io.helidon.common.socket.SocketOptions;
import io.helidon.webclient.api.Proxy;
import io.helidon.webclient.api.WebClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to vLLM servers. Blocking; interrupting the thread ends any wait and closes the connection.
 */
public final class UpstreamClient implements AutoCloseable {
    private final WebClient client;
    private final Duration firstByte;
    private final Duration betweenBytes;
    private final Ticker ticker;
    private final Connections connections;

    /** A client with the limits of the configuration. */
    public UpstreamClient(ProxyConfig.Upstream config, Ticker ticker) {
        firstByte = config.firstByte();
        betweenBytes = config.betweenBytes();
        this.ticker = ticker;
        client = WebClient.builder()
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(config.connect())
                        .readTimeout(firstByte)
                        .tcpNoDelay(true) // else a body waits until its head has arrived
                        .build())
                .connectionListener(new HandshakeLimit(config.connect()))
                .followRedirects(false)
                .sendExpectContinue(false)
                .shareConnectionCache(false)
                .proxy(Proxy.noProxy())
                .build();
        connections = new Connections(
                client, config.connect(), config.idleConnectionsPerEndpoint(), config.idleLife(), ticker);
    }

    /**
     * Posts JSON. How it goes is told to the endpoint, as it is of all that clients ask.
     *
     * @param server the server
     * @param path the path on it
     * @param headers headers beside those that JSON needs
     * @param body the JSON
     * @return the answer, whose head has arrived; it must be closed
     * @throws UpstreamException if no head of an answer came
     */
    public Leg post(Endpoint server, String path, Map<String, String> headers, byte[] body) {
        return told(server, () -> send("POST", server, path, headers, body, firstByte, true));
    }

    /**
     * As {@link #post(Endpoint, String, Map, byte[])}, but sent once and never again, because the server may have used up something
     * that the request brings even if no byte of an answer came. So the connection is a new one, which has not gone stale.
     */
    public Leg postOnce(Endpoint server, String path, Map<String, String> headers, byte[] body) {
        return postOnce(server, path, headers, body, firstByte);
    }

    /** As {@link #postOnce(Endpoint, String, Map, byte[])}, and the answer must start within a limit. */
    public Leg postOnce(Endpoint server, String path, Map<String, String> headers, byte[] body, Duration limit) {
        return told(server, () -> send("POST", server, path, headers, body, limit, false));
    }

    /** Posts JSON to which the answer must start within a limit. */
    public Leg post(Endpoint server, String path, byte[] body, Duration limit) {
        return told(server, () -> send("POST", server, path, Map.of(), body, limit, true));
    }

    /** As {@link #post(Endpoint, String, byte[], Duration)}, to see what a server is: the endpoint is not told how it goes. */
    Leg ask(Endpoint server, String path, byte[] body, Duration limit) {
        return send("POST", server, path, Map.of(), body, limit, true);
    }

    /** Has the endpoint told how a request goes, up to the first byte of the answer. */
    private static Leg told(Endpoint server, Supplier<Leg> request) {
        try {
            Leg leg = request.get();
            leg.tell(server);
            return leg;
        } catch (UpstreamException e) {
            e.trouble().ifPresent(server::failed);
            throw e;
        }
    }

    /** Gets something for a client. */
    public Leg get(Endpoint server, String path, Map<String, String> headers) {
        return told(server, () -> send("GET", server, path, headers, null, firstByte, true));
    }

    /**
     * Gets something small, to see what a server is: the endpoint is not told how it goes.
     *
     * @param server the server
     * @param path the path on it
     * @param limit how long it may take
     * @return the answer, whose head has arrived; it must be closed
     * @throws UpstreamException if no head of an answer came
     */
    public Leg get(Endpoint server, String path, Duration limit) {
        return send("GET", server, path, Map.of(), null, limit, true);
    }

    private Leg send(
            String method,
            Endpoint server,
            String path,
            Map<String, String> headers,
            byte @Nullable [] body,
            Duration limit,
            boolean repeatable) {
        Map<String, String> all = new LinkedHashMap<>(headers);
        server.access().authorization().ifPresent(key -> all.put("Authorization", key));
        Request request = new Request(method, path, all, body, limit);
        Connection connection = connect(server, !repeatable);
        try {
            return attempt(connection, request);
        } catch (UpstreamException e) {
            if (e.kind() != Kind.BROKEN || !connection.reused() || !connection.closedEarly(e)) {
                throw e;
            }
            // a server closes idle connections when it likes, and a request may cross that: once more, on a new connection
            return attempt(connect(server, true), request);
        }
    }

    private Connection connect(Endpoint server, boolean fresh) {
        try {
            return connections.take(server, fresh);
        } catch (IOException e) {
            throw notConnected(new UncheckedIOException(e));
        } catch (RuntimeException e) {
            throw notConnected(e);
        }
    }

    private static UpstreamException notConnected(RuntimeException e) {
        UpstreamException translated = translate(e);
        return translated.kind() == Kind.CANCELLED ? translated : noConnection(e);
    }

    private Leg attempt(Connection connection, Request request) {
        Patience patience = new Patience(connection, request.limit());
        ticker.add(patience);
        try {
            connection.ask(request);
            if (!patience.ends()) {
                throw tooLate(null);
            }
            return new Leg(connection, connections, betweenBytes, ticker);
        } catch (UpstreamException e) {
            connection.close();
            throw e;
        } catch (IOException e) {
            connection.close();
            throw patience.ends() ? translate(e) : tooLate(e);
        } catch (RuntimeException e) {
            connection.close(); // Helidon leaves it open, and the server at work
            throw patience.ends() ? translate(e) : tooLate(e);
        } finally {
            ticker.remove(patience);
        }
    }

    /**
     * How long a server is waited for, from the first byte of the request to the head of the answer: one that takes a connection but
     * reads nothing would keep who writes to it for ever.
     */
    private static final class Patience implements Ticker.Check {
        private final Connection connection;
        private final long since = System.nanoTime();
        private final long limit;
        private final AtomicBoolean over = new AtomicBoolean();

        Patience(Connection connection, Duration limit) {
            this.connection = connection;
            this.limit = limit.toNanos();
        }

        @Override
        public void tick(long now) {
            if (now - since > limit && over.compareAndSet(false, true)) {
                connection.abandon();
            }
        }

        /** Ends it; false if it had run out before. */
        boolean ends() {
            return over.compareAndSet(false, true);
        }
    }

    private static UpstreamException tooLate(@Nullable Exception e) {
        return new UpstreamException(Kind.TIMEOUT, "The server did not answer in time.", e);
    }

    /** How many connections are open that no request uses. */
    public int idleConnections() {
        return connections.idle();
    }

    static UpstreamException translate(RuntimeException e) {
        if (Thread.currentThread().isInterrupted()) {
            return new UpstreamException(Kind.CANCELLED, "The request was cancelled.", e);
        }
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            switch (cause) {
                case ConnectException x -> {
                    return noConnection(e);
                }
                case UnknownHostException x -> {
                    return noConnection(e);
                }
                case NoRouteToHostException x -> {
                    return noConnection(e);
                }
                case UnresolvedAddressException x -> {
                    return noConnection(e);
                }
                case SocketTimeoutException x -> {
                    return String.valueOf(x.getMessage()).toLowerCase(Locale.ROOT).contains("connect")
                            ? noConnection(e)
                            : new UpstreamException(Kind.TIMEOUT, "The server did not answer in time.", e);
                }
                default -> {}
            }
        }
        return new UpstreamException(Kind.BROKEN, "The server broke the connection.", e);
    }

    static UpstreamException translate(IOException e) {
        UpstreamException translated = translate(new UncheckedIOException(e));
        return new UpstreamException(translated.kind(), String.valueOf(translated.getMessage()), e);
    }

    private static UpstreamException noConnection(RuntimeException e) {
        return new UpstreamException(Kind.NO_CONNECTION, "The server took no connection.", e);
    }

    @Override
    public void close() {
        connections.close();
        client.closeResource();
    }
}
