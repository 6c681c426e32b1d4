package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.proxy.pool.AbortedException;
import io.glyphgate.proxy.pool.PoolFullException;
import io.glyphgate.proxy.route.MisroutedException;
import io.glyphgate.proxy.upstream.UpstreamException;
import io.glyphgate.proxy.wire.BadAnswerException;
import io.glyphgate.proxy.wire.Failure;
import io.glyphgate.proxy.wire.InvalidBodyException;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.spi.InvalidRequestException;
import java.io.EOFException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The one table from what can go wrong to what the client is told. */
public final class Failures {
    private static final System.Logger LOG = System.getLogger(Failures.class.getName());
    private static final String REQUEST_ID = "X-Request-Id";
    private static final Duration SOON = Duration.ofSeconds(1);

    private Failures() {}

    /** What the client is told. */
    public static Failure of(Exception e) {
        return switch (e) {
            case MalformedJsonException x ->
                Failure.of(502, "upstream-bad-answer", "", "The server's answer cannot be read: " + message(x) + ".");
            case BadAnswerException x ->
                Failure.of(502, "upstream-bad-answer", "", "The server's answer cannot be read: " + message(x) + ".");
            case EOFException x -> Failure.of(502, "upstream-broken", "", "The server ended its answer too early.");
            case FailedException x -> x.failure();
            case RefusedException x -> x.failure();
            case InvalidRequestException x -> Failure.of(400, "invalid-request", x.param(), message(x));
            case InvalidBodyException x -> Failure.of(400, Failure.INVALID_BODY, x.param(), message(x));
            case MisroutedException x -> Failure.of(x.status(), x.slug(), x.param(), message(x));
            case UpstreamException x -> upstream(x);
            case PoolFullException x -> Failure.passing(429, slug(x.reason()), message(x), x.retryAfter());
            case AbortedException x -> Failure.of(409, "aborted", "", message(x));
            case InterruptedException x -> Failure.passing(503, "cancelled", "The request was cancelled.", SOON);
            case PluginFailedException x -> {
                LOG.log(System.Logger.Level.ERROR, message(x), x);
                yield Failure.of(
                        500, "plugin-failed", "", "The " + x.kind().label() + " '" + x.plugin() + "' of this proxy failed on this output.");
            }
            default -> {
                LOG.log(System.Logger.Level.ERROR, "a request failed for a reason that nobody thought of", e);
                yield Failure.of(500, "internal", "", "The proxy failed; its log says why.");
            }
        };
    }

    /**
     * Tells the client.
     *
     * @param requestId the ID of the request; empty for that of the client's header, or a new one
     */
    public static void send(Client client, Failure failure, Optional<String> requestId) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", "application/json");
        headers.put("X-Glyphgate-Error", failure.slug());
        String id = requestId.or(() -> client.header(REQUEST_ID)).orElseGet(Plan::newId);
        headers.put(REQUEST_ID, id);
        failure.retryAfter().ifPresent(time -> headers.put("Retry-After", String.valueOf(Math.max(1, time.plusMillis(999).toSeconds()))));
        client.answer(failure.status(), headers, client.dialect().body(failure, id));
    }

    private static String slug(PoolFullException.Reason reason) {
        return switch (reason) {
            case QUEUE_FULL -> "queue-full";
            case QUEUE_TIMEOUT -> "queue-timeout";
        };
    }

    private static Failure upstream(UpstreamException e) {
        return switch (e.kind()) {
            case NO_CONNECTION -> Failure.passing(503, "no-endpoint", message(e), SOON);
            case TIMEOUT -> Failure.of(504, "upstream-timeout", "", message(e));
            case BROKEN -> Failure.of(502, "upstream-broken", "", message(e));
            case CANCELLED -> Failure.passing(503, "cancelled", message(e), SOON);
        };
    }

    private static String message(Exception e) {
        return String.valueOf(e.getMessage());
    }
}
