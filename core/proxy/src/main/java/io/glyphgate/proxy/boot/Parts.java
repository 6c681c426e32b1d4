package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.anthropic.AnthropicDoors;
import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.config.ProxyConfig.TokenizerSetting;
import io.glyphgate.proxy.config.ProxyConfig.UnknownFields;
import io.glyphgate.proxy.generate.Abort;
import io.glyphgate.proxy.generate.Generate;
import io.glyphgate.proxy.generate.ModelList;
import io.glyphgate.proxy.generate.OutputReport;
import io.glyphgate.proxy.http.Services;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.observe.Ticker;
import io.glyphgate.proxy.openai.Derender;
import io.glyphgate.proxy.openai.OpenAiDoors;
import io.glyphgate.proxy.openai.Render;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.pool.Running;
import io.glyphgate.proxy.tokenize.TokenDoors;
import io.glyphgate.proxy.upstream.EndpointWatch;
import io.glyphgate.proxy.upstream.UpstreamClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The parts that one configuration leads to, wired. Closed when the last request that uses them has ended. */
final class Parts implements AutoCloseable {
    private final Setup setup;
    private final Shared<ProxyConfig.Upstream, UpstreamClient> clients;
    private final TokenizerCheck tokenizerCheck;
    private final EndpointWatch endpointWatch;
    private final Meters meters;
    private final Generate generate;
    private final TokenDoors tokens;
    private final Derender derender;
    private final Services services;
    private final Ticker ticker;
    private final Ticker.Check look;
    private final Ticker.Check sweep;
    private final Runnable keysNoMore;

    /**
     * Wires the parts; they close the setup when they are closed.
     *
     * @param clients what speaks to servers: configurations that agree on the limits of connections have one in common
     * @throws IllegalArgumentException if a server has another tokenizer, and that is not allowed
     */
    Parts(Setup setup, Shared<ProxyConfig.Upstream, UpstreamClient> clients, UpstreamClient upstream, Running running, Meters meters,
            Ticker ticker) {
        this.setup = setup;
        this.ticker = ticker;
        this.meters = meters;
        this.clients = clients;
        OutputReport report = new OutputReport(meters, setup.file(), setup.captures());
        setup.router().pools().stream()
                .filter(pool -> pool.config().tokenizer() == TokenizerSetting.PROXY)
                .forEach(pool -> setup.router().models().stream()
                        .filter(model -> model.name().equals(pool.config().model()))
                        .forEach(model -> report.expect(pool.name(), model.parsers())));
        if (setup.config().doors().render()) {
            setup.router().models().stream()
                    .filter(model -> model.tokenizer() != null)
                    .forEach(model -> report.expect(Meters.DERENDER, model.parsers()));
        }
        endpointWatch = new EndpointWatch(setup.router().pools(), upstream, setup.config().upstream(), ticker);
        tokenizerCheck = new TokenizerCheck(setup.router(), upstream);
        generate = new Generate(setup.router(), setup.registry(), upstream, running, meters, report, setup.config().retries());
        tokens = new TokenDoors(
                setup.router(), generate::inquiry, meters, setup.config().doors().trustRequestChatTemplate(), version());
        boolean strict = setup.config().doors().unknownFields() == UnknownFields.REFUSE;
        OpenAiDoors openai = new OpenAiDoors(setup.router(), generate, tokens.prompts(), strict, version());
        ProxyConfig.Derender streams = setup.config().derender();
        derender = new Derender(
                setup.router(),
                generate,
                tokens.prompts(),
                meters,
                report,
                strict,
                new Derender.Streams(
                        setup.secrets().stateKey().orElseGet(setup.stock()::stateKey),
                        streams.streams(),
                        streams.streamMemory().bytes(),
                        streams.streamIdle(),
                        streams.stateAge()));
        services = new Services(
                setup.config(),
                generate,
                new Abort(setup.router(), upstream, running, meters),
                tokens,
                openai,
                new Render(setup.router(), generate, tokens.prompts(), strict),
                derender,
                new AnthropicDoors(setup.router(), generate, openai, tokens.prompts(), strict),
                new ModelList(setup.router()),
                setup.secrets(),
                new Readiness(setup.router(), setup.config().server().ready(), setup::isWarm)::ready);
        List<Pool> limited = setup.router().pools().stream().filter(Pool::limited).toList();
        keysNoMore = setup.secrets().watchKeys(ticker, meters);
        look = now -> limited.forEach(Pool::look);
        if (!limited.isEmpty()) {
            ticker.addStanding(look);
        }
        sweep = derender::sweep;
        ticker.addStanding(sweep, Ticker.eighthOf(streams.streamIdle()));
    }

    /** Looks for the servers, and compares them with what the configuration says of them. */
    void check() {
        setup.discover();
        endpointWatch.start();
        tokenizerCheck.start(setup.config().upstream().tokenizerMismatch());
    }

    /** How many derendered streams wait here is metered from now on. */
    void meterStreams() {
        meters.derenderStreams(derender::waiting, derender::waitingBytes);
    }

    /** What its discoveries find and miss is metered from now on. */
    void meterDiscoveries() {
        setup.discoveries().forEach(discovery -> meters.discovery(
                discovery.pool().name(), () -> discovery.pool().endpoints().size(), discovery::failures));
    }

    /** Looks after the servers no more: newer parts do. */
    void watchNoMore() {
        endpointWatch.close();
        setup.discoverNoMore();
    }

    /** The version of this proxy. */
    static String version() {
        try {
            return Main.build().getProperty("version");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Setup setup() {
        return setup;
    }

    Services services() {
        return services;
    }

    /** The pools, and the endpoints of each. */
    Map<String, Set<String>> endpoints() {
        return setup.router().pools().stream()
                .collect(Collectors.toMap(
                        Pool::name, pool -> pool.endpoints().stream().map(Endpoint::id).collect(Collectors.toSet())));
    }

    @Override
    public void close() {
        watchNoMore();
        tokens.close();
        generate.settle();
        ticker.remove(look);
        ticker.remove(sweep);
        keysNoMore.run();
        tokenizerCheck.close();
        clients.release(setup.config().upstream());
        setup.close();
    }
}
