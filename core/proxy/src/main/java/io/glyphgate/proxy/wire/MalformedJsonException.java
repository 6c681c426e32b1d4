package io.glyphgate.proxy.wire;

import java.io.IOException;

/** What should be JSON is not, or has not the shape of vLLM's answers. */
public final class MalformedJsonException extends IOException {
    private static final long serialVersionUID = 1;

    /** Says what is wrong. */
    public MalformedJsonException(String message) {
        super(message);
    }
}
