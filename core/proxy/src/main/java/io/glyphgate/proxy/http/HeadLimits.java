package io.glyphgate.proxy.http;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.wire.Failure;
import io.helidon.http.Header;
import io.helidon.http.Headers;
import io.helidon.webserver.http1.Http1Config;
import java.util.Optional;

/** How large the head of a request may be. */
final class HeadLimits {
    /**
     * How much larger than allowed headers may be that are read. Helidon 4.5.0 tells nobody why it refuses a head, so it is let
     * read more, and only what is far too large gets its answer, status 400.
     */
    private static final int READ = 4;
    /** The colon, a space, and the end of the line. */
    private static final int AROUND = 4;

    private HeadLimits() {}

    /** What Helidon must know. A builder, because one that copies a configuration does without the listeners that are added to it. */
    static Http1Config.Builder of(ProxyConfig.Server limits) {
        return Http1Config.builder()
                .maxPrologueLength((int) limits.maxRequestLine().bytes())
                .maxHeadersSize((int) limits.maxHeaders().bytes() * READ);
    }

    /** What a client is told whose request Helidon refused with status 414. */
    static Failure lineTooLong(ProxyConfig.Server limits) {
        return Failure.of(414, "request-line-too-long", "", "The first line of the request is over the limit of "
                + limits.maxRequestLine().bytes() + " bytes (server.max-request-line).");
    }

    /** What is wrong with the headers of a request; empty if they are not too large. */
    static Optional<Failure> check(Headers headers, ProxyConfig.Server limits) {
        long size = 0;
        int count = 0;
        for (Header header : headers) {
            for (String value : header.allValues()) {
                size += header.name().length() + value.length() + AROUND;
                count++;
            }
        }
        if (size > limits.maxHeaders().bytes()) {
            return Optional.of(Failure.of(431, "headers-too-large", "", "The headers are over the limit of "
                    + limits.maxHeaders().bytes() + " bytes together (server.max-headers)."));
        }
        return count > limits.maxHeaderCount()
                ? Optional.of(Failure.of(431, "headers-too-large", "", "The request has more than the "
                        + limits.maxHeaderCount() + " headers that it may have (server.max-header-count)."))
                : Optional.empty();
    }
}
