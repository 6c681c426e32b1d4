package io.glyphgate.proxy.soak;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A client on a bare socket. It sends the bytes that it is told to, and sees what comes as it came, so that an answer that is
 * cut does not look like one that has ended.
 */
public final class BareClient implements AutoCloseable {
    private static final int LONGEST_LINE = 64 << 10;

    private final Socket socket = new Socket();
    private final InputStream in;

    /** How an answer ended. */
    public enum End {
        /** As its headers promise. */
        WHOLE,
        /** The connection ended in the middle of it. */
        CUT,
        /** The connection ended before it. */
        NOTHING,
        /** Nothing more came in time. */
        SILENCE
    }

    /**
     * An answer.
     *
     * @param status the HTTP status; 0 if none came
     * @param headers the headers; names in any case
     * @param body what came of the body
     */
    public record Answer(int status, Map<String, String> headers, String body, End end) {
        /** A header; empty if it is not there. */
        public String header(String name) {
            return headers.getOrDefault(name, "");
        }
    }

    /**
     * Connects.
     *
     * @param server whom to connect to
     * @param patience how long to wait for bytes
     */
    public BareClient(URI server, Duration patience) throws IOException {
        this(server, patience, 0);
    }

    /**
     * Connects, with a small buffer for what comes.
     *
     * @param buffer its size in bytes; 0 for the system's own choice
     */
    public BareClient(URI server, Duration patience, int buffer) throws IOException {
        if (buffer > 0) {
            socket.setReceiveBufferSize(buffer);
        }
        socket.connect(new InetSocketAddress(server.getHost(), server.getPort()), (int) patience.toMillis());
        socket.setSoTimeout((int) patience.toMillis());
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** A whole request that posts JSON. */
    public static byte[] post(String path, String body, String... headers) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        String head = "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: " + bytes.length
                + "\r\n" + (headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n") + "\r\n";
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(head.getBytes(StandardCharsets.ISO_8859_1));
        all.writeBytes(bytes);
        return all.toByteArray();
    }

    /** Sends bytes. */
    public BareClient send(byte[] bytes) throws IOException {
        return send(bytes, 0, bytes.length);
    }

    /** Sends some of the bytes. */
    public BareClient send(byte[] bytes, int from, int to) throws IOException {
        socket.getOutputStream().write(bytes, from, to - from);
        return this;
    }

    /** Says that nothing more is sent. */
    public void halfClose() throws IOException {
        socket.shutdownOutput();
    }

    /** Ends the connection by a reset. */
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** Takes nothing for a while. */
    public void dawdle(Duration time) {
        LockSupport.parkNanos(time.toNanos());
    }

    /** Reads until a text has come; false if the connection ends, or nothing comes in time, before. */
    public boolean reads(String text) throws IOException {
        StringBuilder seen = new StringBuilder();
        try {
            while (seen.indexOf(text) < 0) {
                int next = in.read();
                if (next < 0) {
                    return false;
                }
                seen.append((char) next);
            }
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    /** Waits for the end of the connection; whether it came in time. What comes before is read for nothing. */
    public boolean ends() {
        try {
            byte[] rest = new byte[8192];
            while (in.read(rest) >= 0) {
                // it is not wanted
            }
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true; // a reset is an end, too
        }
    }

    /** Reads one answer. */
    public Answer answer() {
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        int status = 0;
        End end;
        try {
            String first = line();
            if (first == null) {
                return new Answer(0, headers, "", End.NOTHING);
            }
            status = Integer.parseInt(first.split(" ", 3)[1]);
            for (String line = line(); line != null && !line.isEmpty(); line = line()) {
                int colon = line.indexOf(':');
                headers.put(line.substring(0, colon), line.substring(colon + 1).strip());
            }
            end = headers.getOrDefault("Transfer-Encoding", "").equalsIgnoreCase("chunked")
                    ? chunks(body)
                    : copy(Long.parseLong(headers.getOrDefault("Content-Length", "0")), body);
        } catch (SocketTimeoutException e) {
            end = End.SILENCE;
        } catch (IOException e) {
            end = status == 0 ? End.NOTHING : End.CUT;
        } catch (RuntimeException e) { // what came is no HTTP
            end = End.CUT;
        }
        return new Answer(status, headers, body.toString(StandardCharsets.UTF_8), end);
    }

    private End chunks(ByteArrayOutputStream body) throws IOException {
        while (true) {
            String size = line();
            if (size == null) {
                return End.CUT;
            }
            long length = Long.parseLong(size.strip(), 16);
            if (copy(length, body) == End.CUT || line() == null) {
                return End.CUT;
            }
            if (length == 0) {
                return End.WHOLE;
            }
        }
    }

    private End copy(long length, ByteArrayOutputStream body) throws IOException {
        byte[] piece = new byte[8192];
        for (long left = length; left > 0; ) {
            int count = in.read(piece, 0, (int) Math.min(left, piece.length));
            if (count < 0) {
                return End.CUT;
            }
            body.write(piece, 0, count);
            left -= count;
        }
        return End.WHOLE;
    }

    /** A line without its end; null where the connection ends before. */
    private @Nullable String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0 || line.length() > LONGEST_LINE) {
                return null;
            }
            line.append((char) next);
        }
        int end = line.length() - 1;
        return end >= 0 && line.charAt(end) == '\r' ? line.substring(0, end) : line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
