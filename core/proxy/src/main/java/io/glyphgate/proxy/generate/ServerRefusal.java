package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.upstream.Leg;
import io.glyphgate.proxy.upstream.UpstreamException;
import java.util.Optional;

/**
 * What a server answered instead of an output.
 *
 * @param status the HTTP status, 400 or more
 * @param json whether its body is JSON that can be read as it is
 * @param retryAfter when it wants to be asked again
 * @param body its body
 */
record ServerRefusal(int status, boolean json, Optional<String> retryAfter, byte[] body) {
    /**
     * Reads the rest of an answer.
     *
     * @throws UpstreamException if it does not come
     */
    static ServerRefusal read(Leg leg) {
        boolean json = leg.mediaType().equals("application/json") && AnswerWriter.encoding(leg).isEmpty();
        return new ServerRefusal(leg.status(), json, leg.header("Retry-After"), leg.wholeBody());
    }
}
