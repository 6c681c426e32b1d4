package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.choice.StopStrings;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.pool.Candidates;
import io.glyphgate.proxy.pool.Candidates.Candidate;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.pool.Running;
import io.glyphgate.proxy.route.MisroutedException;
import io.glyphgate.proxy.route.Needs;
import io.glyphgate.proxy.route.Route;
import io.glyphgate.proxy.route.Router;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.route.Way;
import io.glyphgate.proxy.upstream.Leg;
import io.glyphgate.proxy.upstream.UpstreamClient;
import io.glyphgate.proxy.upstream.UpstreamException;
import io.glyphgate.proxy.wire.Failure;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.spi.InvalidRequestException;
import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.PoolPolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Carries one generate request all the way: checks it, finds the pools that can serve it, asks a server, and hands its answer
 * to an {@link AnswerWriter}. One thread, which blocks; interrupting it aborts the request.
 */
public final class Generate {
    /** The path of the request, here and at the servers. */
    public static final String PATH = "/inference/v1/generate";


    private static final Duration SOON = Duration.ofSeconds(1);
    private static final List<String> CARRIED = List.of("traceparent", "tracestate");

    private final Router router;
    private final Registry plugins;
    private final UpstreamClient upstream;
    private final Running running;
    private final Meters meters;

    /** The way through the given parts. */
    public Generate(Router router, Registry plugins, UpstreamClient upstream, Running running, Meters meters) {
        this.router = router;
        this.plugins = plugins;
        this.upstream = upstream;
        this.running = running;
        this.meters = meters;
    }

    /**
     * Answers a request.
     *
     * @param body the bytes of its body
     * @param client the client's side
     * @throws ClientGoneException if the client has closed the connection
     */
    public void handle(byte[] body, Client client) {
        Plan plan;
        Optional<String> requestId = Optional.empty();
        try {
            GenerateBody request = GenerateBody.parse(body);
            requestId = requestId(request, client::header);
            plan = plan(request, client::header);
        } catch (RuntimeException e) {
            // the request's fault, or that of an output mode's plugin
            if (e instanceof PluginFailedException failed) {
                meters.pluginError(failed.kind().label(), failed.plugin());
            }
            Failure failure = Failures.of(e);
            meters.refused(failure.slug());
            Failures.send(client, failure, requestId.filter(Plan::canBeHeader));
            return;
        }
        run(plan, client);
    }

    /**
     * Checks a request and finds the pools that can serve it, without asking any server.
     *
     * @param bytes the bytes of its body
     * @param headers its headers
     * @throws InvalidRequestException if it is wrong in itself
     * @throws MisroutedException if no pool can serve it
     */
    public Plan plan(byte[] bytes, PlanHeaders headers) {
        return plan(GenerateBody.parse(bytes), headers);
    }

    private Plan plan(GenerateBody body, PlanHeaders headers) {
        long start = System.nanoTime();
        ServedModel model = router.model(body.hasModel() ? Optional.of(body.model()) : Optional.empty());
        OutputModeProvider mode = plugins.find(OutputModeProvider.class, body.outputMode())
                .orElseThrow(() -> unknownMode(body.outputMode(), model));
        RequestCheck.check(body, mode, model);
        Needs needs = Needs.of(mode, body.stream(), !body.stop().isEmpty());
        List<Route> routes = router.routes(model, needs, headers.header("X-Glyphgate-Pool"));
        return new Plan(body, model, mode, routes, requestId(body, headers).orElseGet(Plan::newId), start);
    }

    /** The client's ID of a request; the header counts before the body, as in vLLM. */
    private static Optional<String> requestId(GenerateBody body, PlanHeaders headers) {
        return headers.header("X-Request-Id")
                .filter(id -> !id.isEmpty())
                .or(() -> body.requestId().filter(id -> !id.isEmpty()));
    }

    /** What a server of a pool would be sent, as text. */
    public String upstreamBody(Plan plan, Route route) {
        return new String(UpstreamBody.of(plan, route), StandardCharsets.UTF_8);
    }

    /** The headers of a request. */
    @FunctionalInterface
    public interface PlanHeaders {
        /** A header; the name in any case. */
        Optional<String> header(String name);
    }

