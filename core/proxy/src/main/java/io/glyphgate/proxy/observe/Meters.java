package io.glyphgate.proxy.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The meters, and their Prometheus text. Names and tags are in {@code docs/reference/metrics.md}. */
public final class Meters implements AutoCloseable {
    /** What stands for a pool where clients bring outputs to the derender doors; no pool can have this name. */
    public static final String DERENDER = "/derender";

    private static final Duration[] FIRST_TOKEN = {
        Duration.ofMillis(10), Duration.ofMillis(25), Duration.ofMillis(50), Duration.ofMillis(100), Duration.ofMillis(250),
        Duration.ofMillis(500), Duration.ofSeconds(1), Duration.ofMillis(2500), Duration.ofSeconds(5), Duration.ofSeconds(10),
        Duration.ofSeconds(30), Duration.ofSeconds(60)
    };
    private static final Duration[] BETWEEN_TOKENS = {
        Duration.ofMillis(1), Duration.ofNanos(2_500_000), Duration.ofMillis(5), Duration.ofMillis(10), Duration.ofMillis(25),
        Duration.ofMillis(50), Duration.ofMillis(75), Duration.ofMillis(100), Duration.ofMillis(250), Duration.ofMillis(500),
        Duration.ofSeconds(1), Duration.ofSeconds(5)
    };

    private static final Duration[] QUEUE_WAIT = {
        Duration.ofMillis(10), Duration.ofMillis(50), Duration.ofMillis(100), Duration.ofMillis(250), Duration.ofMillis(500),
        Duration.ofSeconds(1), Duration.ofMillis(2500), Duration.ofSeconds(5), Duration.ofSeconds(10), Duration.ofSeconds(30)
    };

    private static final int MOST_KINDS = 20;
    private static final String OTHER = "other";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Map<PoolMode, Traffic> traffic = new ConcurrentHashMap<>();
    private final Counter streamsOnLoop = streams("loop");
    private final Counter streamsOnThread = streams("thread");
    private final Counter streamsHandedBack = Counter.builder("glyphgate.streams.handed.back")
            .description("How often a loop gave a stream back to its thread, because the client did not take all at once")
            .register(registry);

    private final Map<PoolParser, Anomalies> anomalies = new ConcurrentHashMap<>();
    /** What function counters ask: they hold it only weakly. */
    private final Queue<Supplier<Number>> asked = new ConcurrentLinkedQueue<>();

    private record PoolMode(String pool, String mode) {}

    private record PoolParser(String pool, String parserKind, String parser) {}

    /** The meters of the requests of one pool at one output mode. */
    public final class Traffic {
        private final PoolMode of;
        private final Counter tokens;
        private final Timer firstToken;
        private final Timer betweenTokens;
        private final Map<Integer, Counter> requests = new ConcurrentHashMap<>();
        private final Counter cut;

        private Traffic(PoolMode of) {
            this.of = of;
            tokens = Counter.builder("glyphgate.tokens")
                    .description("Tokens that servers sent")
                    .tags("pool", of.pool, "mode", of.mode)
                    .register(registry);
            firstToken = Timer.builder("glyphgate.time.to.first.token")
                    .description("From the request to the first token")
                    .tags("pool", of.pool, "mode", of.mode)
                    .serviceLevelObjectives(FIRST_TOKEN)
                    .register(registry);
            betweenTokens = Timer.builder("glyphgate.inter.token")
                    .description("From one event with tokens to the next")
                    .tags("pool", of.pool, "mode", of.mode)
                    .serviceLevelObjectives(BETWEEN_TOKENS)
                    .register(registry);
            cut = Counter.builder("glyphgate.streams.failed")
                    .description("Streams that ended with an error after their first byte")
                    .tags("pool", of.pool, "mode", of.mode)
                    .register(registry);
        }

        /** A request was answered with this status. */
        public void answered(int status) {
            requests.computeIfAbsent(status, s -> Counter.builder("glyphgate.requests")
                            .description("Requests by the status of their answer")
                            .tags("pool", of.pool, "mode", of.mode, "status", String.valueOf(s))
                            .register(registry))
                    .increment();
        }

        /** A stream ended with an error after its first byte. */
        public void failedMidStream() {
            cut.increment();
        }

        /** Tokens arrived. */
        public void tokens(int count) {
            tokens.increment((double) count);
        }

        /** The first token arrived so long after the request. */
        public void firstToken(long nanos) {
            firstToken.record(nanos, TimeUnit.NANOSECONDS);
        }

