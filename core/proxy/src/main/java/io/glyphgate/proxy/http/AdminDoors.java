package io.glyphgate.proxy.http;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.observe.Ticker;
import io.glyphgate.proxy.secure.ApiKeys;
import io.helidon.http.HeaderNames;
import io.helidon.http.Method;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The socket that operators speak to. */
public final class AdminDoors implements AutoCloseable {
    private final PeerWatch peers;
    private final WebServer server;

    /** What answers at a door: the status, and JSON. */
    @FunctionalInterface
    public interface Page {
        Content content();
    }

    /**
     * An answer.
     *
     * @param status the HTTP status
     * @param json the body
     */
    public record Content(int status, byte[] json) {}

    /** Doors beside those that each admin socket has: the method and the path, and what is behind. */
    public static final class Pages {
        private final Map<String, Page> get = new LinkedHashMap<>();
        private final Map<String, Page> post = new LinkedHashMap<>();

        /** A page that is only looked at. */
        public Pages get(String path, Supplier<byte[]> json) {
            get.put(path, () -> new Content(200, json.get()));
            return this;
        }

        /** A door that does something. */
        public Pages post(String path, Page page) {
            post.put(path, page);
            return this;
        }
    }

    /**
     * Opens the socket.
     *
     * @param config has the block of the admin socket
     * @param keys the keys that all but /health and /ready need now; empty if they need none
     * @param ready whether requests are welcome
     */
    public AdminDoors(
            ProxyConfig config,
            Supplier<Optional<ApiKeys>> keys,
            BooleanSupplier ready,
            Meters meters,
            Ticker ticker,
            Pages pages) {
        ProxyConfig.Admin admin = config.admin().orElseThrow();
        peers = Doors.watch(config.clients()::request, meters, ticker, Optional.empty());
        server = Doors.start(
                WebServer.builder()
                        .host(admin.host())
                        .port(admin.port())
                        .routing(routing -> routes(routing, keys, ready, meters, pages)),
                peers,
                config.server(),
                "admin");
    }

    /** The port, also where the configuration says 0. */
    public int port() {
        return server.port();
    }

    private void routes(
            HttpRouting.Builder routing,
            Supplier<Optional<ApiKeys>> keys,
            BooleanSupplier ready,
            Meters meters,
            Pages pages) {
        routing.addFilter(Doors.outermost(peers, () -> false));
        routing.addFilter(new KeyGate(keys, Set.of("/health", "/ready"), Set.of(), meters));
        Doors.route(routing, Method.GET, "/health", (request, response) -> response.status(Status.OK_200).send());
        Doors.route(routing, Method.GET, "/ready", (request, response) -> response.status(
                        ready.getAsBoolean() ? Status.OK_200 : Status.SERVICE_UNAVAILABLE_503)
                .send());
        Doors.route(routing, Method.GET, "/metrics", (request, response) -> response.header(
                        HeaderNames.CONTENT_TYPE, Doors.PROMETHEUS)
                .send(meters.scrape()));
        pages.get.forEach((path, page) -> door(routing, Method.GET, path, page));
        pages.post.forEach((path, page) -> door(routing, Method.POST, path, page));
        Doors.failures(routing);
    }

    private static void door(HttpRouting.Builder routing, Method method, String path, Page page) {
        Doors.route(routing, method, path, (request, response) -> {
            Content content = page.content();
            Doors.send(response, content.status(), Doors.JSON, content.json());
        });
    }

    @Override
    public void close() {
        server.stop();
        peers.close();
    }
}
