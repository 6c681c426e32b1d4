package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.config.ProxyConfig.Streaming;
import io.glyphgate.proxy.http.AdminDoors;
import io.glyphgate.proxy.http.AdminPages;
import io.glyphgate.proxy.http.Doors;
import io.glyphgate.proxy.http.Generation;
import io.glyphgate.proxy.loop.Loops;
import io.glyphgate.proxy.observe.CaptureFolder;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.observe.Ticker;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.pool.Running;
import io.glyphgate.proxy.upstream.UpstreamClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A running proxy: the wiring of all its parts, and the change from the parts of one configuration to those of the next. */
final class Proxy implements AutoCloseable {
    /** Fine enough for limits of a few hundred milliseconds, and no load when nothing happens. */
    private static final Duration BEAT = Duration.ofMillis(100);
    /** How long parts may take to close at the end: prompts are released meanwhile. */
    private static final Duration CLOSING = Duration.ofSeconds(15);

    /** A loop carries hundreds of streams, and the other processors have requests to read and prompts to make. */
    private static final int LOOPS = Math.clamp(Runtime.getRuntime().availableProcessors() / 4, 1, 8);

    private static final System.Logger LOG = System.getLogger(Proxy.class.getName());

    private final Stock stock;
    private final Ticker ticker = new Ticker(BEAT);
    private final Meters meters = new Meters();
    private final Running running = new Running();
    private final Shared<ProxyConfig.Upstream, UpstreamClient> clients = new Shared<>(UpstreamClient::close);
    /** The parts that serve, and those whose last requests have not ended. Guarded by itself. */
    private final Set<Parts> open = new LinkedHashSet<>();

    private final Doors doors;
    private final Reload reload;
    private final ReentrantLock stopping = new ReentrantLock();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Optional<AdminDoors> admin;
    private final Optional<Loops> loops;
    private volatile @Nullable Parts current;

    /** Starts a proxy; it closes the setup, and what others would share with it, when it is closed. */
    Proxy(Setup setup) {
        stock = setup.stock();
        loops = setup.config().server().streaming() == Streaming.AUTO ? Optional.of(new Loops(LOOPS)) : Optional.empty();
        Meters.Reloads reloads = meters.reloads(this::generations);
        try {
            doors = open(parts(setup));
            reload = new Reload(this, setup, reloads);
            setup.secrets().watchIdentity(ticker, meters);
            OldGeneration.ofSerial().ifPresent(old -> ticker.addStanding(old, OldGeneration.LOOK));
            admin = setup.config().admin().map(config -> admin(setup.config()));
        } catch (RuntimeException e) {
            closeAll();
            throw e;
        }
    }

    private AdminDoors admin(ProxyConfig config) {
        try {
            return new AdminDoors(
                    config,
                    () -> serving().setup().secrets().adminKeys(),
                    doors::ready,
                    meters,
                    ticker,
                    new AdminDoors.Pages()
                            .get("/admin/pools", () -> AdminPages.pools(serving().setup().router().pools()))
                            .get("/admin/plugins", () -> AdminPages.plugins(serving().setup().registry()))
                            .post("/admin/reload", this::reloadAsked));
        } catch (RuntimeException e) {
            doors.close();
            throw e;
        }
    }

    private AdminDoors.Content reloadAsked() {
        Reload.Outcome outcome = reload.now("POST /admin/reload");
        return new AdminDoors.Content(
                outcome.good() ? 200 : 422, AdminPages.reload(outcome.good(), outcome.generation(), outcome.messages()));
    }

    /** The parts that requests get that begin now. */
    private Parts serving() {
        return Objects.requireNonNull(current, "nothing serves yet");
    }

    private Doors open(Parts first) {
        try {
            Doors opened = new Doors(generation(first), meters, ticker, loops, Parts.version());
            inForce(first);
            return opened;
        } catch (RuntimeException e) {
            close(first);
            throw e;
        }
    }

    /** The parts of a setup, checked; they do not serve yet. Closes the setup if they cannot be had. */
    private Parts parts(Setup setup) {
        ProxyConfig.Upstream limits = setup.config().upstream();
        UpstreamClient client = clients.take(limits, () -> new UpstreamClient(limits, ticker));
        Parts parts;
        try {
            parts = new Parts(setup, clients, client, running, meters, ticker);
        } catch (RuntimeException e) {
            clients.release(limits);
            setup.close();
            throw e;
        }
        synchronized (open) {
            open.add(parts);
        }
        try {
            parts.check();
            return parts;
        } catch (RuntimeException e) {
            close(parts);
            throw e;
        }
    }

    private Generation generation(Parts parts) {
        // what the parts wait for when they are closed must not hold up the request that was the last
        return new Generation(parts.services(), () -> Thread.ofPlatform()
                .name("close-generation")
                .daemon()
                .start(() -> close(parts)));
    }

