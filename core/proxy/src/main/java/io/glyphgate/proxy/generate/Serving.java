package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.generate.AnswerForm.OwnRequest;
import io.glyphgate.proxy.generate.Retries.Reason;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.pool.AbortedException;
import io.glyphgate.proxy.pool.Admission;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.pool.Permit;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.pool.PoolFullException;
import io.glyphgate.proxy.pool.Running;
import io.glyphgate.proxy.pool.Turn;
import io.glyphgate.proxy.route.Route;
import io.glyphgate.proxy.route.Way;
import io.glyphgate.proxy.upstream.Leg;
import io.glyphgate.proxy.upstream.UpstreamClient;
import io.glyphgate.proxy.upstream.UpstreamException;
import io.glyphgate.proxy.wire.Failure;
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
    /** How long other servers come before one that said that it has no room. */
    static final Duration BUSY = Duration.ofSeconds(1);
    /**
     * How long a prompt is seen to its end that nobody waits for any more. What a prefill server computes it holds, even if the
     * request is aborted meanwhile, and only its answer says how to release it; and a decode server takes a prompt only if its
     * engine has seen the request.
     */
    static final Duration HANDING_OVER = Duration.ofSeconds(2);

    private static final List<String> CARRIED = List.of("traceparent", "tracestate");

    private final Plan plan;
    private final Client client;
    private final UpstreamClient upstream;
    private final Running running;
    private final Meters meters;
    private final OutputReport report;
    private final Prefilling prefilling;
    private final Retries retries;
    private final Retries.Attempts attempts;
    private final PoolPolicy.RoutedRequest routed;
    private final Admission admission;
    private List<Pool> prefills = List.of();
    private Handover handover = Handover.nothing();
    private boolean alone;
    private boolean startedOver;
    /** What the client is told if no other server answers: what the last one said. */
    private @Nullable Runnable lastWord;

    Serving(
            Plan plan,
            Client client,
            UpstreamClient upstream,
            Running running,
            Meters meters,
            OutputReport report,
            Prefilling prefilling,
            Retries retries) {
        this.plan = plan;
        this.client = client;
        this.upstream = upstream;
        this.running = running;
        this.meters = meters;
        this.report = report;
        this.prefilling = prefilling;
        this.retries = retries;
        attempts = attempts();
        routed = new Routed(plan, client);
        admission = admission(plan.routes().stream().map(Route::pool).toList());
    }

    /** What came of asking a server. */
    private enum Outcome {
        /** The client has its answer. */
        ANSWERED,
        /** It took no connection: another one may be asked. */
        UNREACHED,
        /** It failed before its first byte: another one may be asked. */
        ELSEWHERE,
        /** It failed because the prompt did not come: it may be asked again. */
        AGAIN
    }

    Plan plan() {
        return plan;
    }

    /** Asks servers until one answers. */
    void run() {
        try {
            if (!answered()) {
                attempts.none();
                List<String> pools =
                        plan.routes().stream().map(route -> route.pool().name()).toList();
                giveUp(Failure.passing(
                        503,
                        "no-endpoint",
                        "No server of the pools that can serve this request takes connections: " + pools + ".",
                        SOON));
            }
        } catch (PoolFullException | AbortedException e) {
            giveUp(Failures.of(e));
        } catch (InterruptedException e) {
            throwIfGone(e);
            giveUp(Failures.of(e));
        } finally {
            handover.close();
            attempts.failed(); // if it is not known better
        }
    }

    /** Tells the client what the last server said, or why none was asked. */
    private void giveUp(Failure failure) {
        if (lastWord != null) {
            lastWord.run();
            return;
        }
        meters.refused(failure.slug());
        meters.traffic(plan.routes().getFirst().pool().name(), plan.form().name()).answered(failure.status());
        Failures.send(client, failure, plan.headerId());
    }

    /** One server at a time, and each only with a permit, which is given back before the next one is asked for. */
    private boolean answered() throws PoolFullException, InterruptedException, AbortedException {
        for (Optional<Permit> next = next(); next.isPresent(); next = next()) {
            try (Permit permit = next.get()) {
                Route route = plan.routes().get(permit.candidate().pool());
                boolean asked = !permit.candidate().rested() || reachable(route, permit.endpoint());
                switch (asked ? ask(route, permit) : Outcome.UNREACHED) {
                    case ANSWERED -> {
                        return true;
                    }
                    case UNREACHED, ELSEWHERE -> {} // the next one is asked
                    case AGAIN -> admission.again(permit);
                }
            }
        }
        return false;
    }

    private Optional<Permit> next() throws PoolFullException, InterruptedException, AbortedException {
        return admission.next(this::letGo);
    }

    /** A prompt that was computed does not wait: the prefill server holds it for a while only. */
    private void letGo() {
        handover.close();
        handover = Handover.nothing();
        prefills = List.of();
        waits();
    }

    /** Says that the request waits, and is over at once if the client leaves. */
    void waits() {
        client.linger(Duration.ZERO);
    }

    /** The endpoints of pools for this request. */
    Admission admission(List<Pool> pools) {
        return new Admission(pools, routed, new Turn(plan.body().priority(), plan.start()), running, meters);
    }

    /** What is tried for one thing of this request. */
    Retries.Attempts attempts() {
        return retries.attempts(plan.model().name());
    }

    /** Says that a prefill server is asked now, whose answer is wanted even if the client leaves. */
    void handsOver() {
        client.linger(HANDING_OVER);
        throwIfGone(null);
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
                handover = prefilling.begin(this, route);
            }
            prefills = route.prefills();
        }
        return handover;
    }

    private Outcome ask(Route route, Permit permit) {
        Meters.Traffic traffic = meters.traffic(route.pool().name(), plan.form().name());
        try {
            Handover prompt = handover(route);
            throwIfGone(null);
            return ask(route, permit, prompt, traffic);
        } catch (FailedException e) {
            traffic.answered(e.failure().status());
            Failures.send(client, e.failure(), plan.headerId());
            return Outcome.ANSWERED;
        }
    }

    private Outcome ask(Route route, Permit permit, Handover prompt, Meters.Traffic traffic) {
        Endpoint endpoint = permit.endpoint();
        byte[] body = UpstreamBody.of(plan, route, prompt.params());
        running.begin(plan.requestId(), endpoint);
        Optional<OwnRequest> own = plan.own(route);
        String path = path(own);
        Map<String, String> headers = headers(
                own.isPresent() ? plan.headerId() : plan.serverHeaderId(),
                plan.body().stream() ? "text/event-stream" : "application/json");
        // a prompt that is handed over is there once
        try (Leg leg = prompt.once()
                ? upstream.postOnce(endpoint, path, headers, body)
                : upstream.post(endpoint, path, headers, body)) {
            boolean taken = leg.status() < 400 || leg.status() >= 500; // a server that fails may have taken it before
            if (taken) {
                prompt.taken();
            }
            Optional<Reason> reason = Reason.of(leg.status());
            if (reason.isPresent()) {
                return refused(route, permit, prompt, reason.get(), ServerRefusal.read(leg));
            }
            Translation translation = route.way() == Way.PROXY
                    ? Translation.asked(plan.body(), plan.model(), plan.form().needs(), report.recordedTokens())
                    : null;
            try {
                new AnswerWriter(plan, route, client, meters, translation, prompt).write(leg);
            } finally {
                if (translation != null) {
                    report.send(plan.requestId(), plan.model(), route.pool().name(), translation);
                }
            }
            attempts.answered();
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
            if (prompt.failure().isPresent() && mayGoOnAlone()) {
                return Outcome.AGAIN;
            }
            Failure failure = prompt.failure().orElseGet(() -> Failures.of(e));
            lastWord = () -> {
                prompt.settled();
                traffic.answered(failure.status());
                Failures.send(client, failure, plan.headerId());
            };
            Optional<Reason> reason = prompt.failure().isPresent() ? Optional.empty() : Reason.of(e);
            if (reason.isPresent() && goesOn(permit, prompt, reason.get(), true)) {
                return Outcome.ELSEWHERE;
            }
            lastWord.run();
            return Outcome.ANSWERED;
        } finally {
            running.end(plan.requestId(), endpoint);
        }
    }

    /** A server refused the request in a way in which another one may not. */
    private Outcome refused(Route route, Permit permit, Handover prompt, Reason reason, ServerRefusal refusal) {
        if (reason == Reason.FULL) {
            permit.endpoint().busy(BUSY);
        }
        AnswerWriter writer = new AnswerWriter(plan, route, client, meters, null, prompt);
        lastWord = () -> writer.refuse(refusal);
        if (goesOn(permit, prompt, reason, refusal.status() >= 500)) {
            return Outcome.ELSEWHERE;
        }
        lastWord.run();
        return Outcome.ANSWERED;
    }

    /**
     * Whether another server is asked after one that failed. Where the failed one may have taken a prompt that was handed over,
     * that prompt is spent: a decode server that takes it again may get another prompt's keys and values. Then the request starts
     * over with a new prefill, once at most, and may come to the same server.
     */
    private boolean goesOn(Permit permit, Handover prompt, Reason reason, boolean taken) {
        boolean startsOver = taken && prompt.once();
        if (startsOver ? startedOver : !admission.hasMore()) {
            attempts.failed();
            return false;
        }
        if (!attempts.another(permit.pool().name(), reason)) {
            return false;
        }
        if (startsOver) {
            startedOver = true;
            letGo();
            if (!admission.hasMore()) {
                admission.again(permit);
            }
        }
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
        carry(client, headers);
        return headers;
    }

    /** Adds what of a client's headers every server gets that works for it. */
    static void carry(Client client, Map<String, String> headers) {
        CARRIED.forEach(name -> client.header(name).ifPresent(value -> headers.put(name, value)));
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
