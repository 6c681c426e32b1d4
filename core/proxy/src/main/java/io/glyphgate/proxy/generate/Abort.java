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
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Aborts requests by their IDs, as {@code abort_requests} of vLLM does: the endpoints that serve a request are told. An ID
 * that this proxy does not know may belong to another one in front of the same servers, so all endpoints are told.
 */
public final class Abort {
    private static final System.Logger LOG = System.getLogger(Abort.class.getName());
    private static final List<String> PATHS = List.of("/inference/v1/abort_requests", "/abort_requests");

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
            Failures.send(client, failure, client.header("X-Request-Id"));
            return;
        }
        Map<Endpoint, Set<String>> told = new LinkedHashMap<>();
        for (String id : ids) {
            Collection<Endpoint> holders = running.endpoints(id);
            boolean known = !holders.isEmpty();
            for (Endpoint endpoint : known ? holders : all()) {
                // the server knows a request by its own name for it
                String name = known ? Running.SERVER_PREFIX + Running.withoutPrefix(id) : id;
                told.computeIfAbsent(endpoint, e -> new LinkedHashSet<>()).add(name);
            }
        }
        told.forEach((endpoint, names) -> tell(endpoint, AbortBody.toJson(names)));
        client.answer(200, Map.of(), new byte[0]);
    }

    private Collection<Endpoint> all() {
        return router.pools().stream().map(Pool::endpoints).flatMap(Collection::stream).filter(Endpoint::up).toList();
    }

    private void tell(Endpoint endpoint, byte[] body) {
        for (String path : PATHS) {
            try (Leg leg = upstream.post(endpoint.uri(), path, Map.of(), body)) {
                byte[] answer = leg.wholeBody();
                if (leg.status() < 300) {
                    return;
                }
                if (leg.status() != 404) {
                    LOG.log(System.Logger.Level.WARNING, "{0} answered {1} to an abort: {2}", endpoint, leg.status(),
                            new String(answer, java.nio.charset.StandardCharsets.UTF_8));
                    return;
                }
            } catch (UpstreamException e) {
                LOG.log(System.Logger.Level.WARNING, "an abort did not reach " + endpoint, e);
                return;
            }
        }
    }
}
