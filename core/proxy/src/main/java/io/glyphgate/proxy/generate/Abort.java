package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.pool.Running;
import io.glyphgate.proxy.route.Router;
import io.glyphgate.proxy.upstream.Leg;
import io.glyphgate.proxy.upstream.UpstreamClient;
import io.glyphgate.proxy.upstream.UpstreamException;
import io.glyphgate.proxy.wire.AbortBody;
import io.glyphgate.proxy.wire.Failure;
import io.glyphgate.spi.InvalidRequestException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Aborts requests by their IDs, as {@code abort_requests} of vLLM does: the endpoints that serve a request are told, and one
 * that waits for an endpoint does so no more. An ID that this proxy does not know may belong to another one in front of the
 * same servers, so all endpoints are told.
 */
public final class Abort {
    private static final System.Logger LOG = System.getLogger(Abort.class.getName());
    private static final List<String> PATHS = List.of("/inference/v1/abort_requests", "/abort_requests");

    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final Router router;
    private final UpstreamClient upstream;
    private final Running running;
    private final Meters meters;

    /** The way through the given parts. */
    public Abort(Router router, UpstreamClient upstream, Running running, Meters meters) {
        this.router = router;
        this.upstream = upstream;
        this.running = running;
        this.meters = meters;
    }

    /** Answers a request. */
    public void handle(byte[] body, Client client) {
        List<String> ids;
        try {
            ids = AbortBody.parse(body);
        } catch (InvalidRequestException e) {
            Failure failure = Failures.of(e);
            meters.refused(failure.slug());
            Failures.send(client, failure, Optional.empty());
            return;
        }
        Map<Endpoint, Set<String>> told = new LinkedHashMap<>();
        for (String id : ids) {
            boolean waited = running.abortWaiting(id);
            Collection<Endpoint> holders = running.endpoints(id);
            if (holders.isEmpty() && !waited) {
                // the caller may mean its own name for the request, or the server's
                all().forEach(endpoint -> told.computeIfAbsent(endpoint, e -> new LinkedHashSet<>())
                        .addAll(List.of(id, Running.SERVER_PREFIX + id)));
            }
            for (Endpoint endpoint : holders) {
                told.computeIfAbsent(endpoint, e -> new LinkedHashSet<>()).add(running.serverId(id));
            }
        }
        tell(told);
        client.answer(200, Map.of(), new byte[0]);
    }

    /** Tells all endpoints at once, so that one that hangs does not keep the others waiting. */
    private void tell(Map<Endpoint, Set<String>> told) {
        List<Thread> threads = new ArrayList<>();
        told.forEach((endpoint, names) -> threads.add(
                Thread.ofVirtual().name("abort").start(() -> tell(endpoint, AbortBody.toJson(names)))));
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // the client has left; the endpoints are told all the same
                return;
            }
        }
    }

    private Collection<Endpoint> all() {
        return router.pools().stream().map(Pool::endpoints).flatMap(Collection::stream).filter(Endpoint::up).toList();
    }

    private void tell(Endpoint endpoint, byte[] body) {
        for (String path : PATHS) {
            try (Leg leg = upstream.post(endpoint, path, body, LIMIT)) {
                byte[] answer = leg.wholeBody();
                if (leg.status() < 300) {
                    return;
                }
                if (leg.status() != 404) {
                    LOG.log(System.Logger.Level.WARNING, "{0} answered {1} to an abort: {2}", endpoint, leg.status(),
                            new String(answer, StandardCharsets.UTF_8));
                    return;
                }
            } catch (UpstreamException e) {
                LOG.log(System.Logger.Level.WARNING, "an abort did not reach {0}: {1}", endpoint, e.getMessage());
                return;
            }
        }
    }
}
