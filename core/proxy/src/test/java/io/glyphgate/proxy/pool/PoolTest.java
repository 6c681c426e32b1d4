package io.glyphgate.proxy.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.pool.Candidates.Standing;
import io.glyphgate.proxy.secure.Access;
import io.glyphgate.spi.EndpointDiscovery;
import io.glyphgate.spi.PoolPolicy;
import java.net.URI;
import java.time.Duration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PoolTest {
    private static final PoolPolicy FIRST = (request, endpoints) -> endpoints.getFirst();

    private static URI uri(int number) {
        return URI.create("http://server-" + number + ":8000");
    }

    private static List<URI> uris(int... numbers) {
        return IntStream.of(numbers).mapToObj(PoolTest::uri).toList();
    }

    private static ProxyConfig.Pool config(List<URI> endpoints, boolean discovered) {
        return new ProxyConfig.Pool(
                "m",
                Optional.empty(),
                ProxyConfig.Role.BOTH,
                ProxyConfig.TokenizerSetting.NONE,
                endpoints,
                discovered ? Optional.of(new ProxyConfig.Discovery("test", Map.of())) : Optional.empty(),
                Watches.DEFAULT,
                new ProxyConfig.Policy("first", Map.of()),
                ProxyConfig.UpstreamDerender.BATCH,
                ProxyConfig.Chat.NONE,
                new ProxyConfig.Kv("default", new ProxyConfig.Connector("nixl", Map.of()), ProxyConfig.WithoutPrefill.DECODE_ONLY),
                Pools.limits(0, 0, Duration.ZERO),
                Optional.empty(),
                Optional.empty());
    }

    private static Pool pool(int... numbers) {
        return new Pool("p", config(uris(numbers), false), FIRST, Optional.empty());
    }

    private static Optional<Endpoint> pick(Pool pool, Standing standing, Endpoint... without) {
        return pool.pick(new Request(), endpoint -> standing.of(endpoint) && !List.of(without).contains(endpoint));
    }

    private static void fail(Endpoint endpoint) {
        for (int i = 0; i < 5; i++) {
            endpoint.failed(Trouble.BROKEN);
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

    @Test
    void thoseThatStayKeepTheirStateAndOneThatComesBackIsNew() {
        Pool pool = pool(1, 2);
        Endpoint first = pool.endpoints().get(0);
        Endpoint second = pool.endpoints().get(1);
        second.enter();
        pool.update(uris(3, 1));
        assertThat(pool.endpoints()).extracting(Endpoint::uri).containsExactly(uri(3), uri(1));
        assertThat(pool.endpoints().get(1)).isSameAs(first);
        assertThat(second.state()).isEqualTo(EndpointState.REMOVED);
        assertThat(second.inFlight()).as("what it serves goes on").isEqualTo(1);
        assertThat(pool.endpoints().get(0).weight()).as("a new one starts slowly").isLessThan(0.2);
        assertThat(first.weight()).isEqualTo(1);
        pool.update(uris(1, 2));
        assertThat(pool.endpoints().get(1)).isNotSameAs(second);
        assertThat(pool.endpoints().get(1).state()).isEqualTo(EndpointState.UP);
    }

    @Test
    void listenersHearOfThoseThatComeAndGo() {
        Pool pool = pool(1, 2);
        List<String> heard = new ArrayList<>();
        pool.listen(new Pool.Listener() {
            @Override
            public void came(Endpoint endpoint) {
                heard.add("+" + endpoint.uri().getHost());
            }

            @Override
            public void went(Endpoint endpoint) {
                heard.add("-" + endpoint.uri().getHost());
            }
        });
        pool.update(uris(2, 3));
        pool.update(uris(3, 2));
        pool.update(uris(3, 3));
        assertThat(heard).containsExactly("+server-1", "+server-2", "-server-1", "+server-3", "-server-2");
    }

    @Test
    void noMoreThanTheAllowedShareIsEjected() {
        Pool pool = pool(1, 2, 3, 4, 5);
        pool.endpoints().forEach(PoolTest::fail);
        assertThat(pool.endpoints()).filteredOn(Endpoint::ejected).hasSize(2);
        assertThat(pool.up()).isTrue();
    }

    @Test
    void theLastOneThatIsUpIsNotEjected() {
        Pool pool = pool(1, 2);
        for (int i = 0; i < 3; i++) {
            pool.endpoints().get(0).checked(false, "503");
        }
        fail(pool.endpoints().get(1));
        assertThat(pool.endpoints().get(1).ejected()).isFalse();
    }

    @Test
    void whereThePoolGetsSmallerEjectionsEnd() {
        Pool pool = pool(1, 2, 3, 4);
        fail(pool.endpoints().get(0));
        fail(pool.endpoints().get(1));
        pool.update(uris(1, 2));
        assertThat(pool.endpoints()).filteredOn(Endpoint::ejected).hasSize(1);
        assertThat(pool.up()).isTrue();
    }

    @Test
    void thoseThatAreLeftAloneComeLast() {
        Pool pool = pool(1, 2, 3);
        pool.endpoints().get(0).failed(Trouble.NO_CONNECTION);
        pool.endpoints().get(2).probed(List.of("too old"));
        assertThat(pick(pool, Standing.READY)).hasValue(pool.endpoints().get(1));
        assertThat(pick(pool, Standing.READY, pool.endpoints().get(1))).isEmpty();
        assertThat(pick(pool, Standing.RESTING)).hasValue(pool.endpoints().get(0));
        assertThat(pick(pool, Standing.RESTING, pool.endpoints().get(0))).as("never one that is unfit").isEmpty();
    }

    @Test
    void aPolicyMustPickWhatItWasOffered() {
        Pool pool = new Pool("p", config(uris(1, 2), false), (request, endpoints) -> new Endpoint(uri(9), "p", Watches.DEFAULT), Optional.empty());
        assertThatThrownBy(() -> pick(pool, Standing.READY)).hasMessageContaining("was not offered");
    }

    @Test
    void aPoolThatIsNotInForceTakesNoServerFromTheOneBeforeIt() {
        Pool before = pool(1, 2);
        Pool after = new Pool("p", config(List.of(), true), FIRST, Optional.empty(), Access.PLAIN, before.endpoints());
        after.update(uris(2, 3));
        assertThat(after.endpoints()).extracting(Endpoint::uri).containsExactly(uri(2), uri(3));
        assertThat(before.endpoints()).extracting(Endpoint::state).containsOnly(EndpointState.UP);
        after.takeEffect();
        after.update(uris(3));
        assertThat(before.endpoints().get(1).state()).isEqualTo(EndpointState.REMOVED);
    }

    @Test
    void aPoolTakesOverWhatIsKnown() {
        Pool before = pool(1, 2);
        before.endpoints().get(1).probed(List.of("too old"));
        Pool after = new Pool("p", config(uris(2, 3), false), FIRST, Optional.empty(), Access.PLAIN, before.endpoints());
        assertThat(after.endpoints().get(0)).isSameAs(before.endpoints().get(1));
        assertThat(after.endpoints().get(1).uri()).isEqualTo(uri(3));
        Pool discovered = new Pool("p", config(List.of(), true), FIRST, Optional.empty(), Access.PLAIN, before.endpoints());
        assertThat(discovered.endpoints()).isEqualTo(before.endpoints());
    }

    @Test
    void aDiscoveryThatFailsOrFindsNonsenseChangesNothing() throws Exception {
        Pool pool = new Pool("p", config(List.of(), true), FIRST, Optional.empty());
        List<EndpointDiscovery.Listener> listeners = new ArrayList<>();
        Discovering discovering = new Discovering(pool, "test", new EndpointDiscovery() {
            @Override
            public void start(Listener listener) {
                listeners.add(listener);
            }

            @Override
            public void close() {}
        });
        discovering.start();
        EndpointDiscovery.Listener listener = listeners.getFirst();
        assertThat(discovering.await(Duration.ofMillis(1))).isFalse();
        listener.found(uris(1));
        assertThat(discovering.await(Duration.ofMillis(1))).isTrue();
        listener.failed("no name server");
        listener.found(List.of(uri(2), URI.create("file:///etc/passwd")));
        assertThat(pool.endpoints()).extracting(Endpoint::uri).containsExactly(uri(1));
        assertThat(discovering.failures().sum()).isEqualTo(2);
        assertThat(discovering.failing()).contains("file:///etc/passwd");
        listener.found(uris(2));
        assertThat(discovering.failing()).isEmpty();
        discovering.close();
        listener.found(uris(3));
        assertThat(pool.endpoints()).extracting(Endpoint::uri).containsExactly(uri(2));
    }
}
