package io.glyphgate.proxy.upstream;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.config.ProxyConfig.OnMismatch;
import io.glyphgate.proxy.observe.Ticker;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.pool.EndpointState;
import io.glyphgate.proxy.pool.Pool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Looks after the servers of all pools: asks each now and then whether it is well, and more seldom what it can do. One schedule
 * for all; what is due runs on a virtual thread, so that a server that waits for its turn costs nothing.
 */
public final class EndpointWatch implements AutoCloseable {
    /** One that is unfit is probed so many times as often: somebody is about to mend it. */
    private static final int UNFIT_FACTOR = 10;

    private static final long NEVER = Long.MAX_VALUE;

    private final List<Pool> pools;
    private final UpstreamClient client;
    private final Probe probe;
    private final OnMismatch onMisfit;
    private final Duration probeInterval;
    /** How often it is looked whether something is due. */
    private final Duration look;
    private final Ticker ticker;
    private final Ticker.Check check = this::tick;
    private final Set<Thread> running = ConcurrentHashMap.newKeySet();
    /** Of the ticker alone. */
    private final Map<Endpoint, Turns> turns = new HashMap<>();

    /** When a server is looked at again. */
    private static final class Turns {
        private volatile long health;
        private volatile long probe;
    }

    /** A watch that has not started. */
    public EndpointWatch(List<Pool> pools, UpstreamClient client, ProxyConfig.Upstream config, Ticker ticker) {
        this.pools = pools;
        this.client = client;
        this.ticker = ticker;
        probe = new Probe(client);
        onMisfit = config.misfit();
        probeInterval = config.probeInterval();
        look = Ticker.eighthOf(shortestInterval());
    }

    /**
     * Starts to look. Waits for the servers only where the start depends on them.
     *
     * @throws IllegalArgumentException if a server does not fit its pool and the configuration wants no start then
     */
    public void start() {
        if (onMisfit == OnMismatch.FAIL) {
            probeAll();
        }
        ticker.addStanding(check, look);
    }

    private Duration shortestInterval() {
        Duration shortest = probeInterval.dividedBy(UNFIT_FACTOR);
        for (Pool pool : pools) {
            Duration interval = pool.config().watch().health().interval();
            if (!interval.isZero() && interval.compareTo(shortest) < 0) {
                shortest = interval;
            }
        }
        return shortest;
    }

    private void probeAll() {
        List<Thread> threads = new ArrayList<>();
        for (Pool pool : pools) {
            for (Endpoint endpoint : pool.endpoints()) {
                threads.add(start("probe", () -> probe(pool, endpoint)));
            }
        }
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        List<String> misfits = new ArrayList<>();
        for (Pool pool : pools) {
            for (Endpoint endpoint : pool.endpoints()) {
                endpoint.misfits().forEach(misfit -> misfits.add("pool '" + pool.name() + "', " + endpoint + ": " + misfit));
            }
        }
        if (!misfits.isEmpty()) {
            throw new IllegalArgumentException(String.join("\n", misfits) + "\n(upstream.misfit: fail)");
        }
    }

    private void tick(long now) {
        Set<Endpoint> present = new HashSet<>();
        for (Pool pool : pools) {
            for (Endpoint endpoint : pool.endpoints()) {
                present.add(endpoint);
                look(pool, endpoint, now);
            }
        }
        turns.keySet().retainAll(present);
    }

    private void look(Pool pool, Endpoint endpoint, long now) {
        Duration interval = endpoint.watch().health().interval();
        Turns turn = turns.computeIfAbsent(endpoint, e -> {
            Turns first = new Turns();
            // spread from the start; what a server can do should be known soon
            first.health = now + (long) (interval.toNanos() * ThreadLocalRandom.current().nextDouble());
            first.probe = now;
            return first;
        });
        if (!interval.isZero() && turn.health != NEVER && now - turn.health >= 0) {
            turn.health = NEVER;
            var unused = start("health-check", () -> {
                try {
                    check(endpoint);
                } finally {
                    turn.health = after(interval);
                }
            });
        }
        if (onMisfit != OnMismatch.IGNORE && turn.probe != NEVER && now - turn.probe >= 0) {
            turn.probe = NEVER;
            var unused = start("probe", () -> {
                try {
                    probe(pool, endpoint);
                } finally {
                    turn.probe = after(
                            endpoint.state() == EndpointState.UNFIT ? probeInterval.dividedBy(UNFIT_FACTOR) : probeInterval);
                }
            });
        }
    }

    private long after(Duration interval) {
        return System.nanoTime() + pause(interval, look, ThreadLocalRandom.current().nextDouble());
    }

    /**
     * How long until something is due again, in nanoseconds: give or take a tenth of the interval, so that servers, and proxies, do not
     * fall into step.
     *
     * @param look how much later, at most, it is seen to be due: a part of the tenth
     * @param chance from 0 to 1
     */
    static long pause(Duration interval, Duration look, double chance) {
        double tenth = interval.toNanos() / 10.0;
        return (long) (9 * tenth + Math.max(0, 2 * tenth - look.toNanos()) * chance);
    }

    private Thread start(String name, Runnable work) {
        Thread thread = Thread.ofVirtual().name(name).unstarted(() -> {
            try {
                work.run();
            } finally {
                running.remove(Thread.currentThread());
            }
        });
        running.add(thread);
        thread.start();
        return thread;
    }

    private void check(Endpoint endpoint) {
        ProxyConfig.Health health = endpoint.watch().health();
        try (Leg leg = client.get(endpoint, health.path(), health.timeout())) {
            int status = leg.status();
            leg.wholeBody(); // so that the connection can be used again
            if (status < 300) {
                endpoint.checked(true, "");
            } else if (status >= 500) {
                endpoint.checked(false, health.path() + " answers with status " + status);
            } else {
                endpoint.checkless(health.path() + " answers with status " + status);
            }
        } catch (UpstreamException e) {
            if (e.kind() != UpstreamException.Kind.CANCELLED) {
                endpoint.checked(false, health.path() + ": " + e.getMessage());
            }
        }
    }

    private void probe(Pool pool, Endpoint endpoint) {
        Probe.Findings findings = probe.ask(endpoint, pool.servedModel());
        if (findings.fault().isEmpty()) {
            endpoint.probed(findings.misfits(pool.config()));
        }
    }

    /** Ends it, and what is being asked. */
    @Override
    public void close() {
        ticker.remove(check);
        running.forEach(Thread::interrupt);
    }
}
