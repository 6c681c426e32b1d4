package io.glyphgate.proxy.loop;

import java.io.IOException;

/** What is done each time when bytes have come. */
@FunctionalInterface
public interface Step {
    /**
     * Takes what has come, without waiting.
     *
     * @return whether it waits for more; else it is over on the loop
     * @throws IOException which ends it, as any other exception does
     */
    boolean run() throws IOException;
}
