package io.glyphgate.proxy.upstream;

import org.jspecify.annotations.Nullable;

/** A server did not do its part. */
public final class UpstreamException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** What went wrong. */
    public enum Kind {
        /** It took no connection, so it has not seen the request. */
        NO_CONNECTION,
        /** It was silent for too long. */
        TIMEOUT,
        /** It closed the connection, or sent what is no HTTP. */
        BROKEN,
        /** This side was told to stop, because the client is gone or the request was aborted. */
        CANCELLED
    }

    private final Kind kind;

    /** Says what went wrong; the message names no address, because clients may see it. */
    public UpstreamException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** What went wrong. */
    public Kind kind() {
        return kind;
    }
}