    private MisroutedException unknownMode(String mode, ServedModel model) {
        Set<String> known = plugins.names(OutputModeProvider.class);
        return router.unknownMode(mode, model, known.stream()
                .map(name -> plugins.find(OutputModeProvider.class, name).orElseThrow())
                .map(provider -> Needs.of(provider, false, false))
                .toList());
    }

    private void run(Plan plan, Client client) {
        PoolPolicy.RoutedRequest routed = new Routed(plan, client);
        List<Pool> pools = plan.routes().stream().map(Route::pool).toList();
        Candidates candidates = new Candidates(pools, routed, meters);
        for (Optional<Candidate> next = candidates.next(); next.isPresent(); next = candidates.next()) {
            if (ask(plan, plan.routes().get(next.get().pool()), next.get().endpoint(), client)) {
                return;
            }
            candidates.unreachable(next.get());
        }
        meters.traffic(plan.routes().getFirst().pool().name(), plan.mode().name()).answered(503);
        List<String> names = pools.stream().map(Pool::name).toList();
        Failures.send(
                client,
                Failure.passing(
                        503, "no-endpoint", "No server of the pools that can serve this request takes connections: " + names + ".", SOON),
                plan.headerId());
    }

    /** Asks one server; false if it took no connection, so that another may be asked. */
    private boolean ask(Plan plan, Route route, Endpoint endpoint, Client client) {
        Meters.Traffic traffic = meters.traffic(route.pool().name(), plan.mode().name());
        endpoint.enter();
        running.begin(plan.requestId(), endpoint);
        try (Leg leg = upstream.post(endpoint.uri(), PATH, headers(plan, client), UpstreamBody.of(plan, route))) {
            endpoint.answered();
            Translation translation = route.way() == Way.PROXY ? translation(plan) : null;
            new AnswerWriter(plan, route, client, meters, translation).write(leg);
            return true;
        } catch (UpstreamException e) {
            if (client.gone()) {
                traffic.answered(499);
                throw new ClientGoneException(e);
            }
            if (e.kind() == UpstreamException.Kind.NO_CONNECTION) {
                return false;
            }
            var unused = Thread.interrupted(); // from this side: the client can still be told
            Failure failure = Failures.of(e);
            traffic.answered(failure.status());
            Failures.send(client, failure, plan.headerId());
            return true;
        } finally {
            running.end(plan.requestId(), endpoint);
            endpoint.leave();
        }
    }

    private Translation translation(Plan plan) {
        GenerateBody body = plan.body();
        ServedModel model = plan.model();
        boolean message = plan.mode().needs().contains(Need.MESSAGE);
        boolean includeStop = body.sampling("include_stop_str_in_output", false);
        OutputPlan output = new OutputPlan(
                model.name(),
                plan.mode().needs(),
                model.tokenizer(),
                message ? model.parsers() : OutputPlan.Parsers.NONE,
                body.promptTokenIds(),
                body.sampling("skip_special_tokens", true),
                body.sampling("spaces_between_special_tokens", true),
                new StopStrings(body.stop(), includeStop, body.minTokens()),
                includeStop,
                message ? body.parseRequest() : ParseRequest.DEFAULT);
        return new Translation(
                body, plan.mode(), output, (parser, kind) -> meters.anomaly(model.name(), kind));
    }

    private static Map<String, String> headers(Plan plan, Client client) {
        Map<String, String> headers = new LinkedHashMap<>();
        plan.headerId().ifPresent(id -> headers.put("X-Request-Id", id));
        headers.put("Accept", plan.body().stream() ? "text/event-stream" : "application/json");
        CARRIED.forEach(name -> client.header(name).ifPresent(value -> headers.put(name, value)));
        return headers;
    }

    /** What a policy sees of a request. */
    private record Routed(Plan plan, Client client) implements PoolPolicy.RoutedRequest {
        @Override
        public String requestId() {
            return plan.requestId();
        }

        @Override
        public int[] promptTokenIds() {
            return plan.body().promptTokenIds();
        }

        @Override
        public Optional<String> header(String name) {
            return client.header(name);
        }
    }
}
