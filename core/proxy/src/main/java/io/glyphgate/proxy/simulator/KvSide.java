package io.glyphgate.proxy.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The KV connector of a played server. A prefill server holds the prompts that it computed for others until a decode server
 * takes them, which asks it over HTTP. Keys and values there are none: what is played is who holds what, and for how long.
 */
final class KvSide implements AutoCloseable {
    /** Where a decode server asks for a prompt. */
    static final String TAKE = "/glyphgate/kv/take";
    /** Where a prefill server of Mooncake tells who it is. */
    static final String QUERY = "/query";

    private static final System.Logger LOGGER = System.getLogger(KvSide.class.getName());
    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final long TURN_MILLIS = 50;

    private final SimulatorOptions options;
    private final URI here;
    private final Runnable changed;
    private final String engineId = UUID.randomUUID().toString();
    private final HttpClient client;
    /** By name, the oldest first; {@link #asked} is the name by which a decode server asks. */
    private final Map<String, Prompt> held = new LinkedHashMap<>();
    /** Prompts that are not held when they are computed: the decode server's request was aborted while it waited. */
    private final Map<String, Long> unwanted = new HashMap<>();
    private long computed;
    private long expired;
    private long taken;
    private long recomputed;

    /**
     * A prompt that is held.
     *
     * @param tokens how many tokens it has
     * @param until when its lease ends, as {@link System#nanoTime()} tells it
     */
    private record Prompt(int tokens, long until) {}

