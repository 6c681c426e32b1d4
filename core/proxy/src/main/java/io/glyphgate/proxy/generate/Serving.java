package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.choice.OutputPlan;
import io.glyphgate.proxy.choice.StopStrings;
import io.glyphgate.proxy.generate.AnswerForm.OwnRequest;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.pool.Candidates;
import io.glyphgate.proxy.pool.Candidates.Candidate;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.pool.Running;
import io.glyphgate.proxy.route.Route;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.route.Way;
import io.glyphgate.proxy.upstream.Leg;
import io.glyphgate.proxy.upstream.UpstreamClient;
import io.glyphgate.proxy.upstream.UpstreamException;
import io.glyphgate.proxy.wire.Failure;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.proxy.wire.ParseRequest;
import io.glyphgate.spi.OutputModeProvider.Need;
import io.glyphgate.spi.PoolPolicy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One request that can be served, on its way to a server that answers. */
final class Serving {
    private static final Duration SOON = Duration.ofSeconds(1);
    /**
     * How long a prompt is seen to its end that nobody waits for any more. What a prefill server computes it holds, even if the
     * request is aborted meanwhile, and only its answer says how to release it; and a decode server takes a prompt only if its
     * engine has seen the request.
     */
    private static final Duration HANDING_OVER = Duration.ofSeconds(2);

    private static final List<String> CARRIED = List.of("traceparent", "tracestate");

    private final Plan plan;
    private final Client client;
    private final UpstreamClient upstream;
    private final Running running;
    private final Meters meters;
    private final OutputReport report;
    private final Prefilling prefilling;
    private final PoolPolicy.RoutedRequest routed;
    private List<Pool> prefills = List.of();
    private Handover handover = Handover.nothing();
    private boolean alone;
    private boolean startedOver;

    Serving(
            Plan plan,
            Client client,
            UpstreamClient upstream,
            Running running,
            Meters meters,
            OutputReport report,
            Prefilling prefilling) {
        this.plan = plan;
        this.client = client;
        this.upstream = upstream;
        this.running = running;
        this.meters = meters;
        this.report = report;
        this.prefilling = prefilling;
        routed = new Routed(plan, client);
    }

    /** What came of asking a server. */
    private enum Outcome {
        /** The client has its answer. */
        ANSWERED,
        /** It took no connection: another one may be asked. */
        UNREACHED,
        /** It failed before its first byte, on a prompt that was handed over: all may start over. */
        AGAIN
    }

    Plan plan() {
        return plan;
    }

    /** Asks servers until one answers. */
    void run() {
        try {
            if (!answered()) {
                meters.traffic(plan.routes().getFirst().pool().name(), plan.form().name()).answered(503);
                List<String> pools =
                        plan.routes().stream().map(route -> route.pool().name()).toList();
                Failures.send(
                        client,
                        Failure.passing(
                                503,
                                "no-endpoint",
                                "No server of the pools that can serve this request takes connections: " + pools + ".",
                                SOON),
                        plan.headerId());
            }
        } finally {
            handover.close();
        }
    }

    private boolean answered() {
        Candidates candidates = candidates(plan.routes().stream().map(Route::pool).toList());
        for (Optional<Candidate> next = candidates.next(); next.isPresent(); next = candidates.next()) {
            Candidate candidate = next.get();
            Route route = plan.routes().get(candidate.pool());
            boolean asked = !candidate.rested() || reachable(route, candidate.endpoint());
            switch (asked ? ask(route, candidate.endpoint()) : Outcome.UNREACHED) {
                case ANSWERED -> {
                    return true;
                }
                case UNREACHED -> candidates.unreachable(candidate);
                case AGAIN -> candidates.again(candidate);
            }
        }
        return false;
    }

    /** The endpoints of pools for this request. */
    Candidates candidates(List<Pool> pools) {
        return new Candidates(pools, routed, meters);
    }

    /** Whether a server that took no connection takes one again: else no prompt is computed for it. */
    private boolean reachable(Route route, Endpoint endpoint) {
        if (route.prefills().isEmpty()) {
            return true;
        }
        try (Leg leg = upstream.get(endpoint, "/health", SOON)) {
            return leg.status() < 500;
        } catch (UpstreamException e) {
            throwIfGone(e);
            return false;
        }
    }

    /** The prompt for the servers of a route; it is computed once for all routes that the same pools feed. */
    private Handover handover(Route route) {
        if (!prefills.equals(route.prefills())) {
            handover.close();
            handover = Handover.nothing();
            if (!alone) {
                client.linger(HANDING_OVER);
                handover = prefilling.begin(this, route);
            }
            prefills = route.prefills();
        }
        return handover;
    }

