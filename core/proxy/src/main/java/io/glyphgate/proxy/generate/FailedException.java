package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.wire.Failure;
import org.jspecify.annotations.Nullable;

/** A request that ends with an error, and knows what its client is told. */
public class FailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Failure failure;

    /**
     * An error.
     *
     * @param failure what the client is told
     * @param cause what led to it; null if nothing else did
     */
    public FailedException(Failure failure, @Nullable Throwable cause) {
        super(failure.message(), cause, false, false);
        this.failure = failure;
    }

    /** What the client is told. */
    public Failure failure() {
        return failure;
    }
}
