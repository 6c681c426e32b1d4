package io.glyphgate.proxy.http;

import io.glyphgate.proxy.generate.Plan;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.secure.ApiKeys;
import io.glyphgate.proxy.wire.Dialect;
import io.glyphgate.proxy.wire.Failure;
import io.helidon.http.HeaderName;
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
    private static final HeaderName KEY = HeaderNames.create("x-api-key");
    private static final Failure REFUSAL =
            Failure.of(401, SLUG, "", "The request brings no key that is known here (x-api-key, or Authorization: Bearer).");
    private static final String SCHEME = "Bearer ";
    /** So much of a refused body is read, because a connection that is closed before loses the answer on its way. */
    private static final int DISCARDED = 64 << 10;

    private final Supplier<Optional<ApiKeys>> keys;
    private final Set<String> free;
    private final Set<String> anthropic;
    private final Meters meters;

    /**
     * A gate.
     *
     * @param keys the keys as they are now; empty while no request needs one
     * @param free the paths that need none
     * @param anthropic the paths of Anthropic's API, whose clients bring their key in a header of its own
     */
    KeyGate(Supplier<Optional<ApiKeys>> keys, Set<String> free, Set<String> anthropic, Meters meters) {
        this.keys = keys;
        this.free = free;
        this.anthropic = anthropic;
        this.meters = meters;
    }

    @Override
    public void filter(FilterChain chain, RoutingRequest request, RoutingResponse response) {
        Optional<ApiKeys> known = keys.get();
        if (known.isEmpty() || free.contains(request.path().rawPath())) {
            chain.proceed();
            return;
        }
        boolean ofAnthropic = anthropic.contains(request.path().rawPath());
        Optional<ApiKeys.Holder> holder = presented(request)
                .or(() -> ofAnthropic ? only(request, KEY) : Optional.empty()).flatMap(known.get()::holder);
        if (holder.isPresent()) {
            if (!holder.get().name().isEmpty()) {
                meters.keyUsed(holder.get().name());
            }
            chain.proceed();
        } else {
            refuse(request, response, ofAnthropic ? Dialect.ANTHROPIC.body(REFUSAL, Plan.newId()) : UNAUTHORIZED);
        }
    }

    private static Optional<String> presented(RoutingRequest request) {
        return only(request, HeaderNames.AUTHORIZATION)
                .filter(value -> value.regionMatches(true, 0, SCHEME, 0, SCHEME.length()))
                .map(value -> value.substring(SCHEME.length()).strip());
    }

    /** The value of a header that is there once. */
    private static Optional<String> only(RoutingRequest request, HeaderName name) {
        List<String> values = request.headers().contains(name) ? request.headers().get(name).allValues() : List.of();
        return values.size() == 1 ? Optional.of(values.getFirst()) : Optional.empty();
    }

    private void refuse(RoutingRequest request, RoutingResponse response, byte[] body) {
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
        response.send(body);
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
