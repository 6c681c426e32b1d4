package io.glyphgate.proxy.simulator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.proxy.simulator.Connection.OverException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A vLLM server that is only played: it answers like the real one, byte by byte where that can be, says what a script
 * or the request wants said, and goes wrong on demand.
 *
 * <p>A plain client asks for what it wants with {@code structured_outputs.choice} (the model says one of these texts,
 * as with the real server), or with fields of {@code vllm_xargs} or {@code sampling_params.extra_args}, which a real
 * server passes over:
 *
 * <ul>
 *   <li>{@code glyphgate_tokens}: the token IDs to say; a list of lists for several choices
 *   <li>{@code glyphgate_tokens_per_event}: how the tokens are spread over events, as {@link Chunking#parse} reads it
 *   <li>{@code glyphgate_rate}: tokens per second
 *   <li>{@code glyphgate_fault}: how the answer goes wrong, as {@link Fault#parse} reads it; of a request that only prefills
 *       for another server {@code glyphgate_prefill_fault} counts instead
 * </ul>
 *
 * The header {@code X-Glyphgate-Fault} asks for faults of any endpoint's answer.
 */
public final class SimulatedServer implements AutoCloseable {
    private static final Logger LOGGER = System.getLogger(SimulatedServer.class.getName());
    private static final JsonMapper JSON = new JsonMapper();
    private static final String GENERATE = "/inference/v1/generate";
    private static final String ABORT = "/inference/v1/abort_requests";
    private static final String LEGACY_ABORT = "/abort_requests";

    private final SimulatorOptions options;
    private final ServerSocket socket;
    private final KvSide kv;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private final Set<Connection> connections = new HashSet<>();
    private final Map<ActiveRequest, String> generating = new HashMap<>();
    private final List<String> abortedRequestIds = new ArrayList<>();
    private final Deque<ReceivedRequest> requests = new ArrayDeque<>();
    private final Deque<Script> scripts = new ArrayDeque<>();
    private Function<ReceivedRequest, Script> director = request -> Script.NONE;
    private long promptTokens;
    private long generateRequests;
    private boolean closed;

    private SimulatedServer(SimulatorOptions options, ServerSocket socket) {
        this.options = options;
        this.socket = socket;
        kv = new KvSide(options, uri(), threads, () -> change(() -> {}));
    }

    /**
     * Starts a server.
     *
     * @param options how it is set up
     * @return the server, which takes requests
     * @throws IOException if it cannot listen on its address
     */
    public static SimulatedServer start(SimulatorOptions options) throws IOException {
        ServerSocket socket = new ServerSocket();
        try {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByName(options.host()), options.port()), 1024);
        } catch (IOException e) {
            socket.close();
            throw new IOException(
                    "the simulated server cannot listen on " + options.host() + ':' + options.port() + ": "
                            + e.getMessage(),
                    e);
        }
        SimulatedServer server = new SimulatedServer(options, socket);
        server.threads.execute(server::acceptConnections);
        return server;
    }

    /**
     * Where the server is.
     *
     * @return {@code http://}, address and port
     */
    public URI uri() {
        String host = options.host().contains(":") ? '[' + options.host() + ']' : options.host();
        return URI.create("http://" + host + ':' + port());
    }

    /**
     * The port that the server listens on.
     *
     * @return the port; never 0
     */
    public int port() {
        return socket.getLocalPort();
    }

    /**
     * Scripts the next generate requests, first come first served. A request that vLLM refuses uses up no script.
     *
     * @param next one script per request
     */
    public synchronized void enqueue(Script... next) {
        scripts.addAll(List.of(next));
    }

    /**
     * Scripts every request for which no script is enqueued. Of a request that is not a generate request only the
     * faults count.
     *
     * @param scriptOf gives the script of a request; {@link Script#NONE} for nothing special
     */
    public synchronized void direct(Function<ReceivedRequest, Script> scriptOf) {
        director = scriptOf;
    }

    /**
     * What was received.
     *
     * @return the last requests, the oldest first
     */
    public synchronized List<ReceivedRequest> requests() {
        return List.copyOf(requests);
    }

    /**
     * How many clients are connected.
     *
     * @return connections that neither side has closed
     */
    public synchronized int openConnections() {
        return connections.size();
    }

    /**
     * How many generate requests are being answered.
     *
     * @return requests that have neither ended nor been aborted
     */
    public synchronized int activeRequests() {
        return generating.size();
    }

    /**
     * Which generate requests ended early: the client left, or asked to abort them.
     *
     * @return their IDs as answers show them, in the order of their ends
     */
    public synchronized List<String> abortedRequestIds() {
        return List.copyOf(abortedRequestIds);
    }

    /**
     * How many prompts this server has computed for others and holds until they take them.
     *
     * @return 0 when nothing is owed to anybody
     */
    public int heldPrompts() {
        return kv.held();
    }

    /**
     * How many prompts this server has held for others, whether they were taken or not.
     *
     * @return since the start
     */
    public long computedPrompts() {
        return kv.computed();
    }

    /**
     * How many prompts nobody took before their lease ended.
     *
     * @return since the start
     */
    public long expiredPrompts() {
        return kv.expired();
    }

    /**
     * How many prompts this server took from the servers that computed them.
     *
     * @return since the start
     */
    public long takenPrompts() {
        return kv.taken();
    }

    /**
     * How many prompts this server computed although a request said where to take them from: they were not there, or not any
     * more.
     *
     * @return since the start
     */
    public long recomputedPrompts() {
        return kv.recomputed();
    }

    /**
     * Waits until something has happened at this server.
     *
     * @param what the condition in words, for the message
     * @param limit how long to wait at most
     * @param condition asked again whenever a request, a connection or an answer comes or goes
     * @throws IllegalStateException if the condition does not hold in time; the message says what the server holds
     */
    public synchronized void await(String what, Duration limit, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                throw new IllegalStateException("waited " + limit.toMillis() + " ms until " + what
                        + ", but the simulated server has " + connections.size() + " connections, "
                        + generating.values() + " active, " + abortedRequestIds + " aborted, " + requests.size()
                        + " requests received");
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    /** Waits until the server is closed: its threads alone do not keep a program alive. */
    public synchronized void awaitClosed() throws InterruptedException {
        while (!closed) {
            wait();
        }
    }

    /** Closes all connections and stops listening. Waits until nothing of it runs. */
    @Override
    public void close() {
        List<Connection> open;
        synchronized (this) {
            closed = true;
            notifyAll();
            open = List.copyOf(connections);
        }
        try {
            socket.close();
            for (Connection connection : open) {
                connection.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the simulated server could not be closed", e);
        }
        kv.close();
        threads.close();
    }

    private void acceptConnections() {
        try {
            while (true) {
                Socket client = socket.accept();
                threads.execute(() -> serve(client));
            }
        } catch (SocketException e) {
            if (!socket.isClosed()) {
                LOGGER.log(Level.ERROR, "the simulated server takes no more connections", e);
            }
        } catch (IOException e) {
            LOGGER.log(Level.ERROR, "the simulated server takes no more connections", e);
        }
    }

    private void serve(Socket client) {
        Connection connection;
        try {
            connection = new Connection(client, threads);
        } catch (IOException e) {
            LOGGER.log(Level.DEBUG, "a client left before it was served", e);
            return;
        }
        try {
            if (opened(connection)) {
                connection.serve(this::answer);
            } else {
                connection.close();
            }
        } catch (IOException e) {
            LOGGER.log(Level.DEBUG, "a connection could not be closed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            change(() -> connections.remove(connection));
        }
    }

    private synchronized boolean opened(Connection connection) {
        connections.add(connection);
        notifyAll();
        return !closed;
    }

    private synchronized void change(Runnable change) {
        change.run();
        notifyAll();
    }

    private void answer(ReceivedRequest request, ActiveRequest active, Reply reply)
            throws IOException, InterruptedException {
        Function<ReceivedRequest, Script> directed;
        synchronized (this) {
            if (requests.size() >= options.keptRequests()) {
                requests.poll();
            }
            if (options.keptRequests() > 0) {
                requests.add(request);
            }
            directed = director;
            notifyAll();
        }
        try {
            Script script = directed.apply(request);
            String wish = request.headers().getOrDefault("x-glyphgate-fault", "");
            if (script.faults().isEmpty() && !wish.isEmpty()) {
                script = script.failing(faults("X-Glyphgate-Fault", wish));
            }
            reply.failing(script.faults());
            route(request, script, active, reply);
        } catch (Refusal e) {
            reply.send(e.status(), "application/json", e.body(), Map.of());
        } catch (RuntimeException e) {
            LOGGER.log(Level.ERROR, "the simulated server failed at " + request.method() + ' ' + request.path(), e);
            reply.send(500, "text/plain; charset=utf-8", "Internal Server Error", Map.of());
        }
    }

    private void route(ReceivedRequest request, Script script, ActiveRequest active, Reply reply)
            throws IOException, InterruptedException {
        String path = request.path().split("\\?", 2)[0];
        String method = method(path);
        if (method == null) {
            reply.send(404, "application/json", "{\"detail\":\"Not Found\"}", Map.of());
        } else if (!method.equals(request.method())) {
            reply.send(405, "application/json", "{\"detail\":\"Method Not Allowed\"}", Map.of("allow", method));
        } else if (path.equals(GENERATE)) {
            checkScaleOut();
            generate(request, script, active, reply);
        } else if (answerWithFault(reply)) {
            return;
        } else {
            switch (path) {
                case "/health" -> reply.send(200, "", "", Map.of());
                case "/version" ->
                    reply.send(
                            200,
                            "application/json",
                            JSON.createObjectNode().put("version", options.version()).toString(),
                            Map.of());
                case "/v1/models" -> reply.send(200, "application/json", models(), Map.of());
                case KvSide.TAKE -> reply.send(200, "application/json", kv.give(request.body()), Map.of());
                case KvSide.QUERY -> reply.send(200, "application/json", kv.engines(), Map.of());
                case "/metrics" -> reply.send(200, "text/plain; version=1.0.0; charset=utf-8", metrics(), Map.of());
                default -> {
                    checkScaleOut();
                    abort(request);
                    reply.send(200, "", "", Map.of());
                }
            }
        }
    }

    /** The method of a path; null where this kind of server has nothing. */
    private @Nullable String method(String path) {
        boolean old = options.kind() == SimulatorOptions.Kind.OLD_VLLM;
        boolean rust = options.kind() == SimulatorOptions.Kind.RUST_FRONTEND;
        return switch (path) {
            case "/health", "/version", "/v1/models", "/metrics" -> "GET";
            case KvSide.TAKE ->
                switch (options.connector()) {
                    case NONE, LMCACHE -> null;
                    case NIXL, NIXL_PUSH, MOONCAKE -> "POST";
                };
            case KvSide.QUERY -> options.connector() == SimulatorOptions.Connector.MOONCAKE ? "GET" : null;
            case GENERATE -> "POST";
            case ABORT -> old ? null : "POST";
            case LEGACY_ABORT -> options.tokensOnly() && !rust ? "POST" : null;
            default -> null;
        };
    }

    private void checkScaleOut() {
        if (!options.scaleOut()) {
            throw Refusal.of(
                    403,
                    "PermissionDeniedError",
                    "Scale-out endpoints are disabled. Restart vllm serve with --enable-scale-out to enable them.",
                    null);
        }
    }

    private void generate(ReceivedRequest request, Script directed, ActiveRequest active, Reply reply)
            throws IOException, InterruptedException {
        GenerateCall call = GenerateCall.read(request, options);
        Script script = script(directed);
        if (script.faults().isEmpty()) {
            String name = call.prefills() ? "prefill_fault" : "fault";
            String wish = call.wish(name).asText("");
            script = script.failing(wish.isEmpty() ? options.faults() : faults("glyphgate_" + name, wish));
        }
        reply.failing(script.faults());
        if (answerWithFault(reply)) {
            return;
        }
        String given = request.headers().get("x-request-id");
        if (given == null) {
            given = call.requestId();
        }
        String requestId = "generate-tokens-" + (given == null ? hex() : given);
        Generation generation = new Generation(
                call, requestId, script, options, kv, active, reply, () -> change(() -> generating.remove(active)));
        change(() -> {
            generating.put(active, requestId);
            promptTokens += call.promptTokenIds().length;
            generateRequests++;
        });
        try {
            generation.play();
        } catch (OverException e) {
            throw e;
        } catch (IOException e) {
            active.end(ActiveRequest.End.CLIENT_LEFT);
            throw e;
        } finally {
            change(() -> {
                // An answer that reached its end, and a request to abort, have taken the request out before.
                if (generating.remove(active) != null && active.end() != null) {
                    abortedRequestIds.add(requestId);
                }
            });
        }
    }

    private synchronized Script script(Script directed) {
        Script next = scripts.poll();
        return next == null ? directed : next;
    }

    private static List<Fault> faults(String where, String wish) {
        try {
            return Fault.parse(wish);
        } catch (IllegalArgumentException e) {
            throw Refusal.bad(where + ": " + e.getMessage());
        }
    }

    /** Sends the answer that a fault puts in place of the real one; false if there is no such fault. */
    private static boolean answerWithFault(Reply reply) throws IOException {
        Fault status = reply.fault(Fault.Kind.STATUS);
        Fault html = reply.fault(Fault.Kind.HTML);
        if (status != null) {
            int code = status.value() == 0 ? 500 : (int) status.value();
            reply.send(
                    code,
                    "application/json",
                    Refusal.error(code, "InternalServerError", "A fault was asked for", null),
                    code == 429 || code == 503 ? Map.of("retry-after", "1") : Map.of());
        } else if (html != null) {
            int code = html.value() == 0 ? 502 : (int) html.value();
            reply.send(
                    code,
                    "text/html",
                    "<html>\r\n<head><title>" + code + "</title></head>\r\n<body>\r\n<center><h1>" + code
                            + "</h1></center>\r\n</body>\r\n</html>\r\n",
                    Map.of());
        } else if (reply.fault(Fault.Kind.ERROR_BODY) != null) {
            reply.send(
                    200,
                    "application/json",
                    Refusal.error(500, "InternalServerError", "A fault was asked for", null),
                    Map.of());
        } else {
            return false;
        }
        return true;
    }

    private void abort(ReceivedRequest request) {
        if (options.kind() == SimulatorOptions.Kind.RUST_FRONTEND) {
            throw Refusal.of(501, "NotImplementedError", "abort_requests is not implemented", null);
        }
        JsonNode ids;
        try {
            ids = JSON.readTree(request.body()).path("request_ids");
        } catch (JsonProcessingException e) {
            throw Refusal.of(400, "Bad Request", "JSON decode error: " + e.getOriginalMessage(), null);
        }
        if (ids.isMissingNode() || ids.isNull()) {
            throw Refusal.of(400, "Bad Request", "Missing 'request_ids' in request body", null);
        }
        Set<String> wanted = new HashSet<>();
        ids.forEach(id -> wanted.add(id.asText()));
        change(() -> generating.entrySet().removeIf(entry -> {
            boolean aborted = wanted.contains(entry.getValue());
            if (aborted) {
                abortedRequestIds.add(entry.getValue());
                entry.getKey().end(ActiveRequest.End.ABORTED);
            }
            return aborted;
        }));
    }

    private String models() {
        ObjectNode root = JSON.createObjectNode().put("object", "list");
        ArrayNode data = root.putArray("data");
        long now = System.currentTimeMillis() / 1000;
        List<String> names = new ArrayList<>(List.of(options.model()));
        names.addAll(options.aliases());
        for (String name : names) {
            ObjectNode model = data.addObject()
                    .put("id", name)
                    .put("object", "model")
                    .put("created", now)
                    .put("owned_by", "vllm")
                    .put("root", options.root())
                    .putNull("parent")
                    .put("max_model_len", options.maxModelLength());
            model.putArray("permission")
                    .addObject()
                    .put("id", "modelperm-" + hex())
                    .put("object", "model_permission")
                    .put("created", now)
                    .put("allow_create_engine", false)
                    .put("allow_sampling", true)
                    .put("allow_logprobs", true)
                    .put("allow_search_indices", false)
                    .put("allow_view", true)
                    .put("allow_fine_tuning", false)
                    .put("organization", "*")
                    .putNull("group")
                    .put("is_blocking", false);
        }
        return root.toString();
    }

    private synchronized String metrics() {
        StringBuilder text = new StringBuilder();
        metric("num_requests_running", "gauge", generating.size(), text);
        metric("num_requests_waiting", "gauge", 0, text);
        metric("kv_cache_usage_perc", "gauge", Math.min(1, kv.held() / 100.0), text);
        metric("nixl_num_kv_expired_reqs_total", "counter", kv.expired(), text);
        metric("prompt_tokens_total", "counter", promptTokens, text);
        long succeeded = generateRequests - generating.size() - abortedRequestIds.size();
        metric("request_success_total", "counter", succeeded, text);
        return text.toString();
    }

    private void metric(String name, String type, Number value, StringBuilder text) {
        text.append("# TYPE vllm:" + name + ' ' + type + '\n')
                .append("vllm:" + name + "{engine=\"0\",model_name=\"" + options.model() + "\"} " + value.doubleValue() + '\n');
    }

    private static String hex() {
        return String.format("%016x", new SplittableRandom().nextLong());
    }
}
