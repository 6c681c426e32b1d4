package io.glyphgate.proxy.upstream;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A connection to a server, idle or in use by one request, and the answer that is arriving on it. */
abstract class Connection {
    private final Connections.Target target;
    private boolean reused;
    private long idleSince;

    Connection(Connections.Target target) {
        this.target = target;
    }

    /**
     * A request.
     *
     * @param method the method
     * @param path the path on the server
     * @param headers headers beside those that JSON needs
     * @param body the JSON; null for none
     * @param limit how long the answer may take to start
     */
    record Request(String method, String path, Map<String, String> headers, byte @Nullable [] body, Duration limit) {}

    /**
     * Sends a request, and reads the head of its answer.
     *
     * @throws RuntimeException if that fails; the connection is of no use then
     * @throws IOException as well
     */
    abstract void ask(Request request) throws IOException;

    /** Whether the connection ended before any byte of an answer, by what {@link #ask} has thrown. */
    abstract boolean closedEarly(UpstreamException e);

    /** The HTTP status of the answer. */
    abstract int status();

    /** A header of the answer; the name in any case. */
    abstract Optional<String> header(String name);

    /**
     * Reads of the body of the answer.
     *
     * @return how many bytes; -1 at the end; 0 if none are here, where a loop reads
     * @throws RuntimeException if the server breaks off
     * @throws IOException as well
     */
    abstract int read(byte[] bytes, int offset, int length) throws IOException;

    /** The channel on which the answer comes, where a loop may wait for it; null where not. */
    @Nullable SocketChannel channel() {
        return null;
    }

    /**
     * Says whether a loop reads from now on, and that a round of it begins: {@link #read} then takes from the channel once and gives
     * 0 bytes when nothing more is here.
     */
    void round(boolean onLoop) {
        throw new UnsupportedOperationException("no loop can wait for this connection");
    }

    /** Whether {@link #read} has something to give, or to say, of what has come. */
    boolean buffered() {
        return false;
    }

    /** Whether no more of the answer has to come, as far as can be told without waiting. What is left of it may be lost. */
    abstract boolean ended();

    /** Ends the answer; true if the connection can take another request, because all was read and nothing else has come. */
    abstract boolean settle();

    /** Closes the connection, by any thread. */
    abstract void close();

    /** Closes the connection by any thread, while another one may be inside of {@link #ask}, which then fails. Waits for nothing. */
    abstract void abandon();

    Connections.Target target() {
        return target;
    }

    /** Whether it was used before, so that the server may have closed it meanwhile. */
    boolean reused() {
        return reused;
    }

    /** Since when it is idle, {@link System#nanoTime()}. */
    long idleSince() {
        return idleSince;
    }

    /** Says that it is idle from now on. */
    void rest() {
        reused = true;
        idleSince = System.nanoTime();
    }
}
