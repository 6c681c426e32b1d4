package io.glyphgate.proxy.wire;

import java.util.Optional;

/** How a door speaks beside its answers: how it tells of failures, and how a stream shows that it lives and that it has ended. */
public enum Dialect {
    /** vLLM's, which is that of OpenAI's API. */
    OPENAI {
        @Override
        public byte[] body(Failure failure, String requestId) {
            return failure.toJson();
        }

        @Override
        public byte[] event(Failure failure) {
            return failure.toEvent();
        }

        @Override
        public byte[] refusal(int status, byte[] body, String requestId) {
            return body;
        }

        @Override
        public void serverError(SseReader event, JsonOut out) {
            out.bytes(event.raw(), event.rawFrom(), event.rawTo());
        }

        @Override
        public byte[] keepAlive() {
            return Sse.KEEP_ALIVE;
        }

        @Override
        public byte[] endMark() {
            return Sse.DONE;
        }

        @Override
        public Optional<String> requestIdHeader() {
            return Optional.empty();
        }
    },

    /** That of Anthropic's API. The answer itself ends its streams, and a failure ends them, too. */
    ANTHROPIC {
        @Override
        public byte[] body(Failure failure, String requestId) {
            JsonOut out = new JsonOut();
            out.beginObject().name("type").string("error");
            error(failure, out.name("error"));
            return out.name("request_id").string(requestId).endObject().toByteArray();
        }

        @Override
        public byte[] event(Failure failure) {
            JsonOut out = new JsonOut();
            out.bytes(Sse.ERROR).beginObject().name("type").string("error");
            error(failure, out.name("error"));
            return out.endObject().endValue().bytes(Sse.END).toByteArray();
        }

        @Override
        public byte[] refusal(int status, byte[] body, String requestId) {
            return body(Failure.ofServer(status, body, 0, body.length), requestId);
        }

        @Override
        public void serverError(SseReader event, JsonOut out) {
            out.bytes(event(Failure.ofServer(500, event.data(), event.dataFrom(), event.dataTo())));
        }

        @Override
        public byte[] keepAlive() {
            return Sse.PING;
        }

        @Override
        public byte[] endMark() {
            return new byte[0];
        }

        @Override
        public Optional<String> requestIdHeader() {
            return Optional.of("request-id");
        }
    };

    /** The body of an answer that tells of a failure. */
    public abstract byte[] body(Failure failure, String requestId);

    /** The event that tells of a failure in a stream. */
    public abstract byte[] event(Failure failure);

    /**
     * The body of an answer that passes a server's refusal on.
     *
     * @param status the server's status
     * @param body its body, JSON
     */
    public abstract byte[] refusal(int status, byte[] body, String requestId);

    /**
     * Passes an error on that a server tells of in its stream.
     *
     * @param out gains the event for the client
     */
    public abstract void serverError(SseReader event, JsonOut out);

    /** What a stream sends that was silent for long; not to be changed. */
    public abstract byte[] keepAlive();

    /** What ends a stream behind its answer; not to be changed, possibly empty. */
    public abstract byte[] endMark();

    /** The header that carries the ID of the request, if it has a name of its own here. */
    public abstract Optional<String> requestIdHeader();

    /** The type that Anthropic's API gives a status. */
    private static void error(Failure failure, JsonOut out) {
        String type = switch (failure.status()) {
            case 401 -> "authentication_error";
            case 403 -> "permission_error";
            case 404 -> "not_found_error";
            case 413 -> "request_too_large";
            case 429 -> "rate_limit_error";
            case 503 -> "overloaded_error";
            case 504 -> "timeout_error";
            default -> failure.status() < 500 ? "invalid_request_error" : "api_error";
        };
        out.beginObject().name("type").string(type).name("message").string(failure.message()).endObject();
    }
}
