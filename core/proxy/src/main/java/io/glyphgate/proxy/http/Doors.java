package io.glyphgate.proxy.http;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.generate.Abort;
import io.glyphgate.proxy.generate.ClientGoneException;
import io.glyphgate.proxy.generate.Failures;
import io.glyphgate.proxy.generate.Generate;
import io.glyphgate.proxy.generate.ModelList;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.observe.Ticker;
import io.glyphgate.proxy.wire.Failure;
import io.helidon.http.DirectHandler;
import io.helidon.http.DirectHandler.TransportResponse;
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
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** The socket that clients speak to, and what is behind each path. */
public final class Doors implements AutoCloseable {
    private static final String JSON = "application/json";
    /** How many bytes behind the limit of a body are read for nothing. */
    private static final long DISCARDED = 64L << 20;

    private final ProxyConfig config;
    private final Generate generate;
    private final Abort abort;
    private final ModelList models;
    private final Meters meters;
    private final Ticker ticker;
    private final PeerWatch peers = new PeerWatch();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final WebServer server;
    private volatile boolean ready;

    /** Opens the socket. */
    public Doors(ProxyConfig config, Generate generate, Abort abort, ModelList models, Meters meters, Ticker ticker) {
        this.config = config;
        this.generate = generate;
        this.abort = abort;
        this.models = models;
        this.meters = meters;
        this.ticker = ticker;
        server = WebServer.builder()
                .host(config.server().host())
                .port(config.server().port())
                .shutdownHook(false)
                .protocolsDiscoverServices(false)
                .addConnectionSelector(peers.selector())
                .directHandlers(directHandlers())
                .routing(this::routes)
                .build()
                .start();
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
        routing.any((request, response) -> fail(
                response,
                Failure.of(
                        404,
                        "no-such-door",
                        "",
                        "There is nothing at " + request.prologue().method().text() + " " + request.path().rawPath() + ".")));
        routing.error(HttpException.class, (request, response, e) -> fail(
                response, Failure.of(e.status().code(), "bad-request", "", String.valueOf(e.getMessage()))));
    }

    /** One path, one method: Helidon would take another method for another path. */
    private static void door(HttpRouting.Builder routing, Method method, String path, Handler handler) {
        routing.route(method, path, handler);
        routing.any(path, (request, response) -> {
            response.header(HeaderNames.ALLOW, method.text());
            fail(response, Failure.of(405, "wrong-method", "", path + " takes " + method.text() + " only."));
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
        return (request, response) -> {
            Exchange client = new Exchange(request, response, config.clients(), ticker);
            inFlight.incrementAndGet();
            try {
                Optional<byte[]> body = body(request, client, response);
                if (body.isEmpty()) {
                    return;
                }
                PeerWatch.Watch watch = config.clients().cancelOnDisconnect() ? peers.watch(request, client::leave) : () -> {};
                try (watch) {
                    answerer.handle(body.get(), client);
                } finally {
                    client.close();
                }
            } catch (ClientGoneException e) {
                throw new CloseConnectionException("the client is gone", e);
            } finally {
                inFlight.decrementAndGet();
                var unused = Thread.interrupted(); // the connection's thread goes on to the next request
            }
        };
    }

    /** Reads the body; empty if it was refused. */
    private Optional<byte[]> body(ServerRequest request, Exchange client, ServerResponse response) {
        String type = client.header("Content-Type").orElse("").toLowerCase(Locale.ROOT);
        long limit = config.server().maxBody().bytes();
        byte[] bytes = new byte[0];
        boolean tooLarge = false;
        if (request.content().hasEntity()) {
            try (InputStream in = request.content().inputStream()) {
                bytes = in.readNBytes((int) limit);
                // a client that still sends would not see the answer, so what is too much is read, too, up to a point
                tooLarge = in.skip(DISCARDED) > 0;
            } catch (IOException | UncheckedIOException e) {
                throw new ClientGoneException(e);
            }
        }
        Failure failure = null;
        if (tooLarge) {
            failure = Failure.of(413, "body-too-large", "", "The body is over the limit of " + limit + " bytes (server.max-body).");
        } else if (!type.isEmpty() && !type.equals(JSON) && !type.startsWith(JSON + ";")) {
            failure = Failure.of(400, "invalid-request", "Content-Type", "Content-Type must be application/json.");
        }
        if (failure == null) {
            return Optional.of(bytes);
        }
        meters.refused(failure.slug());
        if (tooLarge) {
            // what is left of the body must not be taken for the next request
            response.header(HeaderValues.CONNECTION_CLOSE);
            response.whenSent(() -> {
                throw new CloseConnectionException("the rest of the body is not wanted");
            });
        }
        Failures.send(client, failure, client.header("X-Request-Id"));
        return Optional.empty();
    }

    private static void fail(ServerResponse response, Failure failure) {
        response.header(HeaderNames.create("X-Glyphgate-Error"), failure.slug());
        send(response, failure.status(), JSON, failure.toJson());
    }

    private static void send(ServerResponse response, int status, String type, byte[] body) {
        response.status(status).header(HeaderNames.CONTENT_TYPE, type).send(body);
    }

    /** Errors that never reach the routes, in the same shape. */
    private static DirectHandlers directHandlers() {
        DirectHandler handler = (request, type, status, headers, message) -> {
            Failure failure = Failure.of(status.code(), "bad-request", "", message.isEmpty() ? type.name() : message);
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
        Duration limit = config.server().drain();
        long end = System.nanoTime() + limit.toNanos();
        while (inFlight.get() > 0 && System.nanoTime() < end) {
            try {
                Thread.sleep(Duration.ofMillis(20));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        server.stop();
    }
}
