package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.wire.Failure;
import org.jspecify.annotations.Nullable;

/** A request that ends with an error. */
final class FailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Failure failure;

    FailedException(Failure failure, @Nullable Throwable cause) {
        super(failure.message(), cause, false, false);
        this.failure = failure;
    }

    Failure failure() {
        return failure;
    }
}
