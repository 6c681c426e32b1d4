package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.generate.Generate;
import io.glyphgate.proxy.generate.OutputReport;
import io.glyphgate.proxy.generate.PairProbe;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.observe.Ticker;
import io.glyphgate.proxy.pool.Discovering;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.pool.Running;
import io.glyphgate.proxy.upstream.Probe;
import io.glyphgate.proxy.upstream.TokenizerProbe;
import io.glyphgate.proxy.upstream.UpstreamClient;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Checks a configuration as a start would, without starting. */
@Command(
        name = "check",
        description = "Check a configuration: every key, the plugins and the tokenizers that it names. Exits 1 if a start would fail.",
        mixinStandardHelpOptions = true)
final class CheckCommand implements Callable<Integer> {
    private static final Duration DISCOVERY_LIMIT = Duration.ofSeconds(10);

    @Mixin
    private ConfigOption config = new ConfigOption();

    @Option(names = "--probe", description = "Ask each server what it is and compare that with the configuration.")
    private boolean probe;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try (Setup setup = Setup.of(config.read())) {
            boolean good = !probe || probe(setup, out);
            out.println(good ? "The configuration is good." : "The configuration does not fit the servers.");
            return good ? 0 : Main.FAILED;
        }
    }

    private static boolean probe(Setup setup, PrintWriter out) {
        boolean good = discovered(setup, out);
        try (Ticker ticker = new Ticker(Duration.ofSeconds(1));
                Meters meters = new Meters();
                UpstreamClient client = new UpstreamClient(setup.config().upstream(), ticker)) {
            Probe probe = new Probe(client);
            OutputReport report = new OutputReport(meters, setup.file(), Optional.empty());
            PairProbe pairs = new PairProbe(
                    new Generate(setup.router(), setup.registry(), client, new Running(), meters, report, setup.config().retries()),
                    client,
                    meters,
                    report);
            TokenizerCheck tokenizers = new TokenizerCheck(setup.router(), client);
            for (Pool pool : setup.router().pools()) {
                for (Endpoint endpoint : pool.endpoints()) {
                    Probe.Findings findings = probe.ask(endpoint, pool.servedModel());
                    out.println("pool " + pool.name() + ", " + endpoint.id() + ": " + findings.summary());
                    List<String> misfits = new ArrayList<>(findings.misfits(pool.config()));
                    Optional<TokenizerProbe.Findings> compared =
                            findings.fault().isEmpty() ? tokenizers.one(pool, endpoint) : Optional.empty();
                    compared.ifPresent(tokens -> {
                        misfits.addAll(tokens.misfits());
                        out.println("  tokenizer: " + (tokens.compared() ? "compared" : "the server has none to compare"));
                    });
                    for (String misfit : misfits) {
                        out.println("  " + misfit);
                        good = false;
                    }
                    if (findings.fault().isEmpty() && pool.config().role() == ProxyConfig.Role.DECODE) {
                        good &= pair(pairs, pool, endpoint, out);
                    }
                }
            }
        }
        return good;
    }

    /** Whether the servers of all pools that have a discovery were found. */
    private static boolean discovered(Setup setup, PrintWriter out) {
        boolean good = true;
        setup.discover();
        for (Discovering discovery : setup.discoveries()) {
            String pool = "pool " + discovery.pool().name() + ": ";
            try {
                if (!discovery.await(DISCOVERY_LIMIT)) {
                    out.println(pool + "the discovery has found nothing in " + DISCOVERY_LIMIT.toSeconds() + " s");
                    good = false;
                } else if (!discovery.failing().isEmpty()) {
                    out.println(pool + discovery.failing());
                    good = false;
                } else {
                    out.println(pool + "discovered " + discovery.pool().endpoints());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return good;
    }

    /** Whether a decode server gets prompts from its prefill servers, if it has some. */
    private static boolean pair(PairProbe pairs, Pool pool, Endpoint endpoint, PrintWriter out) {
        Optional<PairProbe.Findings> findings = pairs.ask(pool.config().model(), pool.name(), endpoint);
        findings.ifPresent(found -> out.println("  " + found.summary()));
        return findings.map(PairProbe.Findings::good).orElse(true);
    }
}
