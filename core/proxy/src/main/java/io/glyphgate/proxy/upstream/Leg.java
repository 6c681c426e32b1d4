package io.glyphgate.proxy.upstream;

import io.glyphgate.proxy.loop.Flow;
import io.glyphgate.proxy.loop.Loop;
import io.glyphgate.proxy.loop.Step;
import io.glyphgate.proxy.observe.Ticker;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.pool.Trouble;
import io.glyphgate.proxy.upstream.UpstreamException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One request to one server, whose answer is arriving. Closing it before the end of the answer closes the connection, which
 * aborts the request at the server; it never waits.
 */
public final class Leg implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Leg.class.getName());
    private static final long NOT_READING = Long.MIN_VALUE;
    /** How long a server may take to end an answer that is whole. */
    private static final long FINISH_NANOS = Duration.ofSeconds(1).toNanos();

    private static final int MOST_REST = 64 << 10;

    private final Connection connection;
    private final Connections connections;
    private final Ticker ticker;
    private final Body body = new Body();
    private final Ticker.Check silence;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicBoolean finishing = new AtomicBoolean();
    private volatile long limit;
    private volatile long readingSince = NOT_READING;
    private volatile boolean silentTooLong;
    private volatile boolean spoilt;
    private volatile boolean begun;
    private volatile @Nullable Flow flowing;
    /** Is told how the answer goes; null if nobody is. */
    private volatile @Nullable Endpoint server;
    /** Whether its streams are watched for progress, and this is one of them. */
    private volatile boolean stream;
    /** Whether the server has still to be told of the first byte. */
    private boolean awaited;

    Leg(Connection connection, Connections connections, Duration betweenBytes, Ticker ticker) {
        this.connection = connection;
        this.connections = connections;
        this.ticker = ticker;
        limit = betweenBytes.toNanos();
        silence = now -> {
            long since = readingSince;
            if (since != NOT_READING && now - since > limit) {
                silentTooLong = true;
                spoilt = true; // its bytes may come yet
                end();
            } else if (since != NOT_READING && stream) {
                waiting(since);
            }
        };
        ticker.add(silence);
    }

    /** Has the endpoint told how it goes, from the head of the answer on. */
    void tell(Endpoint endpoint) {
        int status = status();
        if (status >= 500 && status != 501 && status != 503) {
            endpoint.failed(Trouble.SERVER_ERROR);
        } else if (status >= 400) {
            endpoint.succeeded(); // it has judged the request, or is at work on others
        } else {
            awaited = true;
            stream = mediaType().equals("text/event-stream");
            server = endpoint;
        }
    }

    private void waiting(long since) {
        Endpoint told = server;
        if (told != null) {
            told.waiting(since);
        }
    }

    private void arrived() {
        Endpoint told = server;
        if (told == null) {
            return;
        }
        if (awaited) {
            awaited = false;
            told.succeeded();
        }
        if (stream) {
            told.moved();
        }
    }

    /** The HTTP status. */
    public int status() {
        return connection.status();
    }

    /** A header of the answer. */
    public Optional<String> header(String name) {
        return connection.header(name);
    }

    /** {@code Content-Type} in lower case without parameters; empty if there is none. */
    public String mediaType() {
        String type = header("Content-Type").orElse("");
        int end = type.indexOf(';');
        return (end < 0 ? type : type.substring(0, end)).strip().toLowerCase(Locale.ROOT);
    }

    /**
     * The body as it arrives. Reading throws {@link UpstreamException} when the server breaks off, falls silent for too long,
     * or the leg is closed by another thread. It must not be closed: close the leg.
     */
    public InputStream body() {
        return body;
    }

    /** Whether the body can flow on a loop. */
    public boolean flows() {
        SocketChannel channel = connection.channel();
        return channel != null && channel.isOpen();
    }

    /** Whether reading the body gives bytes, or its end, without waiting for more. */
    public boolean buffered() {
        return connection.buffered();
    }

    /**
     * Lets the body flow on a loop, until the step returns false or throws; then this thread, which waits, goes on. A step reads what
     * has come: {@link #body} gives 0 bytes when nothing more is here.
     *
     * @throws IOException what the step has thrown
     * @throws UpstreamException as reading does
     */
    public void flow(Loop loop, Step step) throws IOException {
        SocketChannel channel = Objects.requireNonNull(connection.channel(), "this connection does not flow");
        Flow flow = loop.flow(channel, () -> {
            readingSince = NOT_READING;
            connection.round(true);
            boolean more = step.run();
            if (more) {
                readingSince = System.nanoTime();
            }
            return more;
        });
        flowing = flow;
        try {
            if (closed.get()) {
                flow.cancel();
            }
            readingSince = System.nanoTime();
            flow.run();
        } catch (ClosedChannelException e) {
            LOG.log(System.Logger.Level.DEBUG, "an answer was closed; who reads next is told why", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UpstreamException(Kind.CANCELLED, "The request was cancelled.", e);
        } finally {
            readingSince = NOT_READING;
            flowing = null;
            connection.round(false);
        }
    }

    /** The whole body. */
    public byte[] wholeBody() {
        try {
            byte[] bytes = body.readNBytes(length());
            var end = body.read(); // so that the connection knows it, too
            assert end < 0;
            return bytes;
        } catch (IOException e) {
            throw UpstreamClient.translate(e);
        }
    }

    /** How long the body is; as long as can be if that is not said. */
    private int length() {
        try {
            return header("Content-Length").map(Integer::parseUnsignedInt).filter(length -> length >= 0).orElse(Integer.MAX_VALUE);
        } catch (NumberFormatException e) {
            return Integer.MAX_VALUE; // reading shows what is wrong
        }
    }

    /** Whether a byte of the body has been read. */
    public boolean begun() {
        return begun;
    }

    /**
     * Says that all that matters of the answer has come. The rest of it, its end above all, is read by another thread, so that
     * the connection can be used again; {@link #close()} does nothing then. A server that does not end its answer soon is cut.
     */
    public void finish() {
        if (!finishing.compareAndSet(false, true)) {
            return;
        }
        if (connection.ended()) {
            end();
            return;
        }
        limit = FINISH_NANOS;
        Thread.ofVirtual().name("finish-answer").start(() -> {
            byte[] rest = new byte[1024];
            try {
                int total = 0;
                for (int count = body.read(rest, 0, rest.length); count >= 0 && total < MOST_REST; count = body.read(rest, 0, rest.length)) {
                    total += count;
                }
            } catch (UpstreamException e) {
                // the answer was whole already; only its connection is lost
                LOG.log(System.Logger.Level.DEBUG, "a connection cannot be used again", e);
            } finally {
                end();
            }
        });
    }

    /**
     * Says that the answer cannot be read, or is not what it should be: its connection is not used again, even if all of the
     * answer has come. What is left on it could be taken for the answer to another request.
     */
    public void spoil() {
        spoilt = true;
    }

    @Override
    public void close() {
        if (!finishing.get()) {
            end();
        }
    }

    private void end() {
        if (closed.compareAndSet(false, true)) {
            ticker.remove(silence);
            Flow flow = flowing;
            if (flow != null) {
                flow.cancel();
            }
            if (spoilt) {
                connection.close();
            } else {
                connections.giveBack(connection);
            }
        }
    }

    /** Turns everything that a connection throws at a reader into one exception. */
    private final class Body extends InputStream {
        @Override
        public int read() {
            byte[] one = new byte[1];
            int count = read(one, 0, 1);
            return count < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            if (length == 0) {
                return 0; // as readNBytes asks when its buffer is full
            }
            readingSince = System.nanoTime();
            try {
                int count = connection.read(bytes, offset, length);
                if (count > 0) {
                    begun = true;
                    arrived();
                }
                return count;
            } catch (IOException e) {
                throw reason(UpstreamClient.translate(e));
            } catch (RuntimeException e) {
                throw reason(UpstreamClient.translate(e));
            } finally {
                readingSince = NOT_READING;
            }
        }

        private UpstreamException reason(UpstreamException e) {
            UpstreamException reason = known(e);
            Endpoint told = server;
            if (awaited && told != null) {
                awaited = false;
                reason.trouble().ifPresent(told::failed);
            }
            return reason;
        }

        private UpstreamException known(UpstreamException e) {
            if (silentTooLong) {
                return new UpstreamException(Kind.TIMEOUT, "The server fell silent in the middle of its answer.", e);
            }
            return closed.get() ? new UpstreamException(Kind.CANCELLED, "The request was cancelled.", e) : e;
        }
    }
}
