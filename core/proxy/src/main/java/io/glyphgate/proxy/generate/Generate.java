package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.config.ProxyConfig.KvParams;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.pool.Running;
import io.glyphgate.proxy.route.MisroutedException;
import io.glyphgate.proxy.route.Needs;
import io.glyphgate.proxy.route.Route;
import io.glyphgate.proxy.route.Router;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.route.TextPlace;
import io.glyphgate.proxy.upstream.UpstreamClient;
import io.glyphgate.proxy.wire.Failure;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.spi.InvalidRequestException;
import io.glyphgate.spi.OutputModeProvider;
import java.nio.charset.StandardCharsets;
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
    /** The header that asks for one pool. */
    public static final String POOL = "X-Glyphgate-Pool";

    private static final String TOKENS = "tokens";

    private final Router router;
    private final Registry plugins;
    private final UpstreamClient upstream;
    private final Running running;
    private final Meters meters;
    private final OutputReport report;
    private final Prefilling prefilling;
    private final Retries retries;

    /** The way through the given parts. */
    public Generate(
            Router router,
            Registry plugins,
            UpstreamClient upstream,
            Running running,
            Meters meters,
            OutputReport report,
            ProxyConfig.Retries retries) {
        this.router = router;
        this.plugins = plugins;
        this.upstream = upstream;
        this.running = running;
        this.meters = meters;
        this.report = report;
        prefilling = new Prefilling(upstream, running, meters);
        this.retries = new Retries(retries, meters);
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
            refuse(e, requestId, client);
            return;
        }
        serve(plan, client);
    }

    /** Waits, when the last request has ended, for what goes on after it: prompts that are being released. */
    public void settle() {
        prefilling.settle();
    }

    /**
     * Asks servers for what a door has planned.
     *
     * @throws ClientGoneException if the client has closed the connection
     */
    public void serve(Plan plan, Client client) {
        retries.request(plan.model().name());
        new Serving(plan, client, upstream, running, meters, report, prefilling, retries).run();
    }

    /**
     * Tells a client why its request is refused before any server is asked.
     *
     * @param e what was thrown: the request's fault, or that of a plugin
     * @param requestId the ID of the request; empty for that of the client's header, or a new one
     * @throws ClientGoneException if that is what was thrown, or the client has closed the connection
     */
    public void refuse(RuntimeException e, Optional<String> requestId, Client client) {
        if (e instanceof ClientGoneException gone) {
            throw gone;
        }
        if (client.gone()) {
            throw new ClientGoneException(e);
        }
        if (e instanceof PluginFailedException failed) {
            meters.pluginError(failed.kind().label(), failed.plugin());
        }
        refuse(Failures.of(e), requestId, client);
    }

    /** As {@link #refuse(RuntimeException, Optional, Client)}, for another reason. */
    public void refuse(Failure failure, Optional<String> requestId, Client client) {
        meters.refused(failure.slug());
        Failures.send(client, failure, requestId.filter(Plan::canBeHeader));
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
        RequestCheck.checkMode(body, mode, model);
        AnswerForm form = new ModeForm(mode, body);
        Needs needs = Needs.of(mode, body.stream(), !body.stop().isEmpty());
        String requestId = requestId(body, headers).orElseGet(Plan::newId);
        return plan(body, model, form, router.routes(model, needs, headers.header(POOL)), requestId, requestId, start);
    }

    /**
     * Plans a generate request that a door has made.
     *
     * @param body the generate request
     * @param model the model that it asks for
     * @param form what the client gets of its output
     * @param routes the pools that can serve it
     * @param requestId the ID of the generate request
     * @param clientId the client's ID of what it was made of
     * @param start when that arrived, {@link System#nanoTime()}
     * @throws InvalidRequestException if no server may be asked for it
     */
    public Plan plan(
            GenerateBody body,
            ServedModel model,
            AnswerForm form,
            List<Route> routes,
            String requestId,
            String clientId,
            long start) {
        KvParams kvParams =
                model.config().kvParams().orElse(router.prefills(model) ? KvParams.REJECT : KvParams.PASS);
        RequestCheck.check(body, model, kvParams);
        return new Plan(body, model, form, routes, kvParams, requestId, clientId, start);
    }

    /**
     * The pools that can serve a request whose answer is wanted in tokens, as the server gives it.
     *
     * @param stops whether it has stop strings
     * @param asked the pool that the client asks for by name
     * @throws MisroutedException if there is none
     */
    public List<Route> routesOfTokens(ServedModel model, boolean stream, boolean stops, Optional<String> asked) {
        return router.routes(model, Needs.of(tokens(model), stream, stops), asked);
    }

    /**
     * Plans such a request, which a door has made.
     *
     * @see #plan(GenerateBody, ServedModel, AnswerForm, List, String, String, long)
     */
    public Plan planTokens(
            GenerateBody body, ServedModel model, List<Route> routes, String requestId, String clientId, long start) {
        return plan(body, model, new ModeForm(tokens(model), body), routes, requestId, clientId, start);
    }

    private OutputModeProvider tokens(ServedModel model) {
        return plugins.find(OutputModeProvider.class, TOKENS).orElseThrow(() -> unknownMode(TOKENS, model));
    }

    /** The client's ID of a request; the header counts before the body, as in vLLM. */
    private static Optional<String> requestId(GenerateBody body, PlanHeaders headers) {
        return headers.header("X-Request-Id")
                .filter(id -> !id.isEmpty())
                .or(() -> body.requestId().filter(id -> !id.isEmpty()));
    }

    /**
     * Questions of a client to servers that have a model's tokenizer.
     *
     * @param servers who is asked
     */
    public Inquiry inquiry(TextPlace.Servers servers, ServedModel model, Client client) {
        return new Inquiry(servers, model, client, upstream, meters, retries);
    }

    /** Which requests are sent to another server. */
    Retries retries() {
        return retries;
    }

    /** What a server of a pool would be sent, as text. */
    public String upstreamBody(Plan plan, Route route) {
        return new String(UpstreamBody.of(plan, route, Map.of()), StandardCharsets.UTF_8);
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
}
