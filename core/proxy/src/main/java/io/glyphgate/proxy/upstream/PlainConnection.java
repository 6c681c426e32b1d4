package io.glyphgate.proxy.upstream;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A connection without TLS, on which HTTP/1.1 is spoken without a library: it reads into one buffer, gives out all that a read has
 * brought, and allocates nothing meanwhile. Helidon's client hands over one chunk at a time, and cannot tell whether more is there.
 */
final class PlainConnection extends Connection {
    private static final System.Logger LOG = System.getLogger(PlainConnection.class.getName());
    private static final int BUFFER = 16 << 10;
    private static final int MOST_HEAD = 64 << 10;

    private final SocketChannel channel;
    private final String authority;
    private byte[] buffer = new byte[BUFFER];
    private ByteBuffer view = ByteBuffer.wrap(buffer);
    private int at;
    private int filled;
    private boolean silent = true;
    private boolean onLoop;
    /** Whether a loop has not read in this round: a server that sends fast must not keep it from the others. */
    private boolean mayRead;

    private @Nullable AnswerHead head;
    private BodyDecoder body = BodyDecoder.ofLength(0);

    /**
     * Connects.
     *
     * @param limit how long that may take
     */
    PlainConnection(Connections.Target target, URI server, Duration limit) throws IOException {
        super(target);
        authority = server.getRawAuthority();
        InetSocketAddress address = new InetSocketAddress(server.getHost(), server.getPort() < 0 ? 80 : server.getPort());
        if (address.isUnresolved()) {
            throw new UnknownHostException("nobody knows the host of a server");
        }
        channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            channel.socket().connect(address, (int) limit.toMillis());
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    void ask(Request request) throws IOException {
        silent = true;
        at = 0;
        filled = 0;
        byte[] json = request.body();
        ByteBuffer[] all = {ByteBuffer.wrap(head(request)), ByteBuffer.wrap(json == null ? new byte[0] : json)};
        while (all[0].hasRemaining() || all[1].hasRemaining()) {
            channel.write(all);
        }
        AnswerHead read = readHead();
        while (read.isInterim()) {
            if (read.status() == 101) {
                throw new ProtocolException("the server speaks another protocol from now on, which nobody asked for");
            }
            read = readHead();
        }
        head = read;
        body = read.decoder();
    }

    private byte[] head(Request request) {
        StringBuilder text = new StringBuilder(256);
        text.append(request.method()).append(' ').append(request.path()).append(" HTTP/1.1\r\n");
        field(text, "Host", authority);
        for (Map.Entry<String, String> each : request.headers().entrySet()) {
            field(text, each.getKey(), each.getValue());
        }
        field(text, "Accept-Encoding", "identity"); // an answer is read, or passed on, as it comes
        byte[] json = request.body();
        if (json != null) {
            field(text, "Content-Type", "application/json");
            field(text, "Content-Length", String.valueOf(json.length));
        }
        return text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void field(StringBuilder text, String name, String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if ((c < ' ' && c != '\t') || c == 0x7F) {
                throw new IllegalArgumentException("the value of the header " + name + " holds a control character");
            }
        }
        text.append(name).append(": ").append(value).append("\r\n");
    }

    private AnswerHead readHead() throws IOException {
        int scanned = at;
        while (true) {
            int end = AnswerHead.end(buffer, Math.max(scanned, at + 3), filled);
            if (end >= 0) {
                AnswerHead read = AnswerHead.read(Arrays.copyOfRange(buffer, at, end), end - at);
                at = end;
                return read;
            }
            scanned = filled;
            if (filled == buffer.length) {
                if (filled >= MOST_HEAD) {
                    throw new ProtocolException("the head of the answer is over " + MOST_HEAD + " bytes");
                }
                buffer = Arrays.copyOf(buffer, 2 * filled);
                view = ByteBuffer.wrap(buffer);
            }
            int count = channel.read(view.clear().position(filled));
            if (count < 0) {
                throw new EOFException("the connection has ended");
            }
            silent = false;
            filled += count;
        }
    }

    @Override
    boolean closedEarly(UpstreamException e) {
        return silent && (e.getCause() instanceof EOFException || e.getCause() instanceof SocketException || isPlainFailure(e));
    }

    /** Channels tell of a connection that is gone by an exception without a class of its own. */
    private static boolean isPlainFailure(UpstreamException e) {
        return e.getCause() != null && e.getCause().getClass() == IOException.class;
    }

    @Override
    int status() {
        return answer().status();
    }

    private AnswerHead answer() {
        if (head == null) {
            throw new IllegalStateException("there is no answer");
        }
        return head;
    }

    @Override
    Optional<String> header(String name) {
        return answer().header(name);
    }

    @Override
    int read(byte[] bytes, int offset, int length) throws IOException {
        while (true) {
            int count = body.decode(buffer, at, filled, bytes, offset, length);
            at = body.at();
            if (count > 0) {
                return count;
            }
            if (body.ended()) {
                return -1;
            }
            if (onLoop && !mayRead) {
                return 0;
            }
            mayRead = false;
            at = 0;
            filled = 0;
            int read = channel.read(view.clear());
            if (read < 0) {
                if (!body.endedWithConnection()) {
                    throw new EOFException("the connection has ended in the middle of the answer");
                }
            } else {
                filled = read;
            }
        }
    }

    @Override
    SocketChannel channel() {
        return channel;
    }

    @Override
    void round(boolean onLoop) {
        this.onLoop = onLoop;
        mayRead = true;
    }

    @Override
    boolean buffered() {
        return at < filled || body.ended() || body.failed();
    }

    @Override
    boolean ended() {
        byte[] rest = new byte[256];
        try {
            while (!body.ended() && at < filled) {
                int count = body.decode(buffer, at, filled, rest, 0, rest.length);
                at = body.at();
                if (count == 0) {
                    break;
                }
            }
        } catch (ProtocolException e) {
            LOG.log(System.Logger.Level.DEBUG, "a connection cannot be used again", e);
            return false;
        }
        return body.ended();
    }

    @Override
    boolean settle() {
        return head != null && head.persistent() && body.ended() && at == filled && channel.isOpen();
    }

    @Override
    void abandon() {
        close();
    }

    @Override
    void close() {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a connection was not closed cleanly", e);
        }
    }
}
