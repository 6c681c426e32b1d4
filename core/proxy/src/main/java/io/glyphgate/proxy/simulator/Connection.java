package io.glyphgate.proxy.simulator;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a client, served by one thread: request after request until one side has enough.
 *
 * <p>This is a small HTTP/1.1 server of its own and not Helidon, because the point of it is to send broken HTTP.
 */
final class Connection {
    private static final int MAX_HEAD = 64 * 1024;

    private final Socket socket;
    private final Inbound in;
    private final OutputStream out;
    private volatile @Nullable ActiveRequest current;
    private boolean stale;

    /** Answers one request. */
    interface Handler {
        /** Answers; the reply takes exactly one answer. */
        void answer(ReceivedRequest request, ActiveRequest active, Reply reply)
                throws IOException, InterruptedException;
    }

    /** Ends a connection on purpose. */
    static final class OverException extends IOException {
        private static final long serialVersionUID = 1;

        OverException(String reason) {
            super(reason);
        }
    }

    Connection(Socket socket, Executor executor) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        in = new Inbound(socket.getInputStream(), this::clientLeft);
        out = new BufferedOutputStream(socket.getOutputStream(), 16 * 1024);
        executor.execute(in::readAhead);
    }

    /**
     * Serves the connection until it is over, and closes it.
     *
     * @param handler answers the requests
     */
    void serve(Handler handler) throws InterruptedException {
        try (socket) {
            ReceivedRequest request = read();
            while (request != null && !stale && answer(request, handler)) {
                request = read();
            }
        } catch (IOException e) {
            // The client left, or the answer was meant to end like this. Either way the connection is all that ends.
        } finally {
            in.end();
        }
    }

    /** Closes the connection from another thread. */
    void close() throws IOException {
        socket.close();
        in.end();
        clientLeft();
    }

    /** Where the bytes of answers go. */
    OutputStream out() {
        return out;
    }

    /** Makes closing the connection a reset. */
    void resetOnClose() throws IOException {
        socket.setSoLinger(true, 0);
    }

    /** Closes the connection instead of answering the next request. */
    void goStale() {
        stale = true;
    }

    private boolean answer(ReceivedRequest request, Handler handler) throws IOException, InterruptedException {
        ActiveRequest active = new ActiveRequest();
        current = active;
        if (in.ended()) {
            clientLeft();
        }
        // other simulated servers, and who asks for engines, come with a connection of their own, so that clients' connections can be counted
        boolean keepAlive = !"close".equalsIgnoreCase(request.headers().getOrDefault("connection", ""))
                && !request.path().equals(KvSide.TAKE)
                && !request.path().equals(KvSide.QUERY);
        try {
            handler.answer(request, active, new Reply(this, active, keepAlive));
        } finally {
            current = null;
        }
        return keepAlive;
    }

    private void clientLeft() {
        ActiveRequest active = current;
        if (active != null) {
            active.end(ActiveRequest.End.CLIENT_LEFT);
        }
    }

    /** Reads the next request; null if the client has closed the connection. */
    private @Nullable ReceivedRequest read() throws IOException {
        String head = readHead();
        if (head == null) {
            return null;
        }
        String[] lines = head.split("\r\n", -1);
        String[] requestLine = lines[0].split(" ", -1);
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon <= 0) {
                throw refuse();
            }
            headers.merge(
                    lines[i].substring(0, colon), lines[i].substring(colon + 1).strip(), (a, b) -> a + ", " + b);
        }
        if (requestLine.length != 3 || !requestLine[2].startsWith("HTTP/1.")) {
            throw refuse();
        }
        return new ReceivedRequest(
                requestLine[0], requestLine[1], Collections.unmodifiableMap(headers), readBody(headers));
    }

    private @Nullable String readHead() throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream(512);
        int matched = 0;
        while (matched < 4) {
            int next = in.read();
            if (next < 0) {
                return null;
            }
            head.write(next);
            matched = next == "\r\n\r\n".charAt(matched) ? matched + 1 : next == '\r' ? 1 : 0;
            if (head.size() > MAX_HEAD) {
                throw refuse();
            }
        }
        return head.toString(StandardCharsets.ISO_8859_1).substring(0, head.size() - 4);
    }

    private String readBody(Map<String, String> headers) throws IOException {
        boolean chunked = headers.getOrDefault("transfer-encoding", "").equalsIgnoreCase("chunked");
        long length = chunked ? 0 : number(headers.getOrDefault("content-length", "0"), 10);
        if (!chunked && length == 0) {
            return "";
        }
        if (headers.getOrDefault("expect", "").equalsIgnoreCase("100-continue")) {
            out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        if (chunked) {
            readChunks(body);
        } else {
            copy(length, body);
        }
        return body.toString(StandardCharsets.UTF_8);
    }

    private void readChunks(ByteArrayOutputStream body) throws IOException {
        long size = chunkSize();
        while (size > 0) {
            copy(size, body);
            line();
            size = chunkSize();
        }
        while (!line().isEmpty()) {
            // Trailers say nothing that matters here.
        }
    }

    private long chunkSize() throws IOException {
        String line = line();
        int extension = line.indexOf(';');
        return number((extension < 0 ? line : line.substring(0, extension)).strip(), 16);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        int next = in.read();
        while (next != '\n') {
            if (next < 0) {
                throw new EOFException("the client left in the middle of a request");
            }
            if (next != '\r') {
                line.append((char) next);
            }
            next = in.read();
        }
        return line.toString();
    }

    private void copy(long length, OutputStream target) throws IOException {
        byte[] piece = new byte[8 * 1024];
        long left = length;
        while (left > 0) {
            int count = in.read(piece, 0, (int) Math.min(piece.length, left));
            if (count < 0) {
                throw new EOFException("the client left in the middle of a request");
            }
            target.write(piece, 0, count);
            left -= count;
        }
    }

    private long number(String text, int radix) throws IOException {
        try {
            return Long.parseUnsignedLong(text, radix);
        } catch (NumberFormatException e) {
            throw refuse();
        }
    }

    private IOException refuse() throws IOException {
        new Reply(this, new ActiveRequest(), false)
                .send(400, "text/plain; charset=utf-8", "Invalid HTTP request received.", Map.of());
        return new OverException("not HTTP");
    }
}
