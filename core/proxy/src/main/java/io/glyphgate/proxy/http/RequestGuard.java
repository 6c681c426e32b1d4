package io.glyphgate.proxy.http;

import io.helidon.http.DirectHandler;
import io.helidon.http.Header;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import io.helidon.http.HttpPrologue;
import io.helidon.http.RequestException;
import io.helidon.http.Status;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http.DirectTransportRequest;
import io.helidon.webserver.http1.Http1ConnectionListener;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Refuses requests that another proxy before this one may read in another way: such are used to smuggle a second request past
 * it. A refusal closes the connection, and comes before anything is routed or read of the body. Helidon refuses most of what is
 * wrong with HTTP/1.1 messages by itself; {@code HostileRequestTest} says what it does not.
 */
final class RequestGuard implements Http1ConnectionListener {
    /** Doors have plain paths; what is behind the '?' is no matter of this class. */
    private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9._~!$&'()*+,=:@-]*)+|/");

    /** An octet that may stand escaped in a path: none that could be a part of its structure, or ends a string or a line. */
    private static final Pattern ESCAPE =
            Pattern.compile("%(?!2[35eEfF]|3[bBfF]|5[cC]|7[fF])[2-9a-fA-F][0-9a-fA-F]");

    /** What a header that goes on to servers, or back to the client, may hold. */
    private static final Pattern PRINTABLE = Pattern.compile("[ -~]*");

    private static final List<HeaderName> CARRIED = List.of(
            HeaderNames.create("X-Request-Id"), HeaderNames.create("traceparent"), HeaderNames.create("tracestate"));

    @Override
    public void prologue(ConnectionContext connection, HttpPrologue prologue) {
        String path = prologue.uriPath().rawPath();
        if (!path.startsWith("/")) {
            throw refusal("The request target must be a path that starts with '/'.");
        }
        if (path.contains("//")) {
            throw refusal("The path must not hold '//'.");
        }
        if (!PATH.matcher(ESCAPE.matcher(path).replaceAll("~")).matches()) {
            throw refusal("The path holds a character or an escape that no path of this server holds.");
        }
        for (String segment : path.split("/", -1)) {
            if (segment.equals(".") || segment.equals("..")) {
                throw refusal("The path must not hold the segments '.' and '..'.");
            }
        }
        if (prologue.fragment().hasValue()) {
            throw refusal("The request target must not hold a '#'.");
        }
    }

    @Override
    public void headers(ConnectionContext connection, Headers headers) {
        for (Header header : headers) {
            if (header.name().isEmpty()) {
                throw refusal("A header must have a name.");
            }
        }
        List<String> encodings = all(headers, HeaderNames.TRANSFER_ENCODING);
        List<String> lengths = all(headers, HeaderNames.CONTENT_LENGTH);
        if (encodings.size() + lengths.size() > 1) {
            throw refusal("The length of the body must be given once, by Content-Length or by Transfer-Encoding.");
        }
        if (!encodings.isEmpty() && !encodings.getFirst().strip().toLowerCase(Locale.ROOT).equals("chunked")) {
            throw refusal("Transfer-Encoding can be chunked only.");
        }
        for (HeaderName name : CARRIED) {
            List<String> values = all(headers, name);
            if (values.size() > 1 || !values.stream().allMatch(value -> PRINTABLE.matcher(value).matches())) {
                throw refusal(name.defaultCase() + " must be given once, in printable ASCII.");
            }
        }
    }

    private static List<String> all(Headers headers, HeaderName name) {
        return headers.contains(name) ? headers.get(name).allValues() : List.of();
    }

    private static RequestException refusal(String message) {
        return RequestException.builder()
                .type(DirectHandler.EventType.BAD_REQUEST)
                .status(Status.BAD_REQUEST_400)
                .request(DirectTransportRequest.create("HTTP/1.1", "", ""))
                .setKeepAlive(false)
                .message(message)
                .safeMessage(true)
                .build();
    }
}