    /**
     * Lets another configuration serve from now on. Requests that have begun end with what they began with.
     *
     * @throws IllegalArgumentException if it cannot; nothing has changed then, and the setup is closed
     */
    Parts serve(Setup setup) {
        Parts next = parts(setup);
        if (!doors.serve(generation(next))) {
            close(next);
            throw new IllegalArgumentException("the proxy is stopping, so it takes up no other configuration");
        }
        inForce(next);
        return next;
    }

    private void inForce(Parts parts) {
        synchronized (open) {
            open.stream().filter(other -> other != parts).forEach(Parts::watchNoMore);
        }
        parts.setup().takeEffect();
        current = parts;
        for (Pool pool : parts.setup().router().pools()) {
            pool.listen(new PoolMeters(pool.name(), meters));
            if (pool.limited()) {
                meters.queueLength(pool.name(), pool::waiting);
            }
        }
        parts.meterDiscoveries();
        parts.meterStreams();
        if (parts.setup().captures().isPresent()) {
            for (CaptureFolder.Result result : CaptureFolder.Result.values()) {
                meters.captures(result.name().toLowerCase(Locale.ROOT), () -> stock.captured().count(result));
            }
        }
        keepMeters();
    }

    /** Drops the meters of what no configuration that still serves knows. */
    private void keepMeters() {
        synchronized (open) {
            Map<String, Set<String>> known = new HashMap<>();
            open.forEach(parts -> parts.endpoints().forEach((pool, endpoints) -> known.merge(pool, endpoints, (one, other) -> {
                Set<String> both = new HashSet<>(one);
                both.addAll(other);
                return both;
            })));
            meters.keep(known);
        }
    }

    private void close(Parts parts) {
        try {
            parts.close();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "the parts of an older configuration were not closed cleanly", e);
        }
        synchronized (open) {
            open.remove(parts);
            open.notifyAll();
        }
        keepMeters();
    }

    /** Reads the configuration again, and lets it serve if it is good. */
    Reload.Outcome reload(String why) {
        return reload.now(why);
    }

    /** Reloads when files change, until the proxy is closed. */
    ConfigWatch watch() {
        return new ConfigWatch(reload);
    }

    /** What its configurations have in common. */
    Stock stock() {
        return stock;
    }

    /** How many clients speak to servers. */
    int clients() {
        return clients.size();
    }

    /** The port that it listens on. */
    int port() {
        return doors.port();
    }

    /** The port of the admin socket; empty without one. */
    OptionalInt adminPort() {
        return admin.stream().mapToInt(AdminDoors::port).findFirst();
    }

    /** How many requests it is serving. */
    int inFlight() {
        return doors.inFlight();
    }

    /** How many connections of clients are open. */
    int connections() {
        return doors.connections();
    }

    /** How many connections to servers are open that no request uses. */
    int idleConnections() {
        return clients.sum(UpstreamClient::idleConnections);
    }

    /** How many requests are running on servers. */
    int running() {
        return running.size();
    }

    /** How many streams are looked after. */
    int watched() {
        return ticker.size();
    }

    /** How many configurations serve: the last one, and those whose requests have not ended. */
    int generations() {
        synchronized (open) {
            return open.size();
        }
    }

    /**
     * Ends it in a way that no client notices: load balancers hear that it is not ready and have time to send requests elsewhere;
     * then nobody can connect any more, and what is in flight goes on, up to the drain limit.
     */
    void stop() {
        stopping.lock(); // who comes second waits
        try {
            if (closed.get()) {
                return;
            }
            Duration delay = doors.drain();
            if (!delay.isZero()) {
                LOG.log(System.Logger.Level.INFO, "stopping: not ready, and in {0} s nobody can connect any more", delay.toSeconds());
                Thread.sleep(delay);
            }
            close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
        } finally {
            stopping.unlock();
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            doors.close();
            admin.ifPresent(AdminDoors::close); // last of the sockets, so that a stop can be watched
            closeAll();
        }
    }

    private void closeAll() {
        awaitParts();
        ticker.close();
        loops.ifPresent(Loops::close);
        meters.close();
        stock.close();
    }

    private void awaitParts() {
        long end = System.nanoTime() + CLOSING.toNanos();
        synchronized (open) {
            long left = CLOSING.toMillis();
            while (!open.isEmpty() && left > 0) {
                try {
                    open.wait(left);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
                left = Duration.ofNanos(end - System.nanoTime()).toMillis();
            }
            if (!open.isEmpty()) {
                LOG.log(System.Logger.Level.WARNING, "{0} configurations still serve requests that do not end", open.size());
            }
        }
    }
}
