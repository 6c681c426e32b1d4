package io.glyphgate.proxy.http;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.generate.ClientGoneException;
import io.glyphgate.proxy.generate.Failures;
import io.glyphgate.proxy.generate.Generate;
import io.glyphgate.proxy.loop.Loops;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.observe.Ticker;
import io.glyphgate.proxy.tokenize.TokenDoors;
import io.glyphgate.proxy.wire.ApiDocument;
import io.glyphgate.proxy.wire.Dialect;
import io.glyphgate.proxy.wire.Failure;
import io.helidon.common.tls.Tls;
import io.helidon.common.tls.TlsClientAuth;
import io.helidon.http.DirectHandler;
import io.helidon.http.DirectHandler.TransportResponse;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.HttpException;
import io.helidon.http.Method;
import io.helidon.http.ServerRequestHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.DirectHandlers;
import io.helidon.webserver.http.Filter;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.RoutingRequest;
import io.helidon.webserver.http.RoutingResponse;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.ByteArrayOutputStream;
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
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** The socket that clients speak to, and what is behind each path. */
public final class Doors implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Doors.class.getName());
    /** How long clients whose requests are cut at the end have to hear of it. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    /** How long a request that has just arrived has to begin, when no other is left. */
    private static final Duration LAST_REQUEST = Duration.ofMillis(500);
    /** Who stops decides when what still runs is cut, not the HTTP library. */
    private static final Duration WITHOUT_END = Duration.ofDays(1);

    static final HeaderName ERROR = HeaderNames.create("X-Glyphgate-Error");
    static final String JSON = "application/json";
    static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
    private static final String OPENAPI = "/openapi.json";
    private static final String MESSAGES = "/v1/messages";
    private static final String COUNT_TOKENS = "/v1/messages/count_tokens";
    private static final byte[] ALIVE = "{\"alive\":\"ok\"}".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] READY = "{\"ready\":\"ok\"}".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NOT_READY = "{\"ready\":\"ko\"}".getBytes(StandardCharsets.US_ASCII);
    static final HeaderName REQUEST_ID = HeaderNames.create("X-Request-Id");
    /** How many bytes behind the limit of a body are read for nothing. */
    private static final long DISCARDED = 64L << 20;

    private final Meters meters;
    private final Ticker ticker;
    private final String version;
    private final PeerWatch peers;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final Set<Exchange> exchanges = ConcurrentHashMap.newKeySet();
    /** All doors, by the path without the prefix of happy_vLLM's. */
    private final Map<String, Door> doors = new LinkedHashMap<>();
    /** What stands before the paths of happy_vLLM's doors. */
    private final String prefix;

    private final WebServer server;
    private volatile Generation generation;
    private volatile @Nullable Document document;
    private volatile boolean ready;
    private volatile boolean stopping;
    private boolean closed;

    /**
     * A door.
     *
     * @param method the one method that it takes
     * @param open whether a configuration has it open; there is nothing at its path otherwise
     */
    private record Door(Method method, Predicate<ProxyConfig.Doors> open) {}

    /** The OpenAPI document of the doors that a configuration has open. */
    private record Document(ProxyConfig.Doors of, byte[] json) {}

    /**
     * Opens the socket.
     *
     * @param generation what serves requests until {@link #serve}; its host and port are those of the socket
     * @param loops what carries streams where it can; empty if their own threads do
     */
    public Doors(Generation generation, Meters meters, Ticker ticker, Optional<Loops> loops, String version) {
        ProxyConfig config = generation.services().config();
        this.generation = generation;
        prefix = config.doors().happyVllmPrefix().orElse("");
        this.meters = meters;
        this.ticker = ticker;
        this.version = version;
        peers = watch(this::requestLimit, meters, ticker, loops);
        server = start(
                WebServer.builder()
                        .host(config.server().host())
                        .port(config.server().port())
                        .shutdownGracePeriod(WITHOUT_END)
                        .maxPayloadSize(config.server().maxBody().bytes() + DISCARDED) // Helidon holds a chunk in memory
                        .update(listener -> tls(generation.services(), listener))
                        .routing(this::routes),
                peers,
                config.server(),
                "server");
        ready = true;
    }

    /** Watches over the connections of a socket. */
    static PeerWatch watch(Supplier<Duration> limit, Meters meters, Ticker ticker, Optional<Loops> loops) {
        Failure late = Failure.of(408, "request-timeout", "", "The request did not arrive in time (clients.request).");
        return new PeerWatch(limit, lateAnswer(late), () -> meters.refused(late.slug()), ticker, loops);
    }

    /**
     * Opens a socket on which requests are watched and guarded.
     *
     * @param limits what requests may be like
     * @param block the block of the configuration that says where
     */
    static WebServer start(WebServerConfig.Builder listener, PeerWatch peers, ProxyConfig.Server limits, String block) {
        WebServer starting = listener.shutdownHook(false)
                .connectionOptions(peers.options())
                .protocolsDiscoverServices(false)
                .addConnectionSelector(peers.selector(HeadLimits.of(limits)))
                .directHandlers(directHandlers(limits))
                .build();
        WebServer server = starting.start();
        if (!server.isRunning() || server.port() < 0) {
            server.stop();
            throw new IllegalArgumentException("cannot listen on " + listener.host() + ":" + listener.port() + " (" + block
                    + ".host, " + block + ".port): is something else listening there?");
        }
        return server;
    }

    /** Has a socket speak TLS, if the configuration says so. */
    private static void tls(Services services, WebServerConfig.Builder listener) {
        Optional<SSLContext> context = services.secrets().serverTls();
        if (context.isEmpty()) {
            return;
        }
        ProxyConfig.ClientAuth clientAuth = services.config().server().tls().orElseThrow().clientAuth();
        listener.tls(Tls.builder()
                .sslContext(context.get())
                .clientAuth(switch (clientAuth) {
                    case NONE -> TlsClientAuth.NONE;
                    case OPTIONAL -> TlsClientAuth.OPTIONAL;
                    case REQUIRED -> TlsClientAuth.REQUIRED;
                })
                .build());
    }

    private Duration requestLimit() {
        return generation.services().config().clients().request();
    }

    /** Whether requests should be sent here: it is not stopping, and its servers can serve. */
    public boolean ready() {
        return ready && generation.services().servable().getAsBoolean();
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
        routing.addFilter(outermost(peers, () -> stopping));
        routing.addFilter((chain, request, response) -> {
            Optional<Failure> tooLarge = HeadLimits.check(request.headers(), generation.services().config().server());
            if (tooLarge.isPresent()) {
                meters.refused(tooLarge.get().slug());
                fail(request, response, tooLarge.get());
            } else {
                chain.proceed();
            }
        });
        routing.addFilter(new KeyGate(
                () -> generation.services().secrets().clientKeys(), withoutKey(), Set.of(MESSAGES, COUNT_TOKENS), meters));
        door(routing, Method.POST, Generate.PATH, exchange((services, body, client) -> services.generate().handle(body, client)));
        tokenDoors(routing);
        Predicate<ProxyConfig.Doors> openai = ProxyConfig.Doors::openai;
        door(routing, Method.POST, "", "/v1/chat/completions", openai, exchange((services, body, client) ->
                services.openai().chat(body, client)));
        door(routing, Method.POST, "", "/v1/completions", openai, exchange((services, body, client) ->
                services.openai().completion(body, client)));
        Predicate<ProxyConfig.Doors> render = ProxyConfig.Doors::render;
        door(routing, Method.POST, "", "/v1/chat/completions/render", render, exchange((services, body, client) ->
                services.render().chat(body, client)));
        door(routing, Method.POST, "", "/v1/completions/render", render, exchange((services, body, client) ->
                services.render().completion(body, client)));
        door(routing, Method.POST, "", "/v1/chat/completions/derender", render, exchange((services, body, client) ->
                services.derender().chat(body, client)));
        door(routing, Method.POST, "", "/v1/completions/derender", render, exchange((services, body, client) ->
                services.derender().completion(body, client)));
        Predicate<ProxyConfig.Doors> anthropic = ProxyConfig.Doors::anthropic;
        door(routing, Method.POST, "", MESSAGES, anthropic, exchange(false, Dialect.ANTHROPIC, (services, body, client) ->
                services.anthropic().messages(body, client)));
        door(routing, Method.POST, "", COUNT_TOKENS, anthropic, exchange(false, Dialect.ANTHROPIC, (services, body, client) ->
                services.anthropic().countTokens(body, client)));
        Answerer abort = (services, body, client) -> services.abort().handle(body, client);
        door(routing, Method.POST, "/inference/v1/abort_requests", exchange(abort));
        door(routing, Method.POST, "/abort_requests", exchange(abort));
        door(routing, Method.GET, "/v1/models", (request, response) -> send(
                response, 200, JSON, generation.services().models().toJson()));
        door(routing, Method.GET, "/health", (request, response) -> response.status(Status.OK_200).send());
        door(routing, Method.GET, "/ready", (request, response) -> response.status(
                        ready() ? Status.OK_200 : Status.SERVICE_UNAVAILABLE_503)
                .send());
        if (generation.services().config().admin().isEmpty()) {
            door(routing, Method.GET, "/metrics", (request, response) -> response.header(HeaderNames.CONTENT_TYPE, PROMETHEUS)
                    .send(meters.scrape()));
        }
        door(routing, Method.GET, OPENAPI, (request, response) -> send(response, 200, JSON, document()));
        failures(routing);
    }

    /** What answers where there is no door, or Helidon refuses. */
    static void failures(HttpRouting.Builder routing) {
        routing.any(Doors::noSuchDoor);
        routing.error(HttpException.class, (request, response, e) -> fail(request, response, unrouted(e.status(), null)));
    }

    /** The doors that need no key: what asks whether this proxy lives. */
    private Set<String> withoutKey() {
        return Set.of("/health", "/ready", prefix + "/liveness", prefix + "/readiness");
    }

    /** The document of the doors that are open now. */
    private byte[] document() {
        ProxyConfig.Doors config = generation.services().config().doors();
        Document known = document;
        if (known == null || !known.of.equals(config)) {
            Map<String, String> open = new LinkedHashMap<>();
            doors.forEach((path, door) -> {
                if (door.open.test(config)) {
                    open.put(path, door.method.text());
                }
            });
            known = new Document(config, ApiDocument.of(resource("openapi.json"), version, prefix, open));
            document = known;
        }
        return known.json;
    }

    private static byte[] resource(String name) {
        try (InputStream in = Doors.class.getResourceAsStream(name)) {
            return Objects.requireNonNull(in, name).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The doors for tokens and texts. */
    private void tokenDoors(HttpRouting.Builder routing) {
        Predicate<ProxyConfig.Doors> tokenize = ProxyConfig.Doors::tokenize;
        door(routing, Method.POST, "", "/tokenize", tokenize, anyBody(TokenDoors::tokenize));
        door(routing, Method.POST, "", "/detokenize", tokenize, anyBody(TokenDoors::detokenize));
        door(routing, Method.GET, "", "/tokenizer_info", ProxyConfig.Doors::tokenizerInfo, aboutModel(TokenDoors::tokenizerInfo));
        happy(routing, Method.POST, "/v1/tokenizer", anyBody(TokenDoors::tokenizer));
        happy(routing, Method.POST, "/v1/decode", anyBody(TokenDoors::decode));
        happy(routing, Method.POST, "/v2/tokenizer", anyBody(TokenDoors::tokenizerVersion2));
        happy(routing, Method.POST, "/v2/decode", anyBody(TokenDoors::decodeVersion2));
        happy(routing, Method.POST, "/v1/split_text", anyBody(TokenDoors::splitText));
        happy(routing, Method.POST, "/v1/metadata_text", anyBody(TokenDoors::metadataText));
        happy(routing, Method.GET, "/v1/info", aboutModel(TokenDoors::info));
        happy(routing, Method.GET, "/liveness", (request, response) -> send(response, 200, JSON, ALIVE));
        happy(routing, Method.GET, "/readiness", (request, response) -> send(response, 200, JSON, ready() ? READY : NOT_READY));
    }

    private void happy(HttpRouting.Builder routing, Method method, String path, Handler handler) {
        door(routing, method, prefix, path, ProxyConfig.Doors::happyVllm, handler);
    }

    /** What answers a question about a model, which the query may name. */
    @FunctionalInterface
    private interface ModelAnswerer {
        void handle(TokenDoors doors, Optional<String> model, Exchange client);
    }

    private Handler aboutModel(ModelAnswerer answerer) {
        return (request, response) -> exchange(true, (services, body, client) -> answerer.handle(
                        services.tokens(), request.query().first("model").asOptional(), client))
                .handle(request, response);
    }

    /** What answers a request about tokens and texts. */
    @FunctionalInterface
    private interface TokenAnswerer {
        void handle(TokenDoors doors, byte[] body, Exchange client);
    }

    /** What answers a request whose body may be of any type; the answerer says what it thinks of it. */
    private Handler anyBody(TokenAnswerer answerer) {
        return exchange(true, (services, body, client) -> answerer.handle(services.tokens(), body, client));
    }

    /** One path, one method: Helidon would take another method for another path. */
    private void door(HttpRouting.Builder routing, Method method, String path, Handler handler) {
        door(routing, method, "", path, config -> true, handler);
    }

    private void door(
            HttpRouting.Builder routing,
            Method method,
            String prefix,
            String name,
            Predicate<ProxyConfig.Doors> open,
            Handler handler) {
        Door door = new Door(method, open);
        doors.put(name, door);
        route(routing, method, prefix + name, handler, behind -> ifOpen(door, behind));
    }

    /** One path, one method: Helidon would take another method for another path. */
    static void route(HttpRouting.Builder routing, Method method, String path, Handler handler) {
        route(routing, method, path, handler, behind -> behind);
    }

    private static void route(
            HttpRouting.Builder routing, Method method, String path, Handler handler, UnaryOperator<Handler> before) {
        routing.route(method, path, before.apply(handler));
        if (method.equals(Method.GET)) {
            routing.route(Method.HEAD, path, before.apply((request, response) -> response.send()));
        }
        routing.any(path, before.apply((request, response) -> {
            response.header(HeaderNames.ALLOW, method.text());
            fail(request, response, Failure.of(405, "wrong-method", "", "Method Not Allowed"));
        }));
    }

    private Handler ifOpen(Door door, Handler handler) {
        return (request, response) -> {
            if (door.open.test(generation.services().config().doors())) {
                handler.handle(request, response);
            } else {
                noSuchDoor(request, response);
            }
        };
    }

    private static void noSuchDoor(ServerRequest request, ServerResponse response) {
        fail(request, response, Failure.of(404, "no-such-door", "", "Not Found"));
    }

    /**
     * Closes the connection behind an answer if the client asks for it, which Helidon 4.5.0 does not do (its issue 12324), or if
     * the proxy is stopping: the client's next request should go to another one.
     */
    private static void closeWhenAsked(RoutingRequest request, RoutingResponse response, BooleanSupplier stopping) {
        boolean asked = request.headers().containsToken(HeaderValues.CONNECTION_CLOSE);
        response.beforeSend(() -> {
            if (stopping.getAsBoolean()) {
                response.header(HeaderValues.CONNECTION_CLOSE);
            }
        });
        response.whenSent(() -> {
            if (asked || stopping.getAsBoolean()) {
                throw new CloseConnectionException(asked ? "the client asked for it" : "the proxy is stopping");
            }
        });
    }

    /** What every request passes first. */
    static Filter outermost(PeerWatch peers, BooleanSupplier stopping) {
        return (chain, request, response) -> {
            closeWhenAsked(request, response, stopping);
            if (!request.content().hasEntity()) {
                peers.received();
            }
            try {
                chain.proceed();
            } finally {
                peers.received(); // whoever answers without the body has no use for the rest of it
            }
        };
    }

    /** What answers a request whose body was read. */
    @FunctionalInterface
    private interface Answerer {
        void handle(Services services, byte[] body, Exchange client);
    }

    private Handler exchange(Answerer answerer) {
        return exchange(false, answerer);
    }

    private Handler exchange(boolean anyType, Answerer answerer) {
        return exchange(anyType, Dialect.OPENAI, answerer);
    }

    private Handler exchange(boolean anyType, Dialect dialect, Answerer answerer) {
        return (request, response) -> {
            Generation serving = enter();
            Services services = serving.services();
            ProxyConfig.Clients limits = services.config().clients();
            Exchange client = new Exchange(request, response, peers.socket(), limits, ticker, dialect);
            inFlight.incrementAndGet();
            exchanges.add(client);
            try {
                Optional<byte[]> body = body(services.config().server(), request, client, response, anyType);
                peers.received();
                if (body.isEmpty()) {
                    return;
                }
                PeerWatch.Watch watch = limits.cancelOnDisconnect() ? peers.watch(client::leave) : () -> {};
                try (watch) {
                    answerer.handle(services, body.get(), client);
                }
            } catch (ClientGoneException e) {
                throw new CloseConnectionException("the client is gone", e);
            } finally {
                exchanges.remove(client);
                client.close();
                inFlight.decrementAndGet();
                var unused = Thread.interrupted(); // the connection's thread goes on to the next request
                serving.leave();
            }
        };
    }

    /** The generation that serves, with this request counted in: it stays for the request, whatever comes after it. */
    private Generation enter() {
        Generation serving = generation;
        while (!serving.enter()) {
            Generation next = generation; // it took the place of the other meanwhile
            if (next == serving) {
                throw new CloseConnectionException("the proxy has stopped");
            }
            serving = next;
        }
        return serving;
    }

    /** Reads the body; empty if it was refused. */
    private Optional<byte[]> body(
            ProxyConfig.Server limits, ServerRequest request, Exchange client, ServerResponse response, boolean anyType) {
        String type = client.header("Content-Type").orElse("").toLowerCase(Locale.ROOT);
        long limit = limits.maxBody().bytes();
        byte[] bytes = new byte[0];
        boolean tooLarge = false;
        boolean broken = false;
        if (request.content().hasEntity()) {
            InputStream in = request.content().inputStream(); // closing it would wait for the rest of the body
            try {
                bytes = in.readNBytes((int) Math.min(limit, length(request)));
                tooLarge = in.read() >= 0;
                if (tooLarge) {
                    // a client that still sends would not see the answer, so what is too much is read, too, up to a point
                    var unused = in.skip(DISCARDED);
                }
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

    /** How long the body is; as long as can be if that is not said. */
    private static long length(ServerRequest request) {
        ServerRequestHeaders headers = request.headers();
        boolean encoded = headers.contains(HeaderNames.CONTENT_ENCODING); // its length is another one then
        return encoded ? Long.MAX_VALUE : headers.contentLength().orElse(Long.MAX_VALUE);
    }

    private static void fail(ServerRequest request, ServerResponse response, Failure failure) {
        response.header(ERROR, failure.slug());
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

    /**
     * What Helidon refuses or breaks at by itself.
     *
     * @param message what it says to clients; where it breaks, that would be the words of an exception
     */
    private static Failure unrouted(Status status, @Nullable String message) {
        if (status.code() == 505) {
            return Failure.of(505, "http-version", "", "Only HTTP/1.1 is spoken here.");
        }
        if (status.code() == 413) {
            return Failure.of(413, "body-too-large", "", "The body is over the limit (server.max-body).");
        }
        boolean refused = status.code() < 500;
        String said = refused && message != null ? message : status.reasonPhrase();
        return Failure.of(status.code(), refused ? "bad-request" : "internal", "", said);
    }

    static void send(ServerResponse response, int status, String type, byte[] body) {
        response.status(status).header(HeaderNames.CONTENT_TYPE, type).send(body);
    }

    /** Errors that never reach the routes, in the same shape. */
    private static DirectHandlers directHandlers(ProxyConfig.Server limits) {
        DirectHandler handler = (request, type, status, headers, message) -> {
            // Helidon takes what cannot be read, or ends too early, for a fault of its own, and logs it with its stack unless it
            // gets another status; it knows no method then
            boolean unread = type == DirectHandler.EventType.INTERNAL_ERROR && request.method().isEmpty();
            Failure failure = unread
                    ? unrouted(Status.BAD_REQUEST_400, "The request cannot be read.")
                    : status.code() == 414 ? HeadLimits.lineTooLong(limits)
                    : unrouted(status, message);
            return TransportResponse.builder()
                    .status(Status.create(failure.status()))
                    .headers(headers)
                    .header(HeaderValues.CONTENT_TYPE_JSON)
                    .header(HeaderValues.create(ERROR, failure.slug()))
                    .entity(failure.toJson())
                    .build();
        };
        DirectHandlers.Builder handlers = DirectHandlers.builder();
        for (DirectHandler.EventType type : DirectHandler.EventType.values()) {
            handlers.addHandler(type, handler);
        }
        return handlers.build();
    }

    /** The bytes of an answer to a client whose request never reaches the routes, the last on its connection. */
    private static byte[] lateAnswer(Failure failure) {
        byte[] body = failure.toJson();
        String head = "HTTP/1.1 " + failure.status() + " Request Timeout\r\nConnection: close\r\nContent-Type: " + JSON
                + "\r\nContent-Length: " + body.length + "\r\nX-Glyphgate-Error: " + failure.slug() + "\r\n\r\n";
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        answer.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
        answer.writeBytes(body);
        return answer.toByteArray();
    }

    /**
     * Lets another generation serve the requests that begin from now on, and retires the one before.
     *
     * @return false if the doors are closed, so that nothing has changed
     */
    public synchronized boolean serve(Generation next) {
        if (closed) {
            return false;
        }
        Generation before = generation;
        generation = next;
        before.retire();
        return true;
    }

    /**
     * Begins to stop: takes no part in load balancing any more, and asks clients to connect elsewhere. All is still served.
     *
     * @return how long the configuration wants this to last before {@link #close()}
     */
    public Duration drain() {
        ready = false;
        stopping = true;
        return generation.services().config().server().drainDelay();
    }

    /** Lets nobody connect any more, waits for the requests in flight up to the drain limit, and closes. */
    @Override
    public void close() {
        Duration limit;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            limit = generation.services().config().server().drain();
        }
        drain();
        // closes the socket and the connections that are idle, and each other one when its request has ended
        Thread closing = Thread.ofPlatform().daemon().name("close-doors").start(server::stop);
        if (inFlight.get() > 0) {
            LOG.log(System.Logger.Level.INFO, "stopping: {0} requests in flight may go on for {1} s", inFlight.get(),
                    limit.toSeconds());
            awaitIdle(limit);
            if (inFlight.get() > 0) {
                LOG.log(System.Logger.Level.WARNING, "stopping: {0} requests have not ended in time and are cut", inFlight.get());
            }
            exchanges.forEach(Exchange::cancel); // their clients are told
            awaitIdle(LAST_WORDS);
        }
        if (!ended(closing, LAST_REQUEST)) {
            peers.closeAll();
            if (!ended(closing, LAST_WORDS)) {
                LOG.log(System.Logger.Level.WARNING, "stopping: {0} connections do not close", peers.open());
            }
        }
        peers.close();
        Generation last = generation;
        generation = Generation.GONE;
        last.retire();
    }

    private static boolean ended(Thread thread, Duration limit) {
        try {
            return thread.join(limit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
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
