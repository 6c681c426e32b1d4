package io.glyphgate.proxy.http;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.generate.Abort;
import io.glyphgate.proxy.generate.ClientGoneException;
import io.glyphgate.proxy.generate.Failures;
import io.glyphgate.proxy.generate.Generate;
import io.glyphgate.proxy.generate.ModelList;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.observe.Ticker;
import io.glyphgate.proxy.openai.OpenAiDoors;
import io.glyphgate.proxy.tokenize.TokenDoors;
import io.glyphgate.proxy.wire.ApiDocument;
import io.glyphgate.proxy.wire.Failure;
import io.helidon.http.DirectHandler;
import io.helidon.http.DirectHandler.TransportResponse;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.HttpException;
import io.helidon.http.Method;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.DirectHandlers;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The socket that clients speak to, and what is behind each path. */
public final class Doors implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Doors.class.getName());
    /** How long clients whose requests are cut at the end have to hear of it. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    private static final String JSON = "application/json";
    private static final String OPENAPI = "/openapi.json";
    private static final byte[] ALIVE = "{\"alive\":\"ok\"}".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] READY = "{\"ready\":\"ok\"}".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NOT_READY = "{\"ready\":\"ko\"}".getBytes(StandardCharsets.US_ASCII);
    private static final HeaderName REQUEST_ID = HeaderNames.create("X-Request-Id");
    /** How many bytes behind the limit of a body are read for nothing. */
    private static final long DISCARDED = 64L << 20;

    private final ProxyConfig config;
    private final Generate generate;
    private final Abort abort;
    private final TokenDoors tokens;
    private final OpenAiDoors openAi;
    private final ModelList models;
    private final Meters meters;
    private final Ticker ticker;
    private final String version;
    private final PeerWatch peers = new PeerWatch();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final Set<Exchange> exchanges = ConcurrentHashMap.newKeySet();
    /** The doors that are open: the method by the path, without the prefix of happy_vLLM's. */
    private final Map<String, String> open = new LinkedHashMap<>();
    private final WebServer server;
    private volatile boolean ready;

    /** Opens the socket. */
    public Doors(
            ProxyConfig config,
            Generate generate,
            Abort abort,
            TokenDoors tokens,
            OpenAiDoors openAi,
            ModelList models,
            Meters meters,
            Ticker ticker,
            String version) {
        this.config = config;
        this.generate = generate;
        this.abort = abort;
        this.tokens = tokens;
        this.openAi = openAi;
        this.models = models;
        this.meters = meters;
        this.ticker = ticker;
        this.version = version;
        WebServer starting = WebServer.builder()
                .host(config.server().host())
                .port(config.server().port())
                .shutdownHook(false)
                .protocolsDiscoverServices(false)
                .addConnectionSelector(peers.selector())
                .directHandlers(directHandlers())
                .routing(this::routes)
                .build();
        server = starting.start();
        if (!server.isRunning() || server.port() < 0) {
            server.stop();
            throw new IllegalArgumentException("cannot listen on " + config.server().host() + ":" + config.server().port()
                    + " (server.host, server.port): is something else listening there?");
        }
        ready = true;
    }

    /** The port, also where the configuration says 0. */
    public int port() {
        return server.port();
    }

    /** How many requests are being served. */
    public int inFlight() {
        return inFlight.get();
    }

    /** How many connections of clients are open. */
    public int connections() {
        return peers.open();
    }

    private void routes(HttpRouting.Builder routing) {
        routing.addFilter((chain, request, response) -> {
            closeWhenAsked(request, response);
            chain.proceed();
        });
        door(routing, Method.POST, Generate.PATH, exchange(generate::handle));
        tokenDoors(routing);
        if (config.doors().openai()) {
            door(routing, Method.POST, "/v1/chat/completions", exchange(openAi::chat));
            door(routing, Method.POST, "/v1/completions", exchange(openAi::completion));
        }
        door(routing, Method.POST, "/inference/v1/abort_requests", exchange(abort::handle));
        door(routing, Method.POST, "/abort_requests", exchange(abort::handle));
        door(routing, Method.GET, "/v1/models", (request, response) -> send(response, 200, JSON, models.toJson()));
        door(routing, Method.GET, "/health", (request, response) -> response.status(Status.OK_200).send());
        door(routing, Method.GET, "/ready", (request, response) -> response.status(
                        ready ? Status.OK_200 : Status.SERVICE_UNAVAILABLE_503)
                .send());
        door(routing, Method.GET, "/metrics", (request, response) -> response.header(
                        HeaderNames.CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")
                .send(meters.scrape()));
        byte[] document = ApiDocument.of(
                resource("openapi.json"), version, config.doors().happyVllmPrefix().orElse(""), documented());
        door(routing, Method.GET, OPENAPI, (request, response) -> send(response, 200, JSON, document));
        routing.any((request, response) -> fail(request, response, Failure.of(404, "no-such-door", "", "Not Found")));
        routing.error(HttpException.class, (request, response, e) -> fail(
                request, response, unrouted(e.status().code(), String.valueOf(e.getMessage()))));
    }

    private Map<String, String> documented() {
        Map<String, String> doors = new LinkedHashMap<>(open);
        doors.put(OPENAPI, Method.GET.text());
        return doors;
    }

    private static byte[] resource(String name) {
        try (InputStream in = Doors.class.getResourceAsStream(name)) {
            return Objects.requireNonNull(in, name).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The doors for tokens and texts, as far as they are open. */
    private void tokenDoors(HttpRouting.Builder routing) {
        ProxyConfig.Doors open = config.doors();
        if (open.tokenize()) {
            door(routing, Method.POST, "/tokenize", anyBody(tokens::tokenize));
            door(routing, Method.POST, "/detokenize", anyBody(tokens::detokenize));
        }
        if (open.tokenizerInfo()) {
            door(routing, Method.GET, "/tokenizer_info", aboutModel(tokens::tokenizerInfo));
        }
        if (open.happyVllm()) {
            String prefix = open.happyVllmPrefix().orElse("");
            door(routing, Method.POST, prefix, "/v1/tokenizer", anyBody(tokens::tokenizer));
            door(routing, Method.POST, prefix, "/v1/decode", anyBody(tokens::decode));
            door(routing, Method.POST, prefix, "/v2/tokenizer", anyBody(tokens::tokenizerVersion2));
            door(routing, Method.POST, prefix, "/v2/decode", anyBody(tokens::decodeVersion2));
            door(routing, Method.POST, prefix, "/v1/split_text", anyBody(tokens::splitText));
            door(routing, Method.POST, prefix, "/v1/metadata_text", anyBody(tokens::metadataText));
            door(routing, Method.GET, prefix, "/v1/info", aboutModel(tokens::info));
            door(routing, Method.GET, prefix, "/liveness", (request, response) -> send(response, 200, JSON, ALIVE));
            door(routing, Method.GET, prefix, "/readiness", (request, response) -> send(
                    response, 200, JSON, ready ? READY : NOT_READY));
        }
    }

    /** What answers a question about a model, which the query may name. */
    @FunctionalInterface
    private interface ModelAnswerer {
        void handle(Optional<String> model, Exchange client);
    }

    private Handler aboutModel(ModelAnswerer answerer) {
        return (request, response) -> exchange(true, (body, client) -> answerer.handle(
                        request.query().first("model").asOptional(), client))
                .handle(request, response);
    }

    /** What answers a request whose body may be of any type; the answerer says what it thinks of it. */
    private Handler anyBody(Answerer answerer) {
        return exchange(true, answerer);
    }

    /** One path, one method: Helidon would take another method for another path. */
    private void door(HttpRouting.Builder routing, Method method, String path, Handler handler) {
        door(routing, method, "", path, handler);
    }

    private void door(HttpRouting.Builder routing, Method method, String prefix, String name, Handler handler) {
        open.put(name, method.text());
        String path = prefix + name;
        routing.route(method, path, handler);
        if (method.equals(Method.GET)) {
            routing.route(Method.HEAD, path, (request, response) -> response.send());
        }
        routing.any(path, (request, response) -> {
            response.header(HeaderNames.ALLOW, method.text());
            fail(request, response, Failure.of(405, "wrong-method", "", "Method Not Allowed"));
        });
    }

    /** Helidon 4.5.0 leaves the socket open after {@code Connection: close} (its issue 12324). */
    private static void closeWhenAsked(ServerRequest request, ServerResponse response) {
        if (request.headers().containsToken(HeaderValues.CONNECTION_CLOSE)) {
            response.whenSent(() -> {
                throw new CloseConnectionException("the client asked for it");
            });
        }
    }

    /** What answers a request whose body was read. */
    @FunctionalInterface
    private interface Answerer {
        void handle(byte[] body, Exchange client);
    }

    private Handler exchange(Answerer answerer) {
        return exchange(false, answerer);
    }

    private Handler exchange(boolean anyType, Answerer answerer) {
        return (request, response) -> {
            Exchange client = new Exchange(request, response, config.clients(), ticker);
            inFlight.incrementAndGet();
            exchanges.add(client);
            try {
                Optional<byte[]> body = body(request, client, response, anyType);
                if (body.isEmpty()) {
                    return;
                }
                PeerWatch.Watch watch = config.clients().cancelOnDisconnect() ? peers.watch(client::leave) : () -> {};
                try (watch) {
                    answerer.handle(body.get(), client);
                }
            } catch (ClientGoneException e) {
                throw new CloseConnectionException("the client is gone", e);
            } finally {
                exchanges.remove(client);
                client.close();
                inFlight.decrementAndGet();
                var unused = Thread.interrupted(); // the connection's thread goes on to the next request
            }
        };
    }

    /** Reads the body; empty if it was refused. */
    private Optional<byte[]> body(ServerRequest request, Exchange client, ServerResponse response, boolean anyType) {
        String type = client.header("Content-Type").orElse("").toLowerCase(Locale.ROOT);
        long limit = config.server().maxBody().bytes();
        byte[] bytes = new byte[0];
        boolean tooLarge = false;
        boolean broken = false;
        if (request.content().hasEntity()) {
            InputStream in = request.content().inputStream(); // closing it would wait for the rest of the body
            try {
                bytes = in.readNBytes((int) limit);
                // a client that still sends would not see the answer, so what is too much is read, too, up to a point
                tooLarge = in.skip(DISCARDED) > 0;
            } catch (IOException | RuntimeException e) {
                broken = true; // a client that left in the middle, or that sends what is no body
            }
        }
        Failure failure = null;
        if (broken) {
            failure = Failure.of(400, "bad-request", "", "The body ends too early, or is not encoded as its headers say.");
        } else if (tooLarge) {
            failure = Failure.of(413, "body-too-large", "", "The body is over the limit of " + limit + " bytes (server.max-body).");
        } else if (!anyType && !type.isEmpty() && !type.split(";", 2)[0].strip().equals(JSON)) {
            failure = Failure.of(400, "invalid-request", "Content-Type", "Content-Type must be application/json.");
        }
        if (failure == null) {
            return Optional.of(bytes);
        }
        meters.refused(failure.slug());
        if (tooLarge || broken) {
            // what is left of the body must not be taken for the next request
            response.header(HeaderValues.CONNECTION_CLOSE);
            response.whenSent(() -> {
                throw new CloseConnectionException("the rest of the body is not wanted");
            });
        }
        Failures.send(client, failure, Optional.empty());
        return Optional.empty();
    }

    private static void fail(ServerRequest request, ServerResponse response, Failure failure) {
        response.header(HeaderNames.create("X-Glyphgate-Error"), failure.slug());
        request.headers()
                .first(REQUEST_ID)
                .ifPresent(id -> response.header(REQUEST_ID, id));
        if (request.prologue().method().equals(Method.HEAD)) {
            response.status(failure.status()).send();
        } else {
            // what is about paths and methods has the shape that FastAPI, and so each server behind, gives it
            boolean routing = failure.status() == 404 || failure.status() == 405;
            send(response, failure.status(), JSON, routing ? failure.toDetailJson() : failure.toJson());
        }
    }

    /** What Helidon refuses or breaks at by itself. */
    private static Failure unrouted(int status, String message) {
        return Failure.of(status, status < 500 ? "bad-request" : "internal", "", message);
    }

    private static void send(ServerResponse response, int status, String type, byte[] body) {
        response.status(status).header(HeaderNames.CONTENT_TYPE, type).send(body);
    }

    /** Errors that never reach the routes, in the same shape. */
    private static DirectHandlers directHandlers() {
        DirectHandler handler = (request, type, status, headers, message) -> {
            // Helidon gives no message for some types, although it says that it does
            Failure failure = unrouted(status.code(), Objects.requireNonNullElse(message, type.name()));
            return TransportResponse.builder()
                    .status(status)
                    .headers(headers)
                    .header(HeaderValues.CONTENT_TYPE_JSON)
                    .header(HeaderValues.create("X-Glyphgate-Error", failure.slug()))
                    .entity(failure.toJson())
                    .build();
        };
        DirectHandlers.Builder handlers = DirectHandlers.builder();
        for (DirectHandler.EventType type : DirectHandler.EventType.values()) {
            handlers.addHandler(type, handler);
        }
        return handlers.build();
    }

    /** Takes no part in load balancing any more, waits for the requests in flight up to the drain limit, and closes. */
    @Override
    public void close() {
        ready = false;
        if (inFlight.get() > 0) {
            LOG.log(System.Logger.Level.INFO, "stopping: {0} requests in flight may go on for {1} s", inFlight.get(),
                    config.server().drain().toSeconds());
            awaitIdle(config.server().drain());
            exchanges.forEach(Exchange::cancel); // their clients are told
            awaitIdle(LAST_WORDS);
        }
        server.stop();
    }

    private void awaitIdle(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        while (inFlight.get() > 0 && System.nanoTime() < end) {
            try {
                Thread.sleep(Duration.ofMillis(20));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
