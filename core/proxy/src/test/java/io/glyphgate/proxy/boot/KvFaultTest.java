package io.glyphgate.proxy.boot;

import static io.glyphgate.proxy.boot.Stage.encode;
import static io.glyphgate.proxy.boot.Stage.eventually;
import static io.glyphgate.proxy.boot.Stage.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.glyphgate.proxy.simulator.KvStore;
import io.glyphgate.proxy.simulator.ReceivedRequest;
import io.glyphgate.proxy.simulator.SimulatedServer;
import io.glyphgate.proxy.simulator.SimulatorOptions.Connector;
import io.glyphgate.proxy.soak.BareClient;
import io.glyphgate.proxy.soak.BareClient.Answer;
import io.glyphgate.proxy.soak.BareClient.End;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every KV connector, and everything that goes wrong while a prompt is handed over with it: what the client is told, what becomes of
 * the prompt, and that nothing stays open. The rows are a table of {@code docs/explanation/reliability.md}; {@code
 * -Dglyphgate.write-reference=true} writes it anew.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KvFaultTest {
    private static final String TEXT = "one two three four five";
    /** How long a prefill server holds a prompt that nobody takes. */
    private static final Duration LEASE = Duration.ofSeconds(3);

    /** What the client is told that has left. */
    private static final String LEFT = "\u2013";

    /** A connector, with a pair of servers of its own. */
    private enum Link {
        NIXL("nixl", Connector.NIXL),
        NIXL_PUSH("nixl-push", Connector.NIXL_PUSH),
        MOONCAKE("mooncake", Connector.MOONCAKE),
        LMCACHE("lmcache", Connector.LMCACHE),
        NONE("none", Connector.LMCACHE);

        final String text;
        final Connector connector;

        Link(String text, Connector connector) {
            this.text = text;
            this.connector = connector;
        }

        /** Whether both servers are asked at the same time. */
        boolean atOnce() {
            return this == NIXL_PUSH || this == MOONCAKE;
        }

        /** Whether the servers share a store. */
        boolean stores() {
            return connector == Connector.LMCACHE;
        }

        /** As the configuration has it. */
        String yaml(SimulatedServer prefill) {
            return switch (this) {
                case NIXL, NIXL_PUSH, NONE -> text;
                case MOONCAKE -> "{ name: mooncake, bootstrap-port: " + prefill.port() + " }";
                case LMCACHE -> "{ name: lmcache, lmcache.tag: t }";
            };
        }
    }

    /** What became of the prompt. */
    private enum Prompt {
        /** None is held: it was not computed, or nobody holds it for anybody. */
        NOT_HELD("nothing is held"),
        /** The decode server that was asked has it. */
        TAKEN("the decode server takes it"),
        /** A decode server was made to take it by a request for one token. */
        RELEASED("**released**"),
        /** Nobody takes it: the prefill server holds it until its lease ends. */
        EXPIRES("expires"),
        /** The fault cannot happen. */
        NEVER("\u2013");

        final String words;

        Prompt(String words) {
            this.words = words;
        }
    }

    /** When the client leaves. */
    private enum Leaving {
        NEVER,
        /** The prefill server is at work, and so is the decode server if it is asked at the same time. */
        PREFILL,
        /** The decode server has sent something. */
        DECODE
    }

    /** What goes wrong, what the client is told, and what becomes of the prompt. */
    private enum Row {
        PREFILL_FAILS("the prefill server fails: 500", "whole", Prompt.NOT_HELD, Prompt.NOT_HELD, Prompt.NOT_HELD) {
            @Override
            String sampling() {
                return prefill("status=500");
            }
        },
        PREFILL_FAILS_FOR_GOOD(
                "the same, with `without-prefill: fail`", "502 `prefill-failed`", Prompt.NOT_HELD, Prompt.NOT_HELD, Prompt.NOT_HELD) {
            @Override
            String sampling() {
                return prefill("status=500");
            }

            @Override
            String pool(Link link) {
                return link.text + "-only-d";
            }
        },
        PREFILL_LOST("the prefill server's answer is lost", "whole", Prompt.EXPIRES, Prompt.TAKEN, Prompt.TAKEN) {
            @Override
            String sampling() {
                return prefill("stall=1s,close@0");
            }
        },
        DECODE_REFUSES("the decode server refuses: 400", "400 `upstream-refused`", Prompt.RELEASED, Prompt.RELEASED, Prompt.NOT_HELD) {
            @Override
            String sampling() {
                return decode("status=400");
            }
        },
        DECODE_IS_FULL("the decode server is full: 429", "429 `upstream-refused`", Prompt.RELEASED, Prompt.RELEASED, Prompt.NOT_HELD) {
            @Override
            String sampling() {
                return decode("status=429");
            }
        },
        DECODE_REFUSES_STREAM(
                "the decode server refuses with its first event: 400", "the server's error event", Prompt.RELEASED, Prompt.RELEASED, Prompt.NOT_HELD) {
            @Override
            String sampling() {
                return decode("error-event@0=400");
            }

            @Override
            boolean batch() {
                return false;
            }
        },
        DECODE_REFUSES_FIRST(
                "the decode server refuses a second before the prompt is there",
                "400 `upstream-refused`",
                Prompt.NEVER,
                Prompt.RELEASED,
                Prompt.NEVER) {
            @Override
            String sampling() {
                return decode("status=400") + ",\"glyphgate_rate\":1";
            }
        },
        DECODE_REFUSES_LONG_BEFORE(
                "the decode server refuses, and the prompt takes minutes",
                "400 `upstream-refused`",
                Prompt.NEVER,
                Prompt.NOT_HELD,
                Prompt.NEVER) {
            @Override
            String sampling() {
                return decode("status=400") + MINUTES;
            }
        },
        DECODE_IS_DOWN("no decode server takes a connection", "503 `no-endpoint`", Prompt.EXPIRES, Prompt.EXPIRES, Prompt.NOT_HELD) {
            @Override
            String pool(Link link) {
                return link.text + "-down";
            }

            @Override
            boolean batch() {
                return false; // the next request would have no prompt computed
            }
        },
        DECODE_FAILS("the decode server fails: 500", "500 `upstream-refused`", Prompt.EXPIRES, Prompt.EXPIRES, Prompt.NOT_HELD) {
            @Override
            String sampling() {
                return decode("status=500");
            }

            @Override
            int prefills(Link link) {
                return link.stores() ? 1 : 2;
            }
        },
        DECODE_BREAKS(
                "the decode server closes before its first byte", "502 `upstream-broken`", Prompt.TAKEN, Prompt.TAKEN, Prompt.TAKEN) {
            @Override
            String sampling() {
                return decode("close");
            }

            @Override
            int prefills(Link link) {
                return link.stores() ? 1 : 2;
            }
        },
        DECODE_BREAKS_LATER(
                "the decode server closes in the middle of a stream", "an error event, code 502", Prompt.TAKEN, Prompt.TAKEN, Prompt.TAKEN) {
            @Override
            String sampling() {
                return decode("close@3");
            }

            @Override
            boolean batch() {
                return false;
            }
        },
        LEAVES_EARLY("the client leaves, and the prompt takes minutes", LEFT, Prompt.NOT_HELD, Prompt.NOT_HELD, Prompt.NOT_HELD) {
            @Override
            String sampling() {
                return MINUTES;
            }

            @Override
            Leaving leaving() {
                return Leaving.PREFILL;
            }
        },
        LEAVES_BETWEEN("the client leaves a second before the prompt is there", LEFT, Prompt.RELEASED, Prompt.TAKEN, Prompt.NOT_HELD) {
            @Override
            String sampling() {
                return ",\"glyphgate_rate\":1";
            }

            @Override
            Leaving leaving() {
                return Leaving.PREFILL;
            }
        },
        LEAVES_LATER("the client leaves in the middle of a stream", LEFT, Prompt.TAKEN, Prompt.TAKEN, Prompt.TAKEN) {
            @Override
            String sampling() {
                return decode("stall@3");
            }

            @Override
            boolean batch() {
                return false;
            }

            @Override
            Leaving leaving() {
                return Leaving.DECODE;
            }
        };

        private static final String MINUTES = ",\"glyphgate_rate\":0.001";

        private final String fault;
        private final String seen;
        private final Prompt pulled;
        private final Prompt pushed;
        private final Prompt stored;

        Row(String fault, String seen, Prompt pulled, Prompt pushed, Prompt stored) {
            this.fault = fault;
            this.seen = seen;
            this.pulled = pulled;
            this.pushed = pushed;
            this.stored = stored;
        }

        /** What the request asks of the servers. */
        String sampling() {
            return "";
        }

        String pool(Link link) {
            return link.text + "-d";
        }

        /** Whether it happens to a client that wants one answer, too. */
        boolean batch() {
            return true;
        }

        Leaving leaving() {
            return Leaving.NEVER;
        }

        /** How many prompts are computed for one request. */
        int prefills(Link link) {
            return 1;
        }

        final Prompt prompt(Link link) {
            return link.stores() ? stored : link.atOnce() ? pushed : pulled;
        }

        private static String prefill(String fault) {
            return ",\"glyphgate_prefill_fault\":\"" + fault + "\"";
        }

        private static String decode(String fault) {
            return ",\"glyphgate_fault\":\"" + fault + "\"";
        }
    }

    /** The servers of a connector. */
    private record Pair(Link link, SimulatedServer prefill, SimulatedServer decode) {
        List<String> bodies(SimulatedServer server, String id) {
            return server.requests().stream()
                    .filter(request -> request.path().equals(Stage.GENERATE))
                    .filter(request -> request.headers().getOrDefault("x-request-id", "").equals(id))
                    .map(request -> request.body())
                    .toList();
        }

        /** The requests for an answer that the decode server has got. */
        List<JsonNode> asked(String id) {
            return bodies(decode, id).stream().map(Stage::json).filter(body -> !releases(body)).toList();
        }

        /** The requests that only made it take the prompt. */
        List<JsonNode> released(String id) {
            return decode.requests().stream()
                    .filter(request -> request.path().equals(Stage.GENERATE))
                    .filter(request -> releases(Stage.json(request.body())) && isOf(id, request))
                    .map(request -> Stage.json(request.body()))
                    .toList();
        }

        /** Who pushes knows a request by its ID; elsewhere a release has one of its own. */
        private boolean isOf(String id, ReceivedRequest release) {
            boolean identified = release.headers().getOrDefault("x-request-id", "").equals(id);
            if (link == Link.NIXL_PUSH || identified) {
                return link == Link.NIXL_PUSH && identified;
            }
            JsonNode params = Stage.json(release.body()).path("kv_transfer_params");
            return params.toString().contains(id)
                    || asked(id).stream().anyMatch(asked -> asked.path("kv_transfer_params").equals(params));
        }

        private static boolean releases(JsonNode body) {
            return body.at("/sampling_params/max_tokens").asInt() == 1;
        }

        Counts counts(String metrics) {
            return new Counts(
                    prefill.computedPrompts(),
                    prefill.expiredPrompts(),
                    decode.takenPrompts(),
                    prefill.abortedRequestIds().size(),
                    decode.abortedRequestIds().size(),
                    count(metrics, "released"),
                    count(metrics, "left-to-expire"));
        }

        private int count(String metrics, String outcome) {
            Matcher lines = Pattern.compile("(?m)^glyphgate_prefill_releases_total\\{outcome=\"" + outcome + "\",pool=\"" + link.text
                            + "(?:-only)?-(?:d|down)\"\\} (\\d+)")
                    .matcher(metrics);
            int sum = 0;
            while (lines.find()) {
                sum += Integer.parseInt(lines.group(1));
            }
            return sum;
        }
    }

    /** What a pair, and the proxy for it, have counted. */
    private record Counts(
            long computed, long expired, long taken, long prefillsAborted, long decodesAborted, long released, long leftToExpire) {
        Counts since(Counts before) {
            return new Counts(
                    computed - before.computed,
                    expired - before.expired,
                    taken - before.taken,
                    prefillsAborted - before.prefillsAborted,
                    decodesAborted - before.decodesAborted,
                    released - before.released,
                    leftToExpire - before.leftToExpire);
        }
    }

    private final Map<Link, Pair> pairs = new EnumMap<>(Link.class);
    private Stage stage;
    private Leftovers leftovers;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        stage = new Stage(folder);
        StringBuilder pools = new StringBuilder();
        for (Link link : Link.values()) {
            KvStore store = new KvStore();
            Pair pair = new Pair(link, server(link, store), server(link, store));
            pairs.put(link, pair);
            for (String group : List.of(link.text, link.text + "-only")) {
                pools.append("%s-p: { model: m, role: prefill, tokenizer: none, endpoints: [%s], kv: { group: %s, connector: %s, without-prefill: %s } }\n"
                        .formatted(group, pair.prefill.uri(), group, link.yaml(pair.prefill), group.endsWith("-only") ? "fail" : "decode-only"));
                pools.append("%s-d: { model: m, role: decode, tokenizer: proxy, endpoints: [%s], kv: { group: %s } }\n"
                        .formatted(group, pair.decode.uri(), group));
            }
            pools.append("%s-down: { model: m, role: decode, tokenizer: proxy, endpoints: [%s], kv: { group: %s } }\n"
                    .formatted(link.text, Stage.nobody(), link.text));
        }
        Proxy proxy = stage.proxy(pools.toString());
        for (Link link : Link.values()) { // what is made once is there from now on, and prefill servers that push are known
            for (Row row : List.of(Row.PREFILL_FAILS, Row.PREFILL_FAILS_FOR_GOOD)) {
                try (BareClient client = client()) {
                    Answer answer = client.send(request(row.pool(link), UUID.randomUUID().toString(), false, "")).answer();
                    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
                }
            }
        }
        leftovers = new Leftovers(proxy, pairs.values().stream().flatMap(pair -> Stream.of(pair.prefill, pair.decode)).toList());
    }

    private SimulatedServer server(Link link, KvStore store) {
        return stage.server(Stage.tokensOnly().connector(link.connector).store(store).kvLease(LEASE).keptRequests(10_000));
    }

    @AfterAll
    void stop() {
        stage.close();
    }

    private BareClient client() throws IOException {
        return new BareClient(stage.uri(), Stage.LIMIT);
    }

    private static byte[] request(String pool, String id, boolean stream, String more) {
        String said = Arrays.toString(encode(TEXT));
        return BareClient.post(
                Stage.GENERATE,
                Stage.body(
                        "\"output_mode\":\"text\",\"cache_salt\":\"" + id + "\",\"stream\":" + stream,
                        "{\"extra_args\":{\"glyphgate_tokens\":" + said + more + "}}"),
                "X-Glyphgate-Pool: " + pool,
                "X-Request-Id: " + id);
    }

    @ParameterizedTest
    @EnumSource
    void aHandoverGoesWrong(Row row) throws Exception {
        String metrics = metrics();
        Map<Link, Counts> before = new EnumMap<>(Link.class);
        pairs.forEach((link, pair) -> before.put(link, pair.counts(metrics)));
        Map<Link, List<String>> ids = new EnumMap<>(Link.class);
        List<Callable<Void>> plays = new ArrayList<>();
        for (Pair pair : pairs.values()) {
            List<String> played = new ArrayList<>();
            ids.put(pair.link, played);
            for (boolean stream : row.batch() ? new boolean[] {false, true} : new boolean[] {true}) {
                if (row.prompt(pair.link) != Prompt.NEVER) {
                    String id = UUID.randomUUID().toString();
                    played.add(id);
                    plays.add(() -> {
                        play(row, pair, id, stream);
                        return null;
                    });
                }
            }
        }
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            for (Future<Void> played : threads.invokeAll(plays)) {
                played.get();
            }
        }
        leftovers.none();
        for (Pair pair : pairs.values()) {
            isSettled(
                    row,
                    pair,
                    Objects.requireNonNull(ids.get(pair.link)),
                    Objects.requireNonNull(before.get(pair.link)));
        }
    }

    private void play(Row row, Pair pair, String id, boolean stream) throws IOException {
        try (BareClient client = client()) {
            client.send(request(row.pool(pair.link), id, stream, row.sampling()));
            switch (row.leaving()) {
                case NEVER -> assertThat(seen(client.answer(), stream)).as(pair.link + (stream ? " stream" : "")).isEqualTo(row.seen);
                case PREFILL -> eventually("the servers are at work", () -> !pair.bodies(pair.prefill, id).isEmpty()
                        && (!pair.link.atOnce() || !pair.asked(id).isEmpty()));
                case DECODE -> assertThat(client.reads("data: ")).isTrue();
            }
        }
    }

    /** What a client was told, in words. */
    private static String seen(Answer answer, boolean stream) {
        assertThat(answer.end()).as(answer.toString()).isEqualTo(End.WHOLE);
        if (answer.status() != 200) {
            return answer.status() + " `" + answer.header("X-Glyphgate-Error") + "`";
        }
        List<JsonNode> events = stream ? FaultStage.events(answer) : List.of(json(answer.body()));
        List<JsonNode> errors = events.stream().filter(event -> event.has("error")).toList();
        if (errors.isEmpty()) {
            assertThat(events.stream().map(event -> event.at("/choices/0/text").asText("")).collect(Collectors.joining()))
                    .isEqualTo(TEXT);
            return "whole";
        }
        JsonNode error = errors.getFirst().path("error");
        return error.path("message").asText().equals("A fault was asked for")
                ? "the server's error event"
                : "an error event, code " + error.path("code").asInt();
    }

    /** Whether what a row says has become of the prompts, and how. */
    private void isSettled(Row row, Pair pair, List<String> ids, Counts before) throws IOException {
        Prompt prompt = row.prompt(pair.link);
        String what = row + " " + pair.link;
        int all = ids.size() * row.prefills(pair.link);
        int taken = prompt == Prompt.TAKEN || prompt == Prompt.RELEASED ? all : 0;
        int expired = prompt == Prompt.EXPIRES ? all : 0;
        int computed = pair.link.stores() ? 0 : taken + expired;
        int released = prompt == Prompt.RELEASED ? all : 0;
        eventually(what + ": every lease has ended", () -> pair.prefill.heldPrompts() == 0);
        Counts counts = pair.counts(metrics()).since(before);
        assertThat(counts.computed).as(what + ", computed").isEqualTo(computed);
        // a connection that ends before its first byte may have gone stale: what is in a store is asked for again
        assertThat(counts.taken).as(what + ", taken").isBetween((long) taken, pair.link.stores() ? 2L * taken : taken);
        assertThat(counts.expired).as(what + ", expired").isEqualTo(expired);
        assertThat(counts.released).as(what + ", released").isEqualTo(released);
        assertThat(counts.leftToExpire).as(what + ", left to expire").isEqualTo(row == Row.DECODE_IS_DOWN ? expired : 0);
        for (String id : ids) {
            List<JsonNode> releases = pair.released(id);
            assertThat(releases).as(what + ", releases").hasSize(released > 0 ? 1 : 0);
            for (JsonNode release : releases) { // what it takes is what the request would have taken
                JsonNode params = release.path("kv_transfer_params");
                assertThat(params.path("do_remote_prefill").asBoolean()).isTrue();
                assertThat(release.at("/sampling_params/extra_args/kv_transfer_params")).isEqualTo(params);
                pair.asked(id).forEach(asked -> assertThat(asked.path("kv_transfer_params")).as(what).isEqualTo(params));
            }
        }
        if (row.leaving() == Leaving.PREFILL) { // one that is ready soon is not aborted: only its answer says how to release the prompt
            assertThat(counts.prefillsAborted).as(what + ", prefills aborted").isEqualTo(row == Row.LEAVES_EARLY ? ids.size() : 0);
        }
        if (row.leaving() != Leaving.NEVER) {
            boolean asked = pair.link.atOnce() || row.leaving() == Leaving.DECODE;
            assertThat(counts.decodesAborted).as(what + ", decodes aborted").isEqualTo(asked ? ids.size() : 0);
        }
    }

    private String metrics() throws IOException {
        try (BareClient client = client()) { // which does not stay connected
            return client.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII)).answer().body();
        }
    }

    @Test
    void thePageSaysSo() throws IOException {
        StringBuilder table = new StringBuilder("""
                | What goes wrong | The client gets | `nixl` | `nixl-push`, `mooncake` | `lmcache`, `none` |
                |---|---|---|---|---|
                """);
        for (Row row : Row.values()) {
            String stored = row.prompt(Link.LMCACHE) == Prompt.TAKEN ? "the decode server finds it" : row.prompt(Link.LMCACHE).words;
            table.append("| ").append(row.fault).append(" | ").append(row.seen).append(" | ").append(row.prompt(Link.NIXL).words).append(" | ")
                    .append(row.prompt(Link.MOONCAKE).words).append(" | ").append(stored).append(" |\n");
        }
        ReliabilityPage.holds(table.toString());
    }
}
