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
import java.util.Map;
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
    /** By the name under which a decode server asks for it. */
    private final Map<String, Prompt> held = new HashMap<>();
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
        if (!call.prefills()) {
            return null;
        }
        int tokens = call.promptTokenIds().length;
        return switch (options.connector()) {
            case NONE -> null;
            case NIXL -> {
                String internal = requestId + "-" + UUID.randomUUID().toString().substring(0, 8);
                yield hold(internal, tokens, params(internal, tokens).put("transfer_mode", "pull"));
            }
            case NIXL_PUSH -> hold(requestId, tokens, params(requestId, tokens).put("transfer_mode", "push"));
            case MOONCAKE -> {
                // a sequence that ended itself is given to nobody
                if (finishReason.equals("length")) {
                    hold(call.transferParams().path("transfer_id").asText(), tokens);
                }
                yield null;
            }
        };
    }

    private ObjectNode hold(String key, int tokens, ObjectNode params) {
        hold(key, tokens);
        return params;
    }

    private void hold(String key, int tokens) {
        endLeases();
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
     * Takes the prompt of a request from the server that computed it, if the request says where it is.
     *
     * @param active the request, which may be over before the prompt has come
     * @return how many tokens came
     */
    int take(GenerateCall call, ActiveRequest active) throws InterruptedException {
        JsonNode params = call.transferParams();
        if (!params.path("do_remote_prefill").asBoolean()) {
            return 0;
        }
        boolean mooncake = options.connector() == SimulatorOptions.Connector.MOONCAKE;
        URI from = mooncake
                ? URI.create(params.path("remote_bootstrap_addr").asText())
                : URI.create("http://" + params.path("remote_host").asText() + ":" + params.path("remote_port").asInt());
        String key = params.path(mooncake ? "transfer_id" : "remote_request_id").asText();
        boolean waits = options.connector() != SimulatorOptions.Connector.NIXL;
        long end = System.nanoTime() + LIMIT.toNanos();
        int tokens = 0;
        do {
            tokens = ask(from, key, params.path("remote_engine_id").asText(""));
        } while (tokens == 0 && waits && active.end() == null && System.nanoTime() < end);
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

    private int ask(URI from, String key, String engine) throws InterruptedException {
        String body = JSON.createObjectNode().put("key", key).put("engine_id", engine).toString();
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
            for (long left = end - System.nanoTime(); !held.containsKey(key) && left > 0; left = end - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
            endLeases();
            Prompt found = held.remove(key);
            tokens = found == null ? 0 : found.tokens();
        }
        return tokens;
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
