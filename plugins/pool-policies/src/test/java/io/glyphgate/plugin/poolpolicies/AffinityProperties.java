package io.glyphgate.plugin.poolpolicies;

import static org.assertj.core.api.Assertions.assertThat;

import io.glyphgate.spi.PoolPolicy;
import io.glyphgate.spi.PoolPolicy.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

class AffinityProperties {
    private static final int PROMPTS = 4_000;

    private record Server(String id, int inFlight) implements Endpoint {}

    private record Prompt(int[] promptTokenIds) implements PoolPolicy.RoutedRequest {
        @Override
        public String requestId() {
            return "r";
        }

        @Override
        public Optional<String> header(String name) {
            return Optional.empty();
        }
    }

    private static List<Server> idle(Random random, int count) {
        List<Server> servers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            servers.add(new Server("http://10.0." + random.nextInt(256) + "." + i + ":8000", 0));
        }
        return servers;
    }

    private static Prompt prompt(Random random) {
        return new Prompt(random.ints(1 + random.nextInt(100), 0, 150_000).toArray());
    }

    @Property(tries = 100)
    void anEndpointThatGoesMovesOnlyItsOwnPrompts(@ForAll long seed, @ForAll @IntRange(min = 2, max = 16) int count) {
        Random random = new Random(seed);
        PoolPolicy policy = new PrefixAffinity().create(Map.of());
        List<Server> all = idle(random, count);
        Server gone = all.get(random.nextInt(count));
        List<Server> rest = all.stream().filter(server -> !server.equals(gone)).toList();
        int moved = 0;
        for (int i = 0; i < PROMPTS; i++) {
            Prompt prompt = prompt(random);
            Endpoint before = policy.pick(prompt, all);
            Endpoint after = policy.pick(prompt, rest);
            if (before.equals(gone)) {
                moved++;
            } else {
                assertThat(after).isEqualTo(before);
            }
        }
        // its share, which is that of the endpoint that comes, too: eight standard deviations on either side
        double share = (double) PROMPTS / count;
        double deviation = Math.sqrt(share * (1 - 1.0 / count));
        assertThat((double) moved).isBetween(share - 8 * deviation, share + 8 * deviation);
    }

    @Property(tries = 500)
    void noEndpointGoesOverTheBoundWhileAnotherIsUnderIt(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 12) int count,
            @ForAll @DoubleRange(min = 1, max = 3) double factor,
            @ForAll @IntRange(max = 8) int free) {
        Random random = new Random(seed);
        PoolPolicy policy = new PrefixAffinity()
                .create(Map.of("load-factor", String.valueOf(factor), "free-load", String.valueOf(free)));
        int most = 1 + random.nextInt(50);
        List<Server> servers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            servers.add(new Server("http://s" + i, random.nextInt(most)));
        }
        int total = servers.stream().mapToInt(Server::inFlight).sum();
        double bound = Math.max(free, Math.ceil(factor * (total + 1) / count));
        for (int i = 0; i < 20; i++) {
            Endpoint picked = policy.pick(prompt(random), servers);
            assertThat((double) picked.inFlight() + 1).isLessThanOrEqualTo(bound);
        }
    }

    @Property(tries = 50)
    void requestsThatStayNeverMakeOneEndpointMuchBusierThanTheOthers(
            @ForAll long seed, @ForAll @IntRange(min = 2, max = 8) int count) {
        Random random = new Random(seed);
        PoolPolicy policy = new PrefixAffinity().create(Map.of("free-load", "0"));
        int[] loads = new int[count];
        Prompt same = prompt(random); // all want the same endpoint
        for (int i = 1; i <= 1_000; i++) {
            List<Server> servers = new ArrayList<>();
            for (int s = 0; s < count; s++) {
                servers.add(new Server("http://s" + s, loads[s]));
            }
            loads[servers.indexOf((Server) policy.pick(same, servers))]++;
            for (int load : loads) {
                assertThat((double) load).isLessThanOrEqualTo(Math.ceil(1.25 * i / count));
            }
        }
    }
}
