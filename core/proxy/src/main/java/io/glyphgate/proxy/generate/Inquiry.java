package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.generate.Retries.Reason;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.pool.Candidates;
import io.glyphgate.proxy.pool.Candidates.Candidate;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.route.TextPlace;
import io.glyphgate.proxy.upstream.Leg;
import io.glyphgate.proxy.upstream.UpstreamClient;
import io.glyphgate.proxy.upstream.UpstreamException;
import io.glyphgate.proxy.wire.BadAnswerException;
import io.glyphgate.spi.PoolPolicy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Questions of one client that any server of a model answers with its tokenizer alone: no engine works for them, so they wait for no
 * permit, and what one server fails at another one is asked.
 */
public final class Inquiry {
    private final TextPlace.Servers servers;
    private final ServedModel model;
    private final Client client;
    private final UpstreamClient upstream;
    private final Meters meters;
    private final Retries retries;
    /** Whether it counts among the requests whose retries have a budget: once, however many questions a stream needs. */
    private boolean counted;

    Inquiry(TextPlace.Servers servers, ServedModel model, Client client, UpstreamClient upstream, Meters meters, Retries retries) {
        this.servers = servers;
        this.model = model;
        this.client = client;
        this.upstream = upstream;
        this.meters = meters;
        this.retries = retries;
    }

    /** Gives the questions of a client to servers that have a model's tokenizer. */
    @FunctionalInterface
    public interface Source {
        /** The questions of a client. */
        Inquiry of(TextPlace.Servers servers, ServedModel model, Client client);
    }

    /**
     * Posts JSON.
     *
     * @param body makes it, of the name under which the servers of a pool know the model
     * @return the answer of status 200
     * @throws RefusedException if the server that was asked last refused it
     * @throws UpstreamException if none answered
     * @throws BadAnswerException if the answer is neither good nor a refusal
     */
    public byte[] post(String path, Function<String, byte[]> body) {
        return ask((endpoint, pool) -> upstream.post(endpoint, path, headers(), body.apply(pool.servedModel())));
    }

    /** As {@link #post}, for what needs no body. */
    public byte[] get(String path) {
        return ask((endpoint, pool) -> upstream.get(endpoint, path, headers()));
    }

    private Map<String, String> headers() {
        Map<String, String> headers = new LinkedHashMap<>();
        client.header("X-Request-Id").filter(Plan::canBeHeader).ifPresent(id -> headers.put("X-Request-Id", id));
        headers.put("Accept", "application/json");
        Serving.carry(client, headers);
        return headers;
    }

    /** Asks one server of a pool. */
    @FunctionalInterface
    private interface Question {
        Leg ask(Endpoint endpoint, Pool pool);
    }

    private byte[] ask(Question question) {
        if (!counted) {
            counted = true;
            retries.request(model.name());
        }
        Retries.Attempts attempts = retries.attempts(model.name());
        Candidates candidates = new Candidates(servers.pools(), new Unrouted(client), meters);
        RuntimeException last = null;
        for (Optional<Candidate> next = candidates.next(); next.isPresent(); next = candidates.next()) {
            Pool pool = servers.pools().get(next.get().pool());
            Optional<Reason> reason;
            try {
                byte[] answer = ask(question, next.get().endpoint(), pool);
                attempts.answered();
                return answer;
            } catch (RefusedException e) {
                last = e;
                reason = Reason.of(e.status());
                if (reason.equals(Optional.of(Reason.FULL))) {
                    next.get().endpoint().busy(Serving.BUSY);
                }
            } catch (UpstreamException e) {
                if (e.kind() == UpstreamException.Kind.NO_CONNECTION) {
                    last = last == null ? e : last;
                    continue;
                }
                if (e.kind() == UpstreamException.Kind.CANCELLED && !client.gone()) {
                    var unused = Thread.interrupted(); // from this side: the client can still be told
                }
                last = e;
                reason = Reason.of(e);
            } catch (BadAnswerException e) {
                last = e;
                reason = Optional.empty();
            }
            if (reason.isEmpty() || !attempts.another(pool.name(), reason.get())) {
                attempts.failed();
                throw last;
            }
        }
        attempts.none();
        throw last == null
                ? new UpstreamException(UpstreamException.Kind.NO_CONNECTION, "No server of the pools takes connections.", null)
                : last;
    }

    private static byte[] ask(Question question, Endpoint endpoint, Pool pool) {
        endpoint.enter();
        try (Leg leg = question.ask(endpoint, pool)) {
            if (leg.status() != 200 && leg.status() < 400) {
                throw new BadAnswerException("its status is " + leg.status());
            }
            if (leg.status() != 200) {
                throw new RefusedException(ServerRefusal.read(leg));
            }
            return leg.wholeBody();
        } finally {
            endpoint.leave();
        }
    }

    /** What a policy sees: there is no prompt yet. */
    private record Unrouted(Client client) implements PoolPolicy.RoutedRequest {
        @Override
        public String requestId() {
            return client.header("X-Request-Id").orElse("");
        }

        @Override
        public int[] promptTokenIds() {
            return new int[0];
        }

        @Override
        public Optional<String> header(String name) {
            return client.header(name);
        }
    }
}
