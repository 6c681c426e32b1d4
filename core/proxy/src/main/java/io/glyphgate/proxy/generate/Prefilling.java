package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.generate.Retries.Reason;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.proxy.plugin.PluginKind;
import io.glyphgate.proxy.pool.AbortedException;
import io.glyphgate.proxy.pool.Admission;
import io.glyphgate.proxy.pool.Candidates;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.pool.Permit;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.pool.PoolFullException;
import io.glyphgate.proxy.pool.Running;
import io.glyphgate.proxy.route.Route;
import io.glyphgate.proxy.upstream.Leg;
import io.glyphgate.proxy.upstream.UpstreamClient;
import io.glyphgate.proxy.upstream.UpstreamException;
import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.Failure;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.ServerFacts;
import io.glyphgate.spi.KvConnector;
import io.glyphgate.spi.KvTransfer;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Has prompts computed by prefill servers, and handed over to decode servers. */
final class Prefilling {
    private static final System.Logger LOG = System.getLogger(Prefilling.class.getName());
    /** NIXL holds a prompt for so long; a decode server that is busy takes it late, but better than never. */
    private static final Duration RELEASE_LIMIT = Duration.ofSeconds(30);
    /** How long the end of the proxy waits for releases. */
    private static final Duration SETTLING = Duration.ofSeconds(10);
    /** How often it is tried, where servers refuse it. */
    private static final int RELEASE_ROUNDS = 3;

    private static final Duration RELEASE_PAUSE = Duration.ofMillis(250);
    /** How long the log is not told again that a pool fails. */
    private static final long QUIET = Duration.ofMinutes(1).toNanos();

    private final UpstreamClient upstream;
    private final Running running;
    private final Meters meters;
    private final Errands errands = new Errands();
    /** Pools of which the log has said that they give nothing away. */
    private final Set<Pool> failing = ConcurrentHashMap.newKeySet();
    /** When it has said so last, {@link System#nanoTime()}. */
    private final Map<Pool, Long> told = new ConcurrentHashMap<>();

    Prefilling(UpstreamClient upstream, Running running, Meters meters) {
        this.upstream = upstream;
        this.running = running;
        this.meters = meters;
    }

    /** Why a prefill server gave nothing away. */
    private static final class NothingGivenException extends Exception {
        private static final long serialVersionUID = 1;

        private final String outcome;
        private final int status;

        /**
         * A reason.
         *
         * @param status that of the server's answer; 0 if there was none
         */
        private NothingGivenException(String outcome, int status, String message, @Nullable Throwable cause) {
            super(message, cause);
            this.outcome = outcome;
            this.status = status;
        }

        /** Whether the server took no connection. */
        private boolean unreached() {
            return getCause() instanceof UpstreamException e && e.kind() == UpstreamException.Kind.NO_CONNECTION;
        }

        /** What the log says: this and what led to it, in one line. */
        private String reasons() {
            StringBuilder text = new StringBuilder(String.valueOf(getMessage()));
            for (Throwable cause = getCause(); cause != null; cause = cause.getCause()) {
                String reason = String.valueOf(cause.getMessage());
                if (text.indexOf(reason) < 0) {
                    text.append(" (").append(reason).append(')');
                }
            }
            return text.toString();
        }

        /** Why another server may do better; empty if none will. */
        private Optional<Reason> reason() {
            return getCause() instanceof UpstreamException e ? Reason.of(e) : Reason.of(status);
        }

        /** What the client is told; where the server is stays here. */
        private Failure failure(Pool pool) {
            if (getCause() instanceof PoolFullException full) {
                return Failures.of(full);
            }
            String text = "Prefill pool '" + pool.name() + "': " + getMessage();
            if (status == 429 || status == 503) {
                return Failure.passing(status, "prefill-failed", text, Serving.BUSY);
            }
            boolean wrong = status >= 400 && status < 500 && status != 401 && status != 403;
            return Failure.of(wrong ? status : 502, "prefill-failed", "", text);
        }
    }

