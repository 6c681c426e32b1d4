package io.glyphgate.proxy.upstream;

import io.glyphgate.proxy.observe.Ticker;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.secure.Access;
import io.helidon.common.tls.Tls;
import io.helidon.webclient.api.ConnectionKey;
import io.helidon.webclient.api.DefaultDnsResolver;
import io.helidon.webclient.api.DnsAddressLookup;
import io.helidon.webclient.api.Proxy;
import io.helidon.webclient.api.WebClient;
import io.helidon.webclient.spi.DnsResolver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The connections to servers, and those that are idle and can be used again. Helidon 4.5.0 has a cache of its own, but it
 * leaves a connection open whose request failed or was interrupted before the head of its answer, wakes a thread per idle
 * connection ten times a second, and cannot tell whether a connection was used before.
 */
final class Connections implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Connections.class.getName());

    private final WebClient client;
    private final Duration connectLimit;
    private final int most;
    private final long life;
    private final Map<Target, Deque<Connection>> idle = new ConcurrentHashMap<>();
    private final Ticker ticker;
    private final Ticker.Check expiry = this::closeOld;
    private volatile boolean closed;

    /** What is reached. Connections to one server are not shared by pools that reach it in different ways. */
    record Target(String scheme, String authority, Access access) {}

    /**
     * Connections.
     *
     * @param client what speaks on connections with TLS
     * @param connectLimit how long one without may take to open
     * @param most how many idle ones are kept for each server
     * @param life how long an idle one is kept
     */
    Connections(WebClient client, Duration connectLimit, int most, Duration life, Ticker ticker) {
        this.client = client;
        this.connectLimit = connectLimit;
        this.most = most;
        this.life = life.toNanos();
        this.ticker = ticker;
        ticker.addStanding(expiry, Ticker.eighthOf(life));
    }

    /** Takes a connection to a server; a fresh one where none is idle or it must be fresh. */
    Connection take(Endpoint server, boolean fresh) throws IOException {
        URI uri = server.uri();
        Access access = server.access();
        boolean secure = uri.getScheme().equals("https");
        Target target = new Target(uri.getScheme(), uri.getAuthority(), access);
        if (!fresh) {
            Connection last = remove(target, Deque::pollLast);
            if (last != null && System.nanoTime() - last.idleSince() <= life) {
                return last;
            }
            if (last != null) {
                last.close(); // its server may be about to do so; the ticker takes those away that are idle for longer
            }
        }
        return secure ? secure(target, uri, access) : new PlainConnection(target, uri, connectLimit);
    }

    private Connection secure(Target target, URI uri, Access access) {
        ConnectionKey key = ConnectionKey.create(
                uri.getScheme(),
                uri.getHost(),
                uri.getPort() >= 0 ? uri.getPort() : 443,
                tls(access),
                named(access),
                DnsAddressLookup.defaultLookup(),
                Proxy.noProxy());
        try {
            return new HelidonConnection(target, client, uri, key);
        } catch (RuntimeException e) {
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                if (cause instanceof SSLException) {
                    // nothing was asked yet, and only the operator can say which side is wrong
                    LOG.log(System.Logger.Level.WARNING, "no TLS with {0}: {1}", uri, cause.getMessage());
                    break;
                }
            }
            throw e;
        }
    }

    /** Ends the use of a connection by a request: it is idle from now on if all of the answer was read, and nothing else has come. */
    void giveBack(Connection connection) {
        if (connection.settle()) {
            connection.rest();
            if (keep(connection)) {
                return;
            }
        }
        connection.close();
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
        AtomicInteger count = new AtomicInteger();
        idle.keySet().forEach(target -> idle.computeIfPresent(target, (t, kept) -> {
            count.addAndGet(kept.size());
            return kept;
        }));
        return count.get();
    }

    private boolean keep(Connection connection) {
        AtomicBoolean taken = new AtomicBoolean();
        idle.compute(connection.target(), (target, known) -> {
            Deque<Connection> kept = known == null ? new ArrayDeque<>() : known;
            if (!closed && kept.size() < most) {
                kept.addLast(connection);
                taken.set(true);
            }
            return kept.isEmpty() ? null : kept;
        });
        return taken.get();
    }

    /** Takes one of the idle connections to a server away, if it is to be; nothing stays of a server without any. */
    private @Nullable Connection remove(Target target, Function<Deque<Connection>, @Nullable Connection> choice) {
        AtomicReference<@Nullable Connection> removed = new AtomicReference<>();
        idle.computeIfPresent(target, (t, kept) -> {
            removed.set(choice.apply(kept));
            return kept.isEmpty() ? null : kept;
        });
        return removed.get();
    }

    private void closeOld(long now) {
        for (Target target : idle.keySet()) {
            for (Connection old = old(target, now); old != null; old = old(target, now)) {
                old.close();
            }
        }
    }

    private @Nullable Connection old(Target target, long now) {
        return remove(target, kept -> {
            Connection first = kept.peekFirst();
            return first != null && now - first.idleSince() > life ? kept.pollFirst() : null;
        });
    }

    @Override
    public void close() {
        closed = true; // an answer whose end is still being read keeps nothing
        ticker.remove(expiry);
        closeOld(System.nanoTime() + life + 1);
    }
}