    private Outcome ask(Route route, Endpoint endpoint) {
        Meters.Traffic traffic = meters.traffic(route.pool().name(), plan.form().name());
        try {
            Handover prompt = handover(route);
            throwIfGone(null);
            return ask(route, endpoint, prompt, traffic);
        } catch (FailedException e) {
            traffic.answered(e.failure().status());
            Failures.send(client, e.failure(), plan.headerId());
            return Outcome.ANSWERED;
        }
    }

    private Outcome ask(Route route, Endpoint endpoint, Handover prompt, Meters.Traffic traffic) {
        byte[] body = UpstreamBody.of(plan, route, prompt.params());
        endpoint.enter();
        running.begin(plan.requestId(), endpoint);
        Optional<OwnRequest> own = plan.own(route);
        String accept = plan.body().stream() ? "text/event-stream" : "application/json";
        Optional<String> id = own.isPresent() ? plan.headerId() : plan.serverHeaderId();
        try (Leg leg = upstream.post(endpoint, path(own), headers(id, accept), body)) {
            endpoint.answered();
            if (leg.status() < 400 || leg.status() >= 500) {
                prompt.taken(); // a server that fails may have taken it before
            }
            if (leg.status() >= 500 && startsOver(prompt)) {
                return Outcome.AGAIN;
            }
            Translation translation = route.way() == Way.PROXY ? translation() : null;
            try {
                new AnswerWriter(plan, route, client, meters, translation, prompt).write(leg);
                if (leg.status() == 200) {
                    prompt.ended();
                }
            } finally {
                if (translation != null) {
                    report.send(plan, route.pool(), translation);
                }
            }
            return Outcome.ANSWERED;
        } catch (UpstreamException e) {
            if (e.kind() != UpstreamException.Kind.NO_CONNECTION) {
                prompt.taken(); // it may have been
            }
            throwIfGone(e);
            if (e.kind() == UpstreamException.Kind.NO_CONNECTION) {
                return Outcome.UNREACHED;
            }
            var unused = Thread.interrupted(); // from this side: the client can still be told
            if (prompt.failure().isPresent() ? mayGoOnAlone() : startsOver(prompt)) {
                return Outcome.AGAIN;
            }
            Failure failure = prompt.failure().orElseGet(() -> Failures.of(e));
            traffic.answered(failure.status());
            Failures.send(client, failure, plan.headerId());
            return Outcome.ANSWERED;
        } finally {
            running.end(plan.requestId(), endpoint);
            endpoint.leave();
        }
    }

    /**
     * Whether the request starts over, with a new prefill, because the decode server failed on a prompt that was handed over;
     * once at most. The old one is spent: a decode server that takes it again may get another prompt's keys and values.
     */
    private boolean startsOver(Handover prompt) {
        if (prompt.params().isEmpty() || startedOver) {
            return false;
        }
        startedOver = true;
        prompt.close();
        prefills = List.of();
        handover = Handover.nothing();
        return true;
    }

    /** Whether the decode server may compute the prompt whose prefill failed. */
    private boolean mayGoOnAlone() {
        alone = prefills.stream().allMatch(pool -> switch (pool.config().kv().withoutPrefill()) {
            case DECODE_ONLY -> true;
            case FAIL -> false;
        });
        if (alone) {
            handover.close();
            handover = Handover.nothing();
        }
        return alone;
    }

    /** Ends the request if the client has left. */
    void throwIfGone(@Nullable Exception e) {
        if (client.gone()) {
            meters.traffic(plan.routes().getFirst().pool().name(), plan.form().name()).answered(499);
            throw new ClientGoneException(e);
        }
    }

    private Translation translation() {
        GenerateBody body = plan.body();
        ServedModel model = plan.model();
        boolean message = plan.form().needs().contains(Need.MESSAGE);
        boolean includeStop = body.sampling("include_stop_str_in_output", false);
        OutputPlan output = new OutputPlan(
                model.name(),
                plan.form().needs(),
                model.tokenizer(),
                message ? model.parsers() : OutputPlan.Parsers.NONE,
                body.promptTokenIds(),
                body.sampling("skip_special_tokens", true),
                body.sampling("spaces_between_special_tokens", true),
                new StopStrings(body.stop(), includeStop, body.minTokens()),
                includeStop,
                message ? body.parseRequest() : ParseRequest.DEFAULT);
        return new Translation(body, output, report.recordedTokens());
    }

    private static String path(Optional<OwnRequest> own) {
        return own.map(OwnRequest::path).orElse(Generate.PATH);
    }

    /** Headers of a generate request to a server. */
    Map<String, String> headers(String accept) {
        return headers(plan.serverHeaderId(), accept);
    }

    private Map<String, String> headers(Optional<String> requestId, String accept) {
        Map<String, String> headers = new LinkedHashMap<>();
        requestId.ifPresent(id -> headers.put("X-Request-Id", id));
        headers.put("Accept", accept);
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