        /** Tokens arrived so long after the ones before. */
        public void betweenTokens(long nanos) {
            betweenTokens.record(nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** A stream has ended that a loop carried, or its own thread. */
    public void stream(boolean onLoop) {
        (onLoop ? streamsOnLoop : streamsOnThread).increment();
    }

    /** A loop gave a stream back to its own thread, which waits for the client. */
    public void streamHandedBack() {
        streamsHandedBack.increment();
    }

    private Counter streams(String carrier) {
        return Counter.builder("glyphgate.streams")
                .description("Streams by what carried them")
                .tags("carrier", carrier)
                .register(registry);
    }

    /** The meters of the requests of one pool at one output mode. */
    public Traffic traffic(String pool, String mode) {
        return traffic.computeIfAbsent(new PoolMode(pool, mode), Traffic::new);
    }

    /** A request was refused before any server was asked. */
    public void refused(String slug) {
        registry.counter("glyphgate.refusals", "slug", slug).increment();
    }

    /** The meters of what one parser met in the outputs of one pool that well-formed output would not hold. */
    public final class Anomalies {
        private final PoolParser of;
        private final Map<String, Counter> kinds = new ConcurrentHashMap<>();
        private volatile int most = MOST_KINDS;

        private Anomalies(PoolParser of) {
            this.of = of;
        }

        /** Makes the meters of kinds that are known beforehand, so that they stand at 0. */
        public void expect(Collection<String> known) {
            most = MOST_KINDS + known.size();
            known.forEach(kind -> kinds.computeIfAbsent(kind, this::counter));
        }

        /** An output with an anomaly of a kind; kinds beyond the most that a parser may name count as {@code other}. */
        public void count(String kind) {
            Counter known = kinds.get(kind);
            if (known == null) {
                // a parser names the kinds, and each is a series for ever
                known = kinds.computeIfAbsent(kinds.size() < most ? kind : OTHER, this::counter);
            }
            known.increment();
        }

        private Counter counter(String kind) {
            return Counter.builder("glyphgate.parse.anomalies")
                    .description("Outputs with something that well-formed output would not hold")
                    .tags("pool", of.pool, "parser_kind", of.parserKind, "parser", of.parser, "kind", kind)
                    .register(registry);
        }
    }

    /**
     * The meters of what one parser met in the outputs of one pool.
     *
     * @param parserKind the kind of the parser
     * @param parser its name
     */
    public Anomalies anomalies(String pool, String parserKind, String parser) {
        return anomalies.computeIfAbsent(new PoolParser(pool, parserKind, parser), Anomalies::new);
    }

    /** How many outputs with an anomaly were captured, or were not; asked for when the meters are read. */
    public void captures(String result, Supplier<Number> count) {
        if (registry.find("glyphgate.captures").tag("result", result).functionCounter() != null) {
            return;
        }
        asked.add(count);
        FunctionCounter.builder("glyphgate.captures", count, supplier -> supplier.get().doubleValue())
                .description("Outputs with an anomaly that were to be captured, by what became of it")
                .tags("result", result)
                .register(registry);
    }

    /** A prefill pool was asked to compute a prompt, with this outcome. */
    public void prefill(String pool, String outcome) {
        registry.counter("glyphgate.prefills", "pool", pool, "outcome", outcome).increment();
    }

    /** A prompt that a prefill pool holds for a request that cannot go on was given up, with this outcome. */
    public void release(String pool, String outcome) {
        registry.counter("glyphgate.prefill.releases", "pool", pool, "outcome", outcome).increment();
    }

    /** A decode pool found so many tokens of a prompt that a prefill pool had computed. */
    public void cachedTokens(String pool, long count) {
        registry.counter("glyphgate.decode.cached.tokens", "pool", pool).increment((double) count);
    }

    /** A request brought the key of this name. */
    public void keyUsed(String name) {
        registry.counter("glyphgate.requests.by.key", "key", name).increment();
    }

    /** A file of keys or certificates changed, and could be used or not. */
    public void secretRead(String name, boolean used) {
        registry.counter("glyphgate.secret.reads", "secret", name, "result", used ? "used" : "refused").increment();
    }

    /** A plugin threw. */
    public void pluginError(String kind, String plugin) {
        registry.counter("glyphgate.plugin.errors", "kind", kind, "plugin", plugin).increment();
    }

    /** Drops a meter that may be there: what a new configuration asks takes the place of what the one before asked. */
    static void forget(MeterRegistry registry, String name, Tags tags) {
        registry.find(name).tags(tags).meters().forEach(registry::remove);
    }

    /** The meters of an endpoint, none yet. */
    public EndpointMeters endpoint(String pool, String endpoint) {
        return new EndpointMeters(registry, pool, endpoint);
    }

    /** How many endpoints the discovery of a pool found, and how often it failed; asked for when the meters are read. */
    public void discovery(String pool, Supplier<Number> endpoints, Supplier<Number> failures) {
        forget(registry, "glyphgate.discovered.endpoints", Tags.of("pool", pool));
        forget(registry, "glyphgate.discovery.failures", Tags.of("pool", pool));
        Gauge.builder("glyphgate.discovered.endpoints", endpoints)
                .description("Endpoints that the discovery of a pool found")
                .tags("pool", pool)
                .register(registry);
        asked.add(failures);
        FunctionCounter.builder("glyphgate.discovery.failures", failures, supplier -> supplier.get().doubleValue())
                .description("How often the discovery of a pool failed")
                .tags("pool", pool)
                .register(registry);
    }

    /**
     * Drops the meters of pools and endpoints that are no more; those that stay go on counting.
     *
     * @param endpoints the pools that there are, and the endpoints of each
     */
    public void keep(Map<String, Set<String>> endpoints) {
        traffic.keySet().removeIf(key -> !endpoints.containsKey(key.pool()));
        anomalies.keySet().removeIf(key -> !key.pool().equals(DERENDER) && !endpoints.containsKey(key.pool()));
        for (Meter meter : registry.getMeters()) {
            String pool = meter.getId().getTag("pool");
            String endpoint = meter.getId().getTag("endpoint");
            Set<String> known = pool == null ? null : endpoints.get(pool);
            if (pool != null && !pool.equals(DERENDER) && (known == null || (endpoint != null && !known.contains(endpoint)))) {
                registry.remove(meter);
            }
        }
    }

    /**
     * The meters of how the configuration was reloaded; once.
     *
     * @param open how many configurations serve, asked for when the meters are read
     */
    public Reloads reloads(Supplier<Number> open) {
        return new Reloads(open);
    }

    /** The meters of how the configuration was reloaded. */
    public final class Reloads {
        private final Counter good = counter("success");
        private final Counter bad = counter("failure");
        private volatile int lastGood = 1;
        private volatile double lastGoodAt;
        private volatile long generation;
        private volatile int staleThings;

        private Reloads(Supplier<Number> open) {
            gauge("glyphgate.config.last.reload.successful", "Whether the last attempt to reload the configuration came out well",
                    () -> lastGood);
            gauge("glyphgate.config.last.reload.success.timestamp.seconds", "When the configuration that serves was taken up",
                    () -> lastGoodAt);
            gauge("glyphgate.config.generation", "The number of the configuration that serves, 1 from the start", () -> generation);
            gauge("glyphgate.config.generations.open", "Configurations that still serve requests, the current one included", open);
            gauge("glyphgate.config.restart.needed", "How many changes take effect when the proxy is started again only",
                    () -> staleThings);
        }

        private Counter counter(String result) {
            return Counter.builder("glyphgate.config.reloads")
                    .description("Attempts to reload the configuration")
                    .tags("result", result)
                    .register(registry);
        }

        private void gauge(String name, String description, Supplier<Number> value) {
            Gauge.builder(name, value).description(description).register(registry);
        }

        /**
         * A configuration serves from now on.
         *
         * @param number its number
         * @param stale how many of its changes need another start
         */
        public void serves(long number, int stale) {
            if (number > 1) {
                good.increment();
            }
            generation = number;
            staleThings = stale;
            lastGood = 1;
            lastGoodAt = System.currentTimeMillis() / 1000.0;
        }

        /** A configuration was refused. */
        public void failed() {
            bad.increment();
            lastGood = 0;
        }
    }

    /** How many requests wait for an endpoint of a pool, asked for when the meters are read. */
    public void queueLength(String pool, Supplier<Number> count) {
        forget(registry, "glyphgate.queue.length", Tags.of("pool", pool));
        Gauge.builder("glyphgate.queue.length", count)
                .description("Requests that wait for an endpoint of the pool")
                .tags("pool", pool)
                .register(registry);
    }

    /** How many derendered streams wait for their next chunk, and how many bytes they take. */
    public void derenderStreams(Supplier<Number> count, Supplier<Number> bytes) {
        forget(registry, "glyphgate.derender.stream.memory.bytes", Tags.empty());
        Gauge.builder("glyphgate.derender.stream.memory.bytes", bytes)
                .description("What they take of memory, about")
                .register(registry);
        forget(registry, "glyphgate.derender.streams", Tags.empty());
        Gauge.builder("glyphgate.derender.streams", count)
                .description("Derendered streams that wait for their next chunk")
                .register(registry);
    }

    /** A derendered stream was made again of what its client carries, for this reason. */
    public void derenderReplay(String reason) {
        registry.counter("glyphgate.derender.replays", "reason", reason).increment();
    }

    /** A request waited for an endpoint of a pool for so long, with this outcome. */
    public void queueWait(String pool, String outcome, long nanos) {
        Timer.builder("glyphgate.queue.wait")
                .description("How long requests waited for an endpoint of the pool")
                .tags("pool", pool, "outcome", outcome)
                .serviceLevelObjectives(QUEUE_WAIT)
                .register(registry)
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    /** A request that would have waited for a pool was turned away for this reason. */
    public void queueRejection(String pool, String reason) {
        registry.counter("glyphgate.queue.rejections", "pool", pool, "reason", reason).increment();
    }

    /** A request failed on a server of a pool before its answer, for this reason, and this came of trying another server. */
    public void retry(String pool, String reason, String outcome) {
        registry.counter("glyphgate.retries", "pool", pool, "reason", reason, "outcome", outcome).increment();
    }

    /** All meters in the Prometheus text format. */
    public String scrape() {
        return registry.scrape();
    }

    @Override
    public void close() {
        registry.close();
        registry.clear(); // gauges hold what they measure
    }
}
