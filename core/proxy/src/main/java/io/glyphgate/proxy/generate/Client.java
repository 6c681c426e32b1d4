package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.loop.Loop;
import io.glyphgate.proxy.wire.Dialect;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** The client's side of one exchange: its headers, and where its answer goes. Used by the thread that carries the request. */
public interface Client {
    /** A header of the request; the name in any case. */
    Optional<String> header(String name);

    /** How its door speaks beside its answers. */
    default Dialect dialect() {
        return Dialect.OPENAI;
    }

    /** Whether the client has closed the connection. */
    boolean gone();

    /**
     * Lets the request go on for a while after the client has closed the connection, up to the next byte that would be sent. Else
     * the thread is interrupted at once.
     *
     * @param delay how long after the client left the thread is interrupted
     */
    void linger(Duration delay);

    /**
     * Answers at once.
     *
     * @param status the HTTP status
     * @param headers headers, {@code Content-Type} included
     * @param body the body
     * @throws ClientGoneException if the client has closed the connection
     */
    void answer(int status, Map<String, String> headers, byte[] body);

    /**
     * Prepares a stream of events. Nothing is sent until the first event, or until the stream was silent for so long that a
     * comment must keep the connection alive.
     *
     * @param headers headers, {@code Content-Type} included
     */
    EventStream stream(Map<String, String> headers);

    /** A stream of events. */
    interface EventStream {
        /**
         * Adds bytes; they may wait for {@link #flush()}.
         *
         * @throws ClientGoneException if the client has closed the connection
         */
        void write(byte[] bytes, int from, int to);

        /**
         * Sends what was added.
         *
         * @throws ClientGoneException if the client has closed the connection
         */
        void flush();

        /** Says that what is written from now on tells of a failure, and that nothing comes behind it. Told once, or never. */
        default void failed() {}

        /**
         * The loop that may carry the stream on: from there {@link #write} and {@link #flush} send what the client takes at once,
         * and keep the rest. Empty, at least before the first of it was sent, if none may.
         */
        default Optional<Loop> loop() {
            return Optional.empty();
        }

        /** Whether bytes are kept that the client did not take at once; {@link #flush} sends them, and waits, by another thread. */
        default boolean behind() {
            return false;
        }

        /**
         * Sends no more comments by itself.
         *
         * @return whether anything was sent, so that the status can no longer be chosen
         */
        boolean end();
    }
}
