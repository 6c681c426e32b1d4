package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.config.ProxyConfig.TokenizerSetting;
import io.glyphgate.proxy.generate.Abort;
import io.glyphgate.proxy.generate.Generate;
import io.glyphgate.proxy.generate.ModelList;
import io.glyphgate.proxy.generate.OutputReport;
import io.glyphgate.proxy.http.AdminDoors;
import io.glyphgate.proxy.http.AdminPages;
import io.glyphgate.proxy.http.Doors;
import io.glyphgate.proxy.observe.CaptureFolder;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.observe.Ticker;
import io.glyphgate.proxy.pool.Running;
import io.glyphgate.proxy.tokenize.TokenDoors;
import io.glyphgate.proxy.upstream.UpstreamClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/** A running proxy: the wiring of all its parts. */
final class Proxy implements AutoCloseable {
    /** Fine enough for limits of a few hundred milliseconds, and no load when nothing happens. */
    private static final Duration BEAT = Duration.ofMillis(100);

    private final Setup setup;
    private final Ticker ticker = new Ticker(BEAT);
    private final Meters meters = new Meters();
    private final UpstreamClient upstream;
    private final TokenizerCheck tokenizerCheck;
    private final Running running = new Running();
    private final TokenDoors tokens;
    private final Doors doors;
    private final Optional<AdminDoors> admin;

    /** Starts a proxy; it closes the setup when it is closed. */
    Proxy(Setup setup) {
        this.setup = setup;
        upstream = new UpstreamClient(setup.config().upstream(), ticker);
        tokenizerCheck = new TokenizerCheck(setup.router(), upstream);
        setup.router().pools().forEach(pool -> pool.endpoints()
                .forEach(endpoint -> meters.inFlight(pool.name(), endpoint.id(), endpoint::inFlight)));
        OutputReport report = new OutputReport(meters, setup.file(), setup.captures());
        setup.router().pools().stream()
                .filter(pool -> pool.config().tokenizer() == TokenizerSetting.PROXY)
                .forEach(pool -> setup.router().models().stream()
                        .filter(model -> model.name().equals(pool.config().model()))
                        .forEach(model -> report.expect(pool, model.parsers())));
        setup.captures().ifPresent(captures -> {
            for (CaptureFolder.Result result : CaptureFolder.Result.values()) {
                meters.captures(result.name().toLowerCase(Locale.ROOT), () -> captures.count(result));
            }
        });
        check();
        Generate generate = new Generate(setup.router(), setup.registry(), upstream, running, meters, report);
        Abort abort = new Abort(setup.router(), upstream, running, meters);
        tokens = new TokenDoors(
                setup.router(), upstream, meters, setup.config().doors().trustRequestChatTemplate(), version());
        setup.secrets().watch(ticker, meters);
        doors = new Doors(
                setup.config(), setup.secrets(), generate, abort, tokens, new ModelList(setup.router()), meters, ticker, version());
        admin = setup.config().admin().map(this::admin);
    }

    private AdminDoors admin(ProxyConfig.Admin config) {
        try {
            return new AdminDoors(
                    config,
                    setup.secrets().adminKeys(),
                    doors::ready,
                    meters,
                    new AdminDoors.Pages()
                            .get("/admin/pools", () -> AdminPages.pools(setup.router().pools()))
                            .get("/admin/plugins", () -> AdminPages.plugins(setup.registry())));
        } catch (RuntimeException e) {
            doors.close();
            tokens.close();
            closeParts();
            throw e;
        }
    }

    private void check() {
        try {
            tokenizerCheck.start(setup.config().upstream().tokenizerMismatch());
        } catch (RuntimeException e) {
            closeParts();
            throw e;
        }
    }

    private void closeParts() {
        tokenizerCheck.close();
        upstream.close();
        ticker.close();
        meters.close();
        setup.close();
    }

    private static String version() {
        try {
            return Main.build().getProperty("version");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The port that it listens on. */
    int port() {
        return doors.port();
    }

    /** The port of the admin socket; empty without one. */
    OptionalInt adminPort() {
        return admin.stream().mapToInt(AdminDoors::port).findFirst();
    }

    /** How many requests it is serving. */
    int inFlight() {
        return doors.inFlight();
    }

    /** How many connections of clients are open. */
    int connections() {
        return doors.connections();
    }

    /** How many requests are running on servers. */
    int running() {
        return running.size();
    }

    /** How many streams are looked after. */
    int watched() {
        return ticker.size();
    }

    /** Ends it when the process is told to end: streams in flight finish, up to the drain limit. */
    void closeAtShutdown() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "glyphgate-shutdown"));
    }

    @Override
    public void close() {
        doors.close();
        admin.ifPresent(AdminDoors::close); // last of the sockets, so that a stop can be watched
        tokens.close();
        closeParts();
    }
}
