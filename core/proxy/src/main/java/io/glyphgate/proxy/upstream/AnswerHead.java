package io.glyphgate.proxy.upstream;

import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The head of an HTTP/1.1 answer.
 *
 * @param status the status
 * @param persistent whether the connection may take another request behind the answer
 * @param fields the headers
 */
record AnswerHead(int status, boolean persistent, List<Field> fields) {
    private static final String LINE_END = "\r\n";
    private static final int STATUS_END = "HTTP/1.1 200".length();

    /** A header. */
    record Field(String name, String value) {}

    /**
     * Where a head ends.
     *
     * @param from where to look on
     * @return the place behind the empty line; -1 if it is not there
     */
    static int end(byte[] bytes, int from, int to) {
        for (int i = Math.max(from, 3); i < to; i++) {
            if (bytes[i] == '\n' && bytes[i - 1] == '\r' && bytes[i - 2] == '\n' && bytes[i - 3] == '\r') {
                return i + 1;
            }
        }
        return -1;
    }

    /**
     * Reads a head.
     *
     * @param to the place behind the empty line
     * @throws ProtocolException if it is none
     */
    static AnswerHead read(byte[] bytes, int to) throws ProtocolException {
        String text = new String(bytes, 0, to - 2, StandardCharsets.ISO_8859_1);
        int end = text.indexOf(LINE_END);
        String first = text.substring(0, end);
        boolean known = first.startsWith("HTTP/1.1 ") || first.startsWith("HTTP/1.0 ");
        if (!known || first.length() < STATUS_END || (first.length() > STATUS_END && first.charAt(STATUS_END) != ' ')) {
            throw new ProtocolException("the answer does not begin with a status line of HTTP/1.1");
        }
        int status = number(first.substring(STATUS_END - 3, STATUS_END), 3);
        List<Field> fields = new ArrayList<>();
        boolean closes = first.startsWith("HTTP/1.0");
        for (int at = end + LINE_END.length(); at < text.length(); at = end + LINE_END.length()) {
            end = text.indexOf(LINE_END, at);
            Field field = field(text.substring(at, end));
            fields.add(field);
            closes |= field.name.equalsIgnoreCase("Connection") && hasToken(field.value, "close");
        }
        return new AnswerHead(status, !closes, List.copyOf(fields));
    }

    private static Field field(String line) throws ProtocolException {
        int colon = line.indexOf(':');
        boolean whole = colon > 0 && line.indexOf('\n') < 0 && line.indexOf('\r') < 0;
        for (int i = 0; whole && i < colon; i++) {
            whole = isName(line.charAt(i));
        }
        if (!whole) {
            throw new ProtocolException("a line of the head is no header");
        }
        return new Field(line.substring(0, colon), line.substring(colon + 1).strip());
    }

    private static boolean isName(char c) {
        return c > ' ' && c < 0x7F && "\"(),/:;<=>?@[\\]{}".indexOf(c) < 0;
    }

    private static boolean hasToken(String value, String token) {
        for (String each : value.split(",", -1)) {
            if (each.strip().equalsIgnoreCase(token)) {
                return true;
            }
        }
        return false;
    }

    private static int number(String text, int digits) throws ProtocolException {
        boolean number = !text.isEmpty() && text.length() <= digits;
        for (int i = 0; number && i < text.length(); i++) {
            number = text.charAt(i) >= '0' && text.charAt(i) <= '9';
        }
        if (!number) {
            throw new ProtocolException("a number is expected in the head of the answer");
        }
        return Integer.parseInt(text);
    }

    /** Whether it only announces another head. */
    boolean isInterim() {
        return status >= 100 && status < 200;
    }

    /** A header; the name in any case. */
    Optional<String> header(String name) {
        for (Field field : fields) {
            if (field.name.equalsIgnoreCase(name)) {
                return Optional.of(field.value);
            }
        }
        return Optional.empty();
    }

    private int count(String name) {
        int count = 0;
        for (Field field : fields) {
            count += field.name.equalsIgnoreCase(name) ? 1 : 0;
        }
        return count;
    }

    /**
     * What reads the body.
     *
     * @throws ProtocolException if the end of the body is said twice, or in a way that nobody asked for: behind such an answer
     *     might be what is no answer to the next request
     */
    BodyDecoder decoder() throws ProtocolException {
        if (count("Content-Length") + count("Transfer-Encoding") > 1) {
            throw new ProtocolException("the server says twice how long its answer is");
        }
        if (status == 204 || status == 304) {
            return BodyDecoder.ofLength(0);
        }
        Optional<String> encoding = header("Transfer-Encoding");
        if (encoding.isPresent()) {
            if (!encoding.get().equalsIgnoreCase("chunked")) {
                throw new ProtocolException("the answer has an encoding that nobody asked for");
            }
            return BodyDecoder.chunked();
        }
        Optional<String> length = header("Content-Length");
        return length.isPresent() ? BodyDecoder.ofLength(number(length.get(), 9)) : BodyDecoder.untilEnd();
    }
}
