package io.glyphgate.proxy.upstream;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.observe.Ticker;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.upstream.UpstreamException.Kind;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.socket.SocketOptions;
import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Method;
import io.helidon.webclient.api.HttpClientRequest;
import io.helidon.webclient.api.HttpClientResponse;
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
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to vLLM servers. Blocking; interrupting the thread ends any wait and closes the connection.
 */
public final class UpstreamClient implements AutoCloseable {
    private static final Header PLAIN = HeaderValues.createCached(HeaderNames.ACCEPT_ENCODING, "identity");
    private static final String HTTP_1_1 = "http/1.1";

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
                client, config.idleConnectionsPerEndpoint(), config.idleLife(), ticker);
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
        return told(server, () -> send(Method.POST, server, path, headers, body, firstByte, true));
    }

    /**
     * As {@link #post(Endpoint, String, Map, byte[])}, but sent once and never again, because the server may have used up something
     * that the request brings even if no byte of an answer came. So the connection is a new one, which has not gone stale.
     */
    public Leg postOnce(Endpoint server, String path, Map<String, String> headers, byte[] body) {
        return told(server, () -> send(Method.POST, server, path, headers, body, firstByte, false));
    }

    /** Posts JSON to which the answer must start within a limit. */
    public Leg post(Endpoint server, String path, byte[] body, Duration limit) {
        return told(server, () -> send(Method.POST, server, path, Map.of(), body, limit, true));
    }

    /** As {@link #post(Endpoint, String, byte[], Duration)}, to see what a server is: the endpoint is not told how it goes. */
    Leg ask(Endpoint server, String path, byte[] body, Duration limit) {
        return send(Method.POST, server, path, Map.of(), body, limit, true);
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
        return send(Method.GET, server, path, Map.of(), null, limit, true);
    }

    private Leg send(
            Method method,
            Endpoint server,
            String path,
            Map<String, String> headers,
            byte @Nullable [] body,
            Duration limit,
            boolean repeatable) {
        Connections.Taken taken = connect(server, !repeatable);
        try {
            return attempt(taken, method, server, path, headers, body, limit);
        } catch (UpstreamException e) {
            if (e.kind() != Kind.BROKEN || !taken.reused() || !isClosedEarly(e)) {
                throw e;
            }
            // a server closes idle connections when it likes, and a request may cross that: once more, on a new connection
            return attempt(connect(server, true), method, server, path, headers, body, limit);
        }
    }

    private Connections.Taken connect(Endpoint server, boolean fresh) {
        try {
            return connections.take(server, fresh);
        } catch (RuntimeException e) {
            UpstreamException translated = translate(e);
            throw translated.kind() == Kind.CANCELLED ? translated : noConnection(e);
        }
    }

    private Leg attempt(
            Connections.Taken taken,
            Method method,
            Endpoint server,
            String path,
            Map<String, String> headers,
            byte @Nullable [] body,
            Duration limit) {
        HttpClientRequest request = client.method(method)
                .protocolId(HTTP_1_1) // else Helidon asks each https server on a connection of its own, and takes that
                .uri(server.uri().resolve(path))
                .connection(taken.connection())
                .readTimeout(limit);
        taken.connection().readTimeout(limit);
        headers.forEach((name, value) -> request.header(HeaderNames.create(name), value));
        request.header(PLAIN); // an answer is read, or passed on, as it comes
        server.access().authorization().ifPresent(key -> request.header(HeaderNames.AUTHORIZATION, key));
        try {
            HttpClientResponse response;
            if (body == null) {
                response = request.request();
            } else {
                request.header(HeaderValues.CONTENT_TYPE_JSON);
                response = request.submit(body);
            }
            if (!hasOneLength(response)) {
                throw new UpstreamException(Kind.BROKEN, "The server says twice how long its answer is.", null);
            }
            return new Leg(response, taken, betweenBytes, ticker);
        } catch (UpstreamException e) {
            taken.close();
            throw e;
        } catch (RuntimeException e) {
            taken.close(); // Helidon leaves it open, and the server at work
            throw translate(e);
        }
    }

    /** Whether the end of an answer is said once: a connection on which it is not might be used again in the middle of one. */
    private static boolean hasOneLength(HttpClientResponse response) {
        int lengths = response.headers().values(HeaderNames.CONTENT_LENGTH).size();
        int encodings = response.headers().values(HeaderNames.TRANSFER_ENCODING).size();
        return lengths + encodings <= 1;
    }

    /** Whether the connection ended before any byte of an answer. */
    private static boolean isClosedEarly(UpstreamException e) {
        return e.getCause() instanceof DataReader.InsufficientDataAvailableException
                || (e.getCause() instanceof UncheckedIOException io
                        && io.getCause() != null
                        && String.valueOf(io.getCause().getMessage()).matches("Broken pipe|Connection reset.*"));
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
                    return String.valueOf(x.getMessage()).toLowerCase(java.util.Locale.ROOT).contains("connect")
                            ? noConnection(e)
                            : new UpstreamException(Kind.TIMEOUT, "The server did not answer in time.", e);
                }
                default -> {}
            }
        }
        return new UpstreamException(Kind.BROKEN, "The server broke the connection.", e);
    }

    static UpstreamException translate(IOException e) {
        return translate(new UncheckedIOException(e));
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
