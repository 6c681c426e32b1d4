package io.glyphgate.proxy.pool;

/** A request was aborted by its ID while it waited for an endpoint. */
public final class AbortedException extends Exception {
    private static final long serialVersionUID = 1;

    AbortedException() {
        super("The request was aborted by its ID while it waited for a server.", null, false, false);
    }
}