    /**
     * The side of one server.
     *
     * @param threads what asks other servers runs on them
     * @param changed called whenever a prompt is held, given away or taken
     */
    KvSide(SimulatorOptions options, URI here, Executor threads, Runnable changed) {
        this.options = options;
        this.here = here;
        this.changed = changed;
        // by default it keeps idle threads of its own for a minute
        client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).executor(threads).build();
    }

    /** How many prompts are held for a decode server. */
    synchronized int held() {
        endLeases();
        return held.size();
    }

    /** How many prompts were held for a decode server. */
    synchronized long computed() {
        return computed;
    }

    /** How many prompts were held until their lease ended. */
    synchronized long expired() {
        endLeases();
        return expired;
    }

    private void endLeases() {
        long now = System.nanoTime();
        int before = held.size();
        held.values().removeIf(prompt -> now - prompt.until() > 0);
        unwanted.values().removeIf(until -> now - until > 0);
        expired += before - held.size();
    }

    /** How many prompts were taken from another server. */
    synchronized long taken() {
        return taken;
    }

    /** How many prompts were computed here although a request said where they were. */
    synchronized long recomputed() {
        return recomputed;
    }

    /**
     * Holds the prompt of a request whose token has come, if the request asks for it.
     *
     * @param requestId the server's ID of the request
     * @param finishReason why the output ended
     * @return {@code kv_transfer_params} of the answer; null if there are none
     */
    @Nullable ObjectNode computed(GenerateCall call, String requestId, String finishReason) {
        ObjectNode params = hold(call, requestId, finishReason);
        changed.run();
        return params;
    }

    private synchronized @Nullable ObjectNode hold(GenerateCall call, String requestId, String finishReason) {
        if (options.connector() == SimulatorOptions.Connector.LMCACHE) {
            return store(call);
        }
        if (!call.prefills()) {
            return null;
        }
        int tokens = call.promptTokenIds().length;
        return switch (options.connector()) {
            case NONE, LMCACHE -> null;
            case NIXL, NIXL_PUSH -> {
                String internal = requestId + "-" + UUID.randomUUID().toString().substring(0, 8);
                boolean pulls = options.connector() == SimulatorOptions.Connector.NIXL;
                hold(internal, tokens);
                yield params(internal, tokens).put("transfer_mode", pulls ? "pull" : "push");
            }
            case MOONCAKE -> {
                // a sequence that ended itself, or has no name, is given to nobody
                String name = call.transferParams().path("transfer_id").asText("");
                if (finishReason.equals("length") && !name.isEmpty()) {
                    hold(name, tokens);
                }
                yield null;
            }
        };
    }

    /** Keeps a prompt for whoever has it, too; it answers parameters with some, as LMCache does. */
    private @Nullable ObjectNode store(GenerateCall call) {
        options.store().save(call);
        JsonNode asked = call.transferParams();
        if (!asked.isObject()) {
            return null;
        }
        ObjectNode params = JSON.createObjectNode();
        JsonNode extra = asked.path("num_lmcache_extra_cached_tokens");
        if (!extra.isMissingNode()) {
            params.set("num_lmcache_extra_cached_tokens", extra);
        }
        return params;
    }

    private void hold(String key, int tokens) {
        endLeases();
        if (unwanted.remove(asked(key)) != null) {
            return;
        }
        held.put(key, new Prompt(tokens, System.nanoTime() + options.kvLease().toNanos()));
        computed++;
        notifyAll();
    }

    private ObjectNode params(String internal, int tokens) {
        ObjectNode params = JSON.createObjectNode()
                .put("do_remote_prefill", true)
                .put("do_remote_decode", false);
        params.putArray("remote_block_ids").addArray().add(1).add(2);
        return params.put("remote_engine_id", engineId)
                .put("remote_request_id", internal)
                .put("remote_host", here.getHost())
                .put("remote_port", here.getPort())
                .put("tp_size", 1)
                .put("dcp_size", 1)
                .put("pp_size", 1)
                .put("remote_num_tokens", tokens)
                .putNull("remote_blocks_expiry_time")
                .put("remote_registration_generation", 1)
                .put("remote_prefill_cached_tokens", 0);
    }

    /**
     * Takes the prompt of a request from the server that computed it, if the request says where it is, or from the store.
     *
     * @param requestId the server's ID of the request; a server that pushes knows it by that
     * @param active the request, which may be over before the prompt has come
     * @return how many tokens came
     */
    int take(GenerateCall call, String requestId, ActiveRequest active) throws InterruptedException {
        JsonNode params = call.transferParams();
        if (options.connector() == SimulatorOptions.Connector.LMCACHE && options.store().has(call)) {
            count(true);
            return call.promptTokenIds().length;
        }
        if (!params.path("do_remote_prefill").asBoolean()) {
            return 0;
        }
        boolean mooncake = options.connector() == SimulatorOptions.Connector.MOONCAKE;
        URI from = mooncake
                ? URI.create(params.path("remote_bootstrap_addr").asText())
                : URI.create("http://" + params.path("remote_host").asText() + ":" + params.path("remote_port").asInt());
        String key =
                switch (options.connector()) {
                    case MOONCAKE -> params.path("transfer_id").asText();
                    case NIXL_PUSH -> requestId;
                    case NONE, NIXL, LMCACHE -> params.path("remote_request_id").asText();
                };
        String engine = params.path("remote_engine_id").asText("");
        boolean waits = mooncake || options.connector() == SimulatorOptions.Connector.NIXL_PUSH;
        long end = System.nanoTime() + LIMIT.toNanos();
        int tokens = 0;
        do {
            tokens = ask(from, key, engine, false);
        } while (tokens == 0 && waits && active.end() == null && System.nanoTime() < end);
        if (tokens == 0 && waits && active.end() != null) {
            tokens = ask(from, key, engine, true); // whoever waits has told the prefill server where to put it
        }
        count(tokens > 0);
        return tokens;
    }

    private void count(boolean came) {
        synchronized (this) {
            taken += came ? 1 : 0;
            recomputed += came ? 0 : 1;
        }
        changed.run();
    }

    private int ask(URI from, String key, String engine, boolean last) throws InterruptedException {
        String body = JSON.createObjectNode()
                .put("key", key)
                .put("engine_id", engine)
                .put("last", last)
                .toString();
        try {
            HttpResponse<byte[]> answer = client.send(
                    HttpRequest.newBuilder(from.resolve(TAKE))
                            .timeout(LIMIT)
                            .POST(HttpRequest.BodyPublishers.ofString(body))
                            .build(),
                    HttpResponse.BodyHandlers.ofByteArray());
            return JSON.readTree(answer.body()).path("tokens").asInt();
        } catch (IOException e) {
            LOGGER.log(System.Logger.Level.DEBUG, "the prompt " + key + " cannot be taken from " + from, e);
            return 0;
        }
    }

    /** Gives a prompt away to a decode server, which may come before it is computed. */
    String give(String request) throws IOException, InterruptedException {
        int tokens = giveAway(JSON.readTree(request));
        changed.run();
        return JSON.createObjectNode().put("tokens", tokens).toString();
    }

    private synchronized int giveAway(JsonNode asked) throws InterruptedException {
        String key = asked.path("key").asText();
        int tokens = 0;
        if (asked.path("engine_id").asText().equals(engineId)) {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TURN_MILLIS);
            for (long left = end - System.nanoTime(); find(key) == null && left > 0; left = end - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
            endLeases();
            String found = find(key);
            if (found != null) {
                tokens = Objects.requireNonNull(held.remove(found)).tokens();
            } else if (asked.path("last").asBoolean()) {
                unwanted.put(key, System.nanoTime() + options.kvLease().toNanos());
            }
        }
        return tokens;
    }

    /** The name under which a prompt is held that a decode server asks for; null if it is not held. */
    private @Nullable String find(String key) {
        return held.keySet().stream().filter(name -> asked(name).equals(key)).findFirst().orElse(null);
    }

    /** The name by which a decode server asks: one that is pushed to knows its own ID, without what the engine puts behind it. */
    private String asked(String name) {
        return options.connector() == SimulatorOptions.Connector.NIXL_PUSH
                ? name.substring(0, name.lastIndexOf('-'))
                : name;
    }

    /** The engines of this server, as Mooncake's bootstrap server lists them. */
    String engines() {
        ObjectNode engines = JSON.createObjectNode();
        engines.putObject("0").put("engine_id", engineId).put("worker_addr", here.getHost());
        return engines.toString();
    }

    /** Ends what asks other servers. */
    @Override
    public void close() {
        client.shutdownNow();
    }
}
