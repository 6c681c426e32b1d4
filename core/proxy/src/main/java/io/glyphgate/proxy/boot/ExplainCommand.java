package io.glyphgate.proxy.boot;

import io.glyphgate.proxy.generate.Failures;
import io.glyphgate.proxy.generate.Generate;
import io.glyphgate.proxy.generate.OutputReport;
import io.glyphgate.proxy.generate.Plan;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.observe.Ticker;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.pool.Running;
import io.glyphgate.proxy.route.MisroutedException;
import io.glyphgate.proxy.route.Route;
import io.glyphgate.proxy.upstream.UpstreamClient;
import io.glyphgate.proxy.wire.Failure;
import io.glyphgate.spi.InvalidRequestException;
import io.glyphgate.spi.Provider;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Says what would become of a request. */
@Command(
        name = "explain",
        description = "Say which pools would serve a request, how, and with which parsers, or why it would be refused.",
        mixinStandardHelpOptions = true)
final class ExplainCommand implements Callable<Integer> {
    @Mixin
    private ConfigOption config = new ConfigOption();

    @Option(names = "--header", paramLabel = "NAME=VALUE", description = "A header of the request; may be given several times.")
    private Map<String, String> headers = Map.of();

    @Parameters(paramLabel = "REQUEST.json", description = "The body of a request to /inference/v1/generate.")
    private Path request = Path.of("");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        byte[] body = Files.readAllBytes(request);
        Map<String, String> sent = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        sent.putAll(headers);
        PrintWriter out = spec.commandLine().getOut();
        try (Setup setup = Setup.of(config.read());
                Ticker ticker = new Ticker(Duration.ofSeconds(1));
                Meters meters = new Meters();
                UpstreamClient client = new UpstreamClient(setup.config().upstream(), ticker)) {
            OutputReport report = new OutputReport(meters, setup.file(), Optional.empty());
            Generate generate = new Generate(
                    setup.router(), setup.registry(), client, new Running(), meters, report, setup.config().retries());
            Plan plan = generate.plan(body, name -> Optional.ofNullable(sent.get(name)));
            print(plan, generate, out);
            return 0;
        } catch (InvalidRequestException | MisroutedException e) {
            Failure failure = Failures.of(e);
            out.println("refused: " + failure.status() + " " + failure.slug());
            out.println(new String(failure.toJson(), StandardCharsets.UTF_8));
            return Main.FAILED;
        }
    }

    private static void print(Plan plan, Generate generate, PrintWriter out) {
        out.println("model: " + plan.model().name());
        out.println("output mode: " + plan.form().name() + (plan.body().stream() ? ", stream" : ", batch"));
        out.println("reasoning parser: " + name(plan.model().parsers().reasoning()));
        out.println("tool parser: " + name(plan.model().parsers().tools()));
        out.println("combined parser: " + name(plan.model().parsers().combined()));
        for (Route route : plan.routes()) {
            out.println("pool: " + route.pool().name() + ", policy " + route.pool().config().policy().name() + ", endpoints "
                    + endpoints(route.pool()));
            out.println("  leg: POST " + Generate.PATH + ", "
                    + switch (route.way()) {
                        case FORWARD -> "whose answer is passed on";
                        case PROXY -> "for tokens, of which the proxy makes the output";
                    });
            out.println("  body: " + generate.upstreamBody(plan, route));
            for (Pool prefill : route.prefills()) {
                out.println("  prompt: by prefill pool " + prefill.name() + ", connector "
                        + prefill.config().kv().connector().name() + ", endpoints " + endpoints(prefill));
            }
        }
    }

    private static String endpoints(Pool pool) {
        return pool.config().discovery()
                .map(discovery -> "that " + discovery.name() + " discovers")
                .orElseGet(() -> pool.endpoints().toString());
    }

    private static String name(@Nullable Provider provider) {
        return provider == null ? "none" : provider.name();
    }
}
