package io.glyphgate.proxy.generate;

import org.jspecify.annotations.Nullable;

/** The client has closed the connection, or was cut because it took no bytes: there is nobody to answer. */
public final class ClientGoneException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Says how it was noticed. */
    public ClientGoneException(@Nullable Throwable cause) {
        super("the client is gone", cause, false, false);
    }
}
