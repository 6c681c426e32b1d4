package io.glyphgate.proxy.boot;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A connection to a port of this machine that sends and sees the bytes as they are, shown as ISO 8859-1. */
final class RawConnection implements AutoCloseable {
    private static final Pattern LENGTH = Pattern.compile("(?i)\r\nContent-Length: (\\d+)\r\n");

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
        StringBuilder all = new StringBuilder();
        for (int next = read(); next >= 0; next = read()) {
            all.append((char) next);
            if (all.length() >= end.length() && all.indexOf(end, all.length() - end.length()) >= 0) {
                break;
            }
        }
        return all.toString();
    }

    /** Reads a request with a body: its head, and as many bytes as that says. False if the other side closed before. */
    boolean readRequest() throws IOException {
        Matcher length = LENGTH.matcher(readUntil("\r\n\r\n"));
        if (!length.find()) {
            return false;
        }
        int count = Integer.parseInt(length.group(1));
        return socket.getInputStream().readNBytes(count).length == count;
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
