package io.glyphgate.proxy.pool;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.config.ProxyConfig.Role;
import io.glyphgate.proxy.config.ProxyConfig.TokenizerSetting;
import io.glyphgate.proxy.config.ProxyConfig.UpstreamDerender;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.spi.PoolPolicy;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** Pools without servers, and requests for them. */
final class Pools {
    static final Duration LIMIT = Duration.ofSeconds(20);
    /** Takes the first endpoint that it is offered. */
    static final PoolPolicy FIRST = (request, endpoints) -> endpoints.getFirst();

    private Pools() {}

    static ProxyConfig.Limits limits(int inFlight, int queue, Duration wait) {
        return new ProxyConfig.Limits(inFlight == 0 ? OptionalInt.empty() : OptionalInt.of(inFlight), queue, wait);
    }

    static Pool pool(String name, int endpoints, ProxyConfig.Limits limits) {
        return pool(name, endpoints, limits, FIRST);
    }

    static Pool pool(String name, int endpoints, ProxyConfig.Limits limits, PoolPolicy policy) {
        List<URI> addresses = IntStream.range(0, endpoints)
                .mapToObj(i -> URI.create("http://" + name + "-" + i + ":8000"))
                .toList();
        ProxyConfig.Kv kv = new ProxyConfig.Kv(
                "default", new ProxyConfig.Connector("nixl", Map.of()), ProxyConfig.WithoutPrefill.DECODE_ONLY);
        return new Pool(
                name,
                new ProxyConfig.Pool(
                        "m",
                        Optional.empty(),
                        Role.BOTH,
                        TokenizerSetting.NONE,
                        addresses,
                        Optional.empty(),
                        Watches.DEFAULT,
                        new ProxyConfig.Policy("first", Map.of()),
                        UpstreamDerender.BATCH,
                        ProxyConfig.Chat.NONE,
                        kv,
                        limits,
                        Optional.empty(),
                        Optional.empty()),
                policy,
                Optional.empty());
    }

    static Admission request(Meters meters, long priority, Pool... pools) {
        return new Admission(List.of(pools), new Request(), new Turn(priority, System.nanoTime()), new Running(), meters);
    }

    static void eventually(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("waited " + LIMIT.toSeconds() + " s until " + what);
            }
            Thread.onSpinWait();
        }
    }

    private record Request() implements PoolPolicy.RoutedRequest {
        @Override
        public String requestId() {
            return "r";
        }

        @Override
        public int[] promptTokenIds() {
            return new int[0];
        }

        @Override
        public Optional<String> header(String name) {
            return Optional.empty();
        }
    }
}
