package io.glyphgate.proxy.wire;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/**
 * An answer that says what went wrong, in vLLM's shape.
 *
 * @param status the HTTP status
 * @param slug a stable name of the reason, for {@code X-Glyphgate-Error}
 * @param param the path of the field to blame; empty if none is
 * @param message what is wrong and what to do
 * @param retryAfter when to try again
 */
public record Failure(int status, String slug, String param, String message, Optional<Duration> retryAfter) {
    /** A failure that trying again does not help. */
    public static Failure of(int status, String slug, String param, String message) {
        return new Failure(status, slug, param, message, Optional.empty());
    }

    /** A failure that may have passed after a while. */
    public static Failure passing(int status, String slug, String message, Duration retryAfter) {
        return new Failure(status, slug, "", message, Optional.of(retryAfter));
    }

    /**
     * What a server says of a failure of its own.
     *
     * @param status its status
     * @param json what it said, in one of the shapes that servers give errors
     */
    public static Failure ofServer(int status, byte[] json, int from, int to) {
        String message = "The server refused the request.";
        try {
            Map<String, ?> said = Json.object(json, from, to);
            Object error = said.get("error") instanceof Map<?, ?> inner ? inner.get("message") : said.get("error");
            for (Object each : Arrays.asList(error, said.get("message"), said.get("detail"))) {
                if (each instanceof String text) {
                    message = text;
                    break;
                }
            }
        } catch (MalformedJsonException e) {
            // what cannot be read is not shown
        }
        return of(status, "upstream-refused", "", message);
    }

    /** The slug of a body whose shape is wrong, for which vLLM has a type of its own. */
    public static final String INVALID_BODY = "invalid-body";

    /** The error as vLLM wrote it up to 0.8: one flat object. */
    public byte[] toFlatJson() {
        JsonOut out = new JsonOut();
        out.beginObject().name("object").string("error");
        out.name("message").string(message).name("type").string(type());
        out.name("param").nullValue().name("code").number(status);
        return out.endObject().toByteArray();
    }

    /** The error as FastAPI writes it: {@code {"detail": "..."}}. */
    public byte[] toDetailJson() {
        return new JsonOut().beginObject().name("detail").string(message).endObject().toByteArray();
    }

    /** The error as a JSON object. */
    public byte[] toJson() {
        JsonOut out = new JsonOut();
        write(out);
        return out.toByteArray();
    }

    /** The error as an event of a stream. */
    public byte[] toEvent() {
        JsonOut out = new JsonOut();
        out.bytes(Sse.DATA);
        write(out);
        return out.bytes(Sse.END).toByteArray();
    }

    private void write(JsonOut out) {
        out.beginObject().name("error").beginObject();
        out.name("message").string(message);
        out.name("type").string(type());
        out.name("param");
        if (param.isEmpty()) {
            out.nullValue();
        } else {
            out.string(param);
        }
        out.name("code").number(status).endObject().endObject();
    }

    /** The type that vLLM gives this status. */
    private String type() {
        if (slug.equals(INVALID_BODY)) {
            return "Bad Request";
        }
        return switch (status) {
            case 404 -> "NotFoundError";
            case 409 -> "ConflictError";
            case 413 -> "PayloadTooLargeError";
            case 429 -> "TooManyRequestsError";
            case 502 -> "BadGatewayError";
            case 503 -> "ServiceUnavailableError";
            case 504 -> "GatewayTimeoutError";
            default -> status < 500 ? "BadRequestError" : "InternalServerError";
        };
    }
}
