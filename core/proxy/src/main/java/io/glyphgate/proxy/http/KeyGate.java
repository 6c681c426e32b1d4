package io.glyphgate.proxy.http;

import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.secure.ApiKeys;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.Filter;
import io.helidon.webserver.http.FilterChain;
import io.helidon.webserver.http.RoutingRequest;
import io.helidon.webserver.http.RoutingResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Lets requests in that bring a key. The refusal is that of vLLM, and comes before the body is read; of paths that need no key
 * there are few, so that a new door is closed until somebody opens it.
 */
final class KeyGate implements Filter {
    private static final byte[] UNAUTHORIZED = "{\"error\":\"Unauthorized\"}".getBytes(StandardCharsets.US_ASCII);
    private static final String SLUG = "unauthorized";
    private static final String SCHEME = "Bearer ";
    /** So much of a refused body is read, because a connection that is closed before loses the answer on its way. */
    private static final int DISCARDED = 64 << 10;

    private final Supplier<Optional<ApiKeys>> keys;
    private final Set<String> free;
    private final Meters meters;

    /**
     * A gate.
     *
     * @param keys the keys as they are now; empty while no request needs one
     * @param free the paths that need none
     */
    KeyGate(Supplier<Optional<ApiKeys>> keys, Set<String> free, Meters meters) {
        this.keys = keys;
        this.free = free;
        this.meters = meters;
    }

    @Override
    public void filter(FilterChain chain, RoutingRequest request, RoutingResponse response) {
        Optional<ApiKeys> known = keys.get();
        if (known.isEmpty() || free.contains(request.path().rawPath())) {
            chain.proceed();
            return;
        }
        Optional<ApiKeys.Holder> holder = presented(request).flatMap(known.get()::holder);
        if (holder.isPresent()) {
            if (!holder.get().name().isEmpty()) {
                meters.keyUsed(holder.get().name());
            }
            chain.proceed();
        } else {
            refuse(request, response);
        }
    }

    private static Optional<String> presented(RoutingRequest request) {
        List<String> values = request.headers().contains(HeaderNames.AUTHORIZATION)
                ? request.headers().get(HeaderNames.AUTHORIZATION).allValues()
                : List.of();
        if (values.size() != 1 || !values.getFirst().regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return Optional.empty();
        }
        return Optional.of(values.getFirst().substring(SCHEME.length()).strip());
    }

    private void refuse(RoutingRequest request, RoutingResponse response) {
        meters.refused(SLUG);
        response.status(401)
                .header(HeaderValues.CONTENT_TYPE_JSON)
                .header(HeaderNames.WWW_AUTHENTICATE, SCHEME.strip())
                .header(Doors.ERROR, SLUG);
        if (request.content().hasEntity()) {
            response.header(HeaderValues.CONNECTION_CLOSE);
            response.whenSent(() -> {
                discard(request);
                throw new CloseConnectionException("the body of a refused request is not wanted");
            });
        }
        response.send(UNAUTHORIZED);
    }

    private static void discard(RoutingRequest request) {
        if (request.headers().containsToken(HeaderValues.EXPECT_100)) {
            return; // it sends nothing before it is asked to
        }
        try {
            var unused = request.content().inputStream().readNBytes(DISCARDED);
        } catch (IOException | RuntimeException e) {
            throw new CloseConnectionException("a refused request that ends too early", e);
        }
    }
}
