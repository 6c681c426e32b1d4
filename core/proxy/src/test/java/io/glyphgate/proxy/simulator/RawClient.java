package io.glyphgate.proxy.simulator;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.NullMarked;

/** A client that sends and sees the bytes as they are. Bytes are shown as ISO 8859-1. */
@NullMarked
final class RawClient implements AutoCloseable {
    static final String GENERATE = "/inference/v1/generate";

    private final Socket socket;

    RawClient(SimulatedServer server) throws IOException {
        socket = new Socket(server.uri().getHost(), server.port());
        socket.setSoTimeout(10_000);
    }

    /** Sends a generate request with the given body and further header lines. */
    RawClient generate(String body, String... headers) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        send("POST " + GENERATE + " HTTP/1.1\r\nHost: s\r\nContent-Type: application/json\r\nContent-Length: "
                + bytes.length + "\r\n" + lines(headers) + "\r\n");
        socket.getOutputStream().write(bytes);
        return this;
    }

    RawClient get(String path, String... headers) throws IOException {
        return send("GET " + path + " HTTP/1.1\r\nHost: s\r\n" + lines(headers) + "\r\n");
    }

    RawClient send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    /** Reads until what was read ends with a text; less if the server closes before. */
    String readUntil(String end) throws IOException {
        StringBuilder all = new StringBuilder();
        int next = socket.getInputStream().read();
        while (next >= 0) {
            all.append((char) next);
            if (all.length() >= end.length() && all.substring(all.length() - end.length()).equals(end)) {
                break;
            }
            next = socket.getInputStream().read();
        }
        return all.toString();
    }

    /** Reads until the server closes. */
    String readToEnd() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        socket.getInputStream().transferTo(all);
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    private static String lines(String... headers) {
        return headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