    /**
     * Has the prompt of a request computed for a decode pool.
     *
     * @param serving the request
     * @param route the decode pool
     * @return what the decode server must be told; nothing where it computes the prompt itself
     * @throws FailedException if no server computes it, and the decode pool may not
     * @throws ClientGoneException if the client left
     */
    Handover begin(Serving serving, Route route) {
        if (route.prefills().isEmpty()) {
            return Handover.nothing();
        }
        List<Pool> pools = new ArrayList<>(route.prefills());
        Collections.rotate(pools, ThreadLocalRandom.current().nextInt(pools.size()));
        if (serving.plan().body().choices() > 1 && !pools.stream().allMatch(pool -> connector(pool).sharable())) {
            meters.prefill(pools.getFirst().name(), "several-choices"); // what is held is given away once
            return Handover.nothing();
        }
        Pool last = pools.getFirst();
        NothingGivenException why = new NothingGivenException("failed", 0, "No server takes connections.", null);
        Admission admission = serving.admission(pools);
        Retries.Attempts attempts = serving.attempts();
        try {
            // the request holds a permit of a decode server; nobody holds one of these and waits for one of those
            for (Optional<Permit> next = admission.next(serving::waits);
                    next.isPresent();
                    next = admission.next(serving::waits)) {
                last = next.get().pool();
                try {
                    Handover handover = begin(serving, route, next.get());
                    attempts.answered();
                    return handover;
                } catch (NothingGivenException e) {
                    serving.throwIfGone(e);
                    why = e;
                    if (!e.unreached() && !another(e, last, admission, attempts)) {
                        break;
                    }
                }
            }
        } catch (PoolFullException e) {
            why = new NothingGivenException("full", 429, String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            serving.throwIfGone(e);
            throw new FailedException(Failures.of(e), e);
        } catch (AbortedException e) {
            throw new FailedException(Failures.of(e), e);
        }
        attempts.failed(); // if it is not known better
        return without(last, why);
    }

    /** Whether another prefill server may do better: this one holds nothing. */
    private static boolean another(NothingGivenException e, Pool pool, Admission admission, Retries.Attempts attempts) {
        return e.reason().isPresent() && admission.hasMore() && attempts.another(pool.name(), e.reason().get());
    }

    /** The decode server computes the prompt itself, if it may. */
    private Handover without(Pool pool, NothingGivenException why) {
        meters.prefill(pool.name(), why.outcome);
        if (mayTell(pool) && failing.add(pool)) {
            told.put(pool, System.nanoTime());
            LOG.log(System.Logger.Level.WARNING, "prefill pool {0} gives nothing away: {1}", pool.name(), why.reasons());
        }
        return switch (pool.config().kv().withoutPrefill()) {
            case DECODE_ONLY -> Handover.nothing();
            case FAIL -> throw new FailedException(why.failure(pool), why);
        };
    }

    /** Whether the log has not told of a pool's failing for a while: one that fails now and then would fill it. */
    private boolean mayTell(Pool pool) {
        Long last = told.get(pool);
        return last == null || System.nanoTime() - last > QUIET;
    }

    private Handover begin(Serving serving, Route route, Permit permit) throws NothingGivenException {
        boolean given = false;
        try {
            serving.handsOver();
            Pool pool = permit.pool();
            KvTransfer transfer =
                    plugged(pool, () -> connector(pool).begin(new Transfer(serving.plan(), permit.endpoint())));
            Optional<Map<String, @Nullable Object>> atOnce = plugged(pool, transfer::paramsAtOnce);
            boolean held = plugged(pool, transfer::held);
            boolean pushes = plugged(pool, transfer::pushes);
            if (atOnce.isEmpty()) {
                Map<String, @Nullable Object> params = ask(serving, pool, permit.endpoint(), transfer);
                return Handover.ready(params, held, () -> release(serving.plan(), route, params, pushes));
            }
            Map<String, @Nullable Object> params = atOnce.get();
            Handover handover = Handover.during(
                    params,
                    held,
                    () -> release(serving.plan(), route, params, pushes),
                    errands,
                    () -> meanwhile(serving, permit, transfer));
            given = true;
            return handover;
        } finally {
            if (!given) {
                permit.close();
            }
        }
    }

    /** Asks for a prompt while the decode server is asked, too; why it does not come. */
    private Optional<Failure> meanwhile(Serving serving, Permit permit, KvTransfer transfer) {
        try (permit) {
            var unused = ask(serving, permit.pool(), permit.endpoint(), transfer);
            return Optional.empty();
        } catch (NothingGivenException e) {
            if (!Thread.currentThread().isInterrupted()) { // else nobody wants the prompt any more
                meters.prefill(permit.pool().name(), e.outcome);
            }
            return Optional.of(e.failure(permit.pool()));
        }
    }

    /** Asks one server for the prompt; what the decode server must be told. */
    private Map<String, @Nullable Object> ask(Serving serving, Pool pool, Endpoint endpoint, KvTransfer transfer)
            throws NothingGivenException {
        Plan plan = serving.plan();
        Map<String, String> headers = serving.headers("application/json");
        headers.putAll(plugged(pool, transfer::prefillHeaders));
        byte[] body = UpstreamBody.prefill(
                plan, pool, plugged(pool, transfer::prefillParams), plugged(pool, transfer::endsByLength));
        running.begin(plan.requestId(), endpoint);
        try (Leg leg = upstream.post(endpoint, Generate.PATH, headers, body)) {
            byte[] bytes = leg.wholeBody();
            if (leg.status() != 200) {
                if (Reason.of(leg.status()).filter(Reason.FULL::equals).isPresent()) {
                    endpoint.busy(Serving.BUSY);
                }
                String said = ServerFacts.errorMessage(bytes);
                String message = said.isEmpty() ? "The server answered with status " + leg.status() + "." : said;
                throw new NothingGivenException("failed", leg.status(), message, null);
            }
            Answer answer = new Answer();
            answer.scan(bytes, 0, bytes.length);
            Map<String, @Nullable Object> answered = answer.transferParams();
            Map<String, @Nullable Object> params = plugged(pool, () -> transfer.decodeParams(answered))
                    .orElseThrow(() -> new NothingGivenException(
                            "nothing",
                            200,
                            "The answer has no kv_transfer_params for a decode server: were its servers started with the KV"
                                    + " connector '" + pool.config().kv().connector().name() + "'?",
                            null));
            meters.prefill(pool.name(), "given");
            if (failing.remove(pool)) {
                LOG.log(System.Logger.Level.INFO, "prefill pool {0} gives prompts away again", pool.name());
            }
            return params;
        } catch (MalformedJsonException e) {
            throw new NothingGivenException("failed", 200, "The answer cannot be read: " + e.getMessage() + ".", e);
        } catch (UpstreamException e) {
            throw new NothingGivenException("failed", 0, String.valueOf(e.getMessage()), e);
        } finally {
            running.end(plan.requestId(), endpoint);
        }
    }

    /**
     * Has a decode server take a prompt that it was not asked for or refused, so that the prefill server need not hold it until
     * its lease ends. Must not be called where a decode server may have taken it: the prefill server may hold another prompt
     * in its place by then.
     *
     * @param identified whether this has the ID of the request that wanted the prompt
     */
    private void release(Plan plan, Route route, Map<String, @Nullable Object> params, boolean identified) {
        Map<String, String> headers = new HashMap<>();
        plan.serverHeaderId().filter(id -> identified).ifPresent(id -> headers.put("X-Request-Id", id));
        var unused = errands.start("release-prefill", () -> {
            byte[] body = UpstreamBody.release(plan, route.pool(), params, identified);
            Taking taking = Taking.REFUSED;
            for (int round = 0; round < RELEASE_ROUNDS && taking == Taking.REFUSED; round++) {
                if (round > 0 && !pause()) {
                    break;
                }
                for (Endpoint endpoint : route.pool().endpoints()) {
                    if (endpoint.up() && taking == Taking.REFUSED) {
                        taking = take(endpoint, headers, body);
                    }
                }
            }
            meters.release(route.pool().name(), taking == Taking.DONE ? "released" : "left-to-expire");
        });
    }

    /** Gives servers that are full a moment; false if there is no time for it. */
    private static boolean pause() {
        try {
            Thread.sleep(RELEASE_PAUSE);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** What came of a server that was made to take a prompt. */
    private enum Taking {
        DONE,
        /** It has not taken it, so another one may. */
        REFUSED,
        /** It may have taken it, so another one must not. */
        UNKNOWN
    }

    private Taking take(Endpoint endpoint, Map<String, String> headers, byte[] body) {
        try (Leg leg = upstream.postOnce(endpoint, Generate.PATH, headers, body, RELEASE_LIMIT)) {
            leg.wholeBody();
            return leg.status() == 200
                    ? Taking.DONE
                    : leg.status() >= 400 && leg.status() < 500 ? Taking.REFUSED : Taking.UNKNOWN;
        } catch (UpstreamException e) {
            LOG.log(System.Logger.Level.DEBUG, endpoint + " did not take a prompt that nobody wants", e);
            return e.kind() == UpstreamException.Kind.NO_CONNECTION ? Taking.REFUSED : Taking.UNKNOWN;
        }
    }

    /** Waits until no prompt is being computed for nobody, or released. */
    void settle() {
        errands.await(SETTLING);
    }

    /** Calls a connector; what it throws is why there is no prompt. */
    private <T> T plugged(Pool pool, Call<T> call) throws NothingGivenException {
        try {
            return call.run();
        } catch (IOException e) {
            throw new NothingGivenException("failed", 0, "The transfer cannot be arranged.", e);
        } catch (RuntimeException | LinkageError e) {
            String name = pool.config().kv().connector().name();
            meters.pluginError(PluginKind.KV_CONNECTOR.label(), name);
            PluginFailedException failed = new PluginFailedException(PluginKind.KV_CONNECTOR, name, e);
            LOG.log(System.Logger.Level.ERROR, "prefill pool " + pool.name() + ": " + failed.getMessage(), e);
            throw new NothingGivenException("failed", 0, "The KV connector of this proxy failed.", failed);
        }
    }

    @FunctionalInterface
    private interface Call<T> {
        T run() throws IOException;
    }

    private static KvConnector connector(Pool pool) {
        return pool.connector().orElseThrow();
    }

    /** What a connector may know of a request. */
    private record Transfer(Plan plan, Endpoint endpoint) implements KvConnector.TransferRequest {
        @Override
        public String serverRequestId() {
            return Running.SERVER_PREFIX + plan.requestId();
        }

        @Override
        public URI prefillServer() {
            return endpoint.uri();
        }
    }
}
