package io.glyphgate.proxy.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The meters, and their Prometheus text. Names and tags are in {@code docs/reference/metrics.md}. */
public final class Meters implements AutoCloseable {
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

    private static final int MOST_KINDS = 20;
    private static final String OTHER = "other";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Map<PoolMode, Traffic> traffic = new ConcurrentHashMap<>();

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

    /** How many requests an endpoint serves, asked for when the meters are read. */
    public void inFlight(String pool, String endpoint, Supplier<Number> count) {
        Gauge.builder("glyphgate.in.flight", count)
                .description("Requests that an endpoint is serving")
                .tags("pool", pool, "endpoint", endpoint)
                .register(registry);
    }

    /** All meters in the Prometheus text format. */
    public String scrape() {
        return registry.scrape();
    }

    @Override
    public void close() {
        registry.close();
    }
}
