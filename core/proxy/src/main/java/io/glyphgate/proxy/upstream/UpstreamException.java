package io.glyphgate.proxy.upstream;

import io.glyphgate.proxy.pool.Trouble;
import java.util.Optional;
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

    /** How the server failed; empty if it was not the server. */
    Optional<Trouble> trouble() {
        return switch (kind) {
            case NO_CONNECTION -> Optional.of(Trouble.NO_CONNECTION);
            case TIMEOUT -> Optional.of(Trouble.TIMEOUT);
            case BROKEN -> Optional.of(Trouble.BROKEN);
            case CANCELLED -> Optional.empty();
        };
    }
}
