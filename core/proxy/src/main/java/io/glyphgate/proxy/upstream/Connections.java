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
    private final Map<String, Deque<Taken>> idle = new ConcurrentHashMap<>();
    private final Ticker ticker;
    private final Ticker.Check expiry = this::closeOld;
    private volatile boolean closed;

    /** A connection, idle or in use by one request. */
    final class Taken {
        private final TcpClientConnection connection;
        private final Deque<Taken> kept;
        private boolean reused;
        private volatile boolean answered;
        private long idleSince;

        private Taken(ConnectionKey key, Deque<Taken> kept) {
            this.kept = kept;
            connection = TcpClientConnection.create(client, key, List.of(), this::answered, closed -> {});
        }

        /** Helidon's word that the whole answer was read; the connection stays with its request for now. */
        private boolean answered(TcpClientConnection released) {
            answered = true;
            return true;
        }

        ClientConnection connection() {
            return connection;
        }

        /** Whether it was used before, so that the server may have closed it meanwhile. */
        boolean reused() {
            return reused;
        }

        /** Ends its use by a request: it is idle from now on if all of the answer was read, and nothing else has come. */
        void giveBack() {
            if (answered && connection.isConnected() && connection.reader().available() == 0) {
                answered = false;
                reused = true;
                idleSince = System.nanoTime();
                synchronized (kept) {
                    if (!closed && kept.size() < most) {
                        kept.addLast(this);
                        return;
                    }
                }
            }
            close();
        }

        void close() {
            connection.closeResource();
        }
    }

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
        Deque<Taken> kept = idle.computeIfAbsent(authority, a -> new ArrayDeque<>());
        if (!fresh) {
            Taken last;
            synchronized (kept) {
                last = kept.pollLast();
            }
            if (last != null) {
                return last;
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
        Taken taken = new Taken(key, kept);
        taken.connection.connect();
        return taken;
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

    private void closeOld(long now) {
        for (Deque<Taken> kept : idle.values()) {
            for (Taken old = old(kept, now); old != null; old = old(kept, now)) {
                old.close();
            }
        }
    }

    private @Nullable Taken old(Deque<Taken> kept, long now) {
        synchronized (kept) {
            Taken first = kept.peekFirst();
            return first != null && now - first.idleSince > life ? kept.pollFirst() : null;
        }
    }

    @Override
    public void close() {
        closed = true; // an answer whose end is still being read keeps nothing
        ticker.remove(expiry);
        closeOld(System.nanoTime() + life + 1);
    }
}
