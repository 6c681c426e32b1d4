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

/**
 * Refuses requests that another proxy before this one may read in another way: such are used to smuggle a second request past
 * it. A refusal closes the connection, and comes before anything is routed or read of the body. Helidon refuses most of what is
 * wrong with HTTP/1.1 messages by itself; {@code HostileRequestTest} says what it does not.
 */
final class RequestGuard implements Http1ConnectionListener {
    /** What may stand in a path beside letters and digits. Doors have plain paths; what is behind the '?' is no matter of this class. */
    private static final String MARKS = "/._~!$&'()*+,=:@-";

    /** What may not stand escaped in a path: what could be a part of its structure. */
    private static final String STRUCTURE = "#%./;?\\";

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
        if (!isPlain(path)) {
            throw refusal("The path holds a character or an escape that no path of this server holds.");
        }
        if (path.contains("/.") && hasDots(path)) {
            throw refusal("The path must not hold the segments '.' and '..'.");
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
        if (encodings.size() + all(headers, HeaderNames.CONTENT_LENGTH).size() > 1) {
            throw refusal("The length of the body must be given once, by Content-Length or by Transfer-Encoding.");
        }
        if (!encodings.isEmpty() && !encodings.getFirst().strip().toLowerCase(Locale.ROOT).equals("chunked")) {
            throw refusal("Transfer-Encoding can be chunked only.");
        }
        for (HeaderName name : CARRIED) {
            List<String> values = all(headers, name);
            if (values.size() > 1 || (!values.isEmpty() && !isPrintable(values.getFirst()))) {
                throw refusal(name.defaultCase() + " must be given once, in printable ASCII.");
            }
        }
    }

    /** Whether a path holds nothing but what may stand in one; an escape stands for a printable octet, or one of another alphabet. */
    private static boolean isPlain(String path) {
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c == '%') {
                int octet = i + 2 < path.length() ? 16 * hex(path.charAt(i + 1)) + hex(path.charAt(i + 2)) : -1;
                if (octet < ' ' || octet == 0x7F || STRUCTURE.indexOf(octet) >= 0) {
                    return false;
                }
                i += 2;
            } else if (!isLetterOrDigit(c) && MARKS.indexOf(c) < 0) {
                return false;
            }
        }
        return true;
    }

    /** The value of a digit; far below 0 for what is none. */
    private static int hex(char c) {
        return c < 0x80 && Character.digit(c, 16) >= 0 ? Character.digit(c, 16) : -1000;
    }

    private static boolean isLetterOrDigit(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }

    private static boolean hasDots(String path) {
        for (String segment : path.split("/", -1)) {
            if (segment.equals(".") || segment.equals("..")) {
                return true;
            }
        }
        return false;
    }

    /** Whether a value may go on to servers, or back to the client. */
    private static boolean isPrintable(String value) {
        for (int i = 0; i < value.length(); i++) {
            if (value.charAt(i) < ' ' || value.charAt(i) > '~') {
                return false;
            }
        }
        return true;
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
