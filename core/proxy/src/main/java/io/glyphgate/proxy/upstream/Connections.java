package io.glyphgate.proxy.upstream;

import io.glyphgate.proxy.observe.Ticker;
import io.helidon.common.tls.Tls;
import io.helidon.webclient.api.ClientConnection;
import io.helidon.webclient.api.ConnectionKey;
import io.helidon.webclient.api.DefaultDnsResolver;
import io.helidon.webclient.api.DnsAddressLookup;
import io.helidon.webclient.api.Proxy;
import io.helidon.webclient.api.TcpClientConnection;
import io.helidon.webclient.api.WebClient;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The connections to servers, and those that are idle and can be used again. Helidon 4.5.0 has a cache of its own, but it
 * leaves a connection open whose request failed or was interrupted before the head of its answer, wakes a thread per idle
 * connection ten times a second, and cannot tell whether a connection was used before.
 */
final class Connections implements AutoCloseable {
    private static final Tls NO_TLS = Tls.builder().enabled(false).build();

    private final WebClient client;
    private final int most;
    private final long life;
    private final Map<String, Deque<Idle>> idle = new ConcurrentHashMap<>();
    private final Ticker ticker;
    private final Ticker.Check expiry = this::closeOld;
    private volatile boolean closed;

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
    Taken take(URI server, boolean fresh) {
        String authority = server.getScheme() + "://" + server.getAuthority();
        Deque<Idle> kept = idle.computeIfAbsent(authority, a -> new ArrayDeque<>());
        if (!fresh) {
            Idle last;
            synchronized (kept) {
                last = kept.pollLast();
            }
            if (last != null) {
                return new Taken(last.connection, true);
            }
        }
        boolean secure = server.getScheme().equals("https");
        int port = server.getPort() >= 0 ? server.getPort() : secure ? 443 : 80;
        ConnectionKey key = ConnectionKey.create(
                server.getScheme(),
                server.getHost(),
                port,
                secure ? client.prototype().tls() : NO_TLS,
                DefaultDnsResolver.create(),
                DnsAddressLookup.defaultLookup(),
                Proxy.noProxy());
        TcpClientConnection connection = TcpClientConnection.create(
                client, key, List.of(), released -> keep(kept, released), closed -> {});
        connection.connect();
        return new Taken(connection, false);
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
            if (closed || kept.size() >= most || !connection.isConnected()) {
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
        closed = true; // an answer whose end is still being read keeps nothing
        ticker.remove(expiry);
        closeOld(System.nanoTime() + life + 1);
    }
}
