package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.generate.FailedException;
import io.glyphgate.proxy.wire.Failure;

/** A client brings a state of a stream that this proxy does not go on with. */
final class RefusedStateException extends FailedException {
    private static final long serialVersionUID = 1;

    /**
     * A refusal.
     *
     * @param why what is wrong with the state, and what to do
     */
    RefusedStateException(String why) {
        super(Failure.of(400, "stream-state", "stream_state", "stream_state cannot be used: " + why + "."), null);
    }
}
