package io.glyphgate.proxy.boot;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/** A connection to a port of this machine that sends and sees the bytes as they are, shown as ISO 8859-1. */
final class RawConnection implements AutoCloseable {
    private final Socket socket;

    RawConnection(int port) throws IOException {
        this(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    RawConnection(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout((int) Stage.LIMIT.toMillis());
    }

    RawConnection send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
        return this;
    }

    /** Reads until a text has come, or the other side closes. */
    String readUntil(String end) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        int next = read();
        while (next >= 0) {
            all.write(next);
            if (next == end.charAt(end.length() - 1) && all.toString(StandardCharsets.ISO_8859_1).endsWith(end)) {
                break;
            }
            next = read();
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    /** Reads until the other side closes. */
    String readToEnd() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int next = read(); next >= 0; next = read()) {
            all.write(next);
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    private int read() throws IOException {
        try {
            return socket.getInputStream().read();
        } catch (SocketException e) {
            return -1; // a reset: closed, with bytes of ours unread
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
