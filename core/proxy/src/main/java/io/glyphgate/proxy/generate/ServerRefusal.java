package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.upstream.Leg;
import io.glyphgate.proxy.upstream.UpstreamException;
import java.util.Optional;

/**
 * What a server answered instead of an output.
 *
 * @param status the HTTP status, 400 or more
 * @param mediaType what its body is, in lower case
 * @param retryAfter when it wants to be asked again
 * @param body its body
 */
record ServerRefusal(int status, String mediaType, Optional<String> retryAfter, byte[] body) {
    /**
     * Reads the rest of an answer.
     *
     * @throws UpstreamException if it does not come
     */
    static ServerRefusal read(Leg leg) {
        return new ServerRefusal(leg.status(), leg.mediaType(), leg.header("Retry-After"), leg.wholeBody());
    }
}
