package io.glyphgate.proxy.upstream;

import io.glyphgate.proxy.observe.Ticker;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.secure.Access;
import io.helidon.common.tls.Tls;
import io.helidon.webclient.api.ClientConnection;
import io.helidon.webclient.api.ConnectionKey;
import io.helidon.webclient.api.DefaultDnsResolver;
import io.helidon.webclient.api.DnsAddressLookup;
import io.helidon.webclient.api.Proxy;
import io.helidon.webclient.api.TcpClientConnection;
import io.helidon.webclient.api.WebClient;
import io.helidon.webclient.spi.DnsResolver;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The connections to servers, and those that are idle and can be used again. Helidon 4.5.0 has a cache of its own, but it
 * leaves a connection open whose request failed or was interrupted before the head of its answer, wakes a thread per idle
 * connection ten times a second, and cannot tell whether a connection was used before.
 */
final class Connections implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Connections.class.getName());
    private static final Tls NO_TLS = Tls.builder().enabled(false).build();

    private final WebClient client;
    private final int most;
    private final long life;
    private final Map<Target, Deque<Idle>> idle = new ConcurrentHashMap<>();
    private final Map<Access, Tls> handshakes = new ConcurrentHashMap<>();
    private final Ticker ticker;
    private final Ticker.Check expiry = this::closeOld;

    /** Connections to one server are not shared by pools that reach it in different ways. */
    private record Target(String scheme, String authority, Access access) {}

    private record Idle(TcpClientConnection connection, long since) {}

    /**
     * A connection for one request.
     *
     * @param connection the connection
     * @param reused whether it was used before, so that the server may have closed it meanwhile
     */
    record Taken(ClientConnection connection, boolean reused) {}

    /**
     * Connections.
     *
     * @param most how many idle ones are kept for each server
     * @param life how long an idle one is kept
     */
    Connections(WebClient client, int most, Duration life, Ticker ticker) {
        this.client = client;
        this.most = most;
        this.life = life.toNanos();
        this.ticker = ticker;
        ticker.addStanding(expiry);
    }

    /** Takes a connection to a server; a fresh one where none is idle or it must be fresh. */
    Taken take(Endpoint server, boolean fresh) {
        URI uri = server.uri();
        Access access = server.access();
        Deque<Idle> kept = idle.computeIfAbsent(
                new Target(uri.getScheme(), uri.getAuthority(), access), target -> new ArrayDeque<>());
        if (!fresh) {
            Idle last;
            synchronized (kept) {
                last = kept.pollLast();
            }
            if (last != null) {
                return new Taken(last.connection, true);
            }
        }
        boolean secure = uri.getScheme().equals("https");
        int port = uri.getPort() >= 0 ? uri.getPort() : secure ? 443 : 80;
        ConnectionKey key = ConnectionKey.create(
                uri.getScheme(),
                uri.getHost(),
                port,
                secure ? handshakes.computeIfAbsent(access, this::tls) : NO_TLS,
                secure ? named(access) : DefaultDnsResolver.create(),
                DnsAddressLookup.defaultLookup(),
                Proxy.noProxy());
        TcpClientConnection connection = TcpClientConnection.create(
                client, key, List.of(), released -> keep(kept, released), closed -> {});
        connect(connection, uri);
        return new Taken(connection, false);
    }

    private static void connect(TcpClientConnection connection, URI server) {
        try {
            connection.connect();
        } catch (RuntimeException e) {
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                if (cause instanceof SSLException) {
                    // nothing was asked yet, and only the operator can say which side is wrong
                    LOG.log(System.Logger.Level.WARNING, "no TLS with {0}: {1}", server, cause.getMessage());
                    break;
                }
            }
            throw e;
        }
    }

    private Tls tls(Access access) {
        return access.equals(Access.PLAIN)
                ? client.prototype().tls()
                : Tls.builder()
                        .update(builder -> access.tls().ifPresent(builder::sslContext))
                        .endpointIdentificationAlgorithm(
                                access.verifyHost() ? Tls.ENDPOINT_IDENTIFICATION_HTTPS : Tls.ENDPOINT_IDENTIFICATION_NONE)
                        .build();
    }

    /**
     * Resolves a host, and gives its address the name that the server must show: Helidon takes that from the address, and for a
     * host that is written as an address it would ask the name service backwards.
     */
    private static DnsResolver named(Access access) {
        DnsResolver resolver = DefaultDnsResolver.create();
        return (host, lookup) -> {
            String name = access.serverName().orElse(host);
            String bare = name.startsWith("[") ? name.substring(1, name.length() - 1) : name;
            try {
                return InetAddress.getByAddress(bare, resolver.resolveAddress(host, lookup).getAddress());
            } catch (UnknownHostException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    /** How many connections are idle. */
    int idle() {
        return idle.values().stream()
                .mapToInt(kept -> {
                    synchronized (kept) {
                        return kept.size();
                    }
                })
                .sum();
    }

    private boolean keep(Deque<Idle> kept, TcpClientConnection connection) {
        synchronized (kept) {
            // bytes behind the end of an answer would be taken for the start of the next one
            if (kept.size() >= most || !connection.isConnected() || connection.reader().available() > 0) {
                return false;
            }
            kept.addLast(new Idle(connection, System.nanoTime()));
            return true;
        }
    }

    private void closeOld(long now) {
        for (Deque<Idle> kept : idle.values()) {
            for (Idle old = old(kept, now); old != null; old = old(kept, now)) {
                old.connection.closeResource();
            }
        }
    }

    private @Nullable Idle old(Deque<Idle> kept, long now) {
        synchronized (kept) {
            Idle first = kept.peekFirst();
            return first != null && now - first.since > life ? kept.pollFirst() : null;
        }
    }

    @Override
    public void close() {
        ticker.remove(expiry);
        closeOld(System.nanoTime() + life + 1);
    }
}
