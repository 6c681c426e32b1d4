package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.JsonObject;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.spi.OutputModeProvider.Need;
import java.util.Optional;
import java.util.Set;

/**
 * The form in which a client gets the output of a generate request: each door has its own. All of them are written of the same
 * choices, so that they cannot differ in what the model said. One for each request.
 */
public interface AnswerForm {
    /** A short name for meters and messages: the output mode, or the door. */
    String name();

    /** What of a choice it shows. */
    Set<Need> needs();

    /** How many choices the client gets. */
    int choices();

    /** The client's own request, where servers that have the same door may answer it as it stands. */
    default Optional<OwnRequest> own() {
        return Optional.empty();
    }

    /**
     * Checks that a server which was to give its answer in this form did so.
     *
     * @param answer the answer, or the first event with a choice
     * @throws MalformedJsonException if it cannot be read
     */
    default void checkForwarded(Answer answer) throws MalformedJsonException {}

    /**
     * Starts the answer of one leg.
     *
     * @param translation the choices, as far as they have come
     */
    Writer open(Translation translation);

    /**
     * A request at the door where it came in.
     *
     * @param path the path, here and at the servers
     * @param body the client's body
     */
    record OwnRequest(String path, JsonObject body) {}

    /** Writes the answer of one leg. Used by one thread. */
    interface Writer {
        /**
         * Writes the events that one event of the server becomes; none if there is nothing to say.
         *
         * @param answer the event, whose tokens the choices have taken
         * @param out gains whole events
         */
        void event(Answer answer, JsonOut out) throws MalformedJsonException;

        /**
         * Writes a whole answer.
         *
         * @param answer the server's, whose tokens the choices have taken
         * @param out gains one object
         */
        void whole(Answer answer, JsonOut out) throws MalformedJsonException;

        /**
         * Writes the events that come last in a stream, before its end mark.
         *
         * @param last the server's last event
         */
        void end(Answer last, JsonOut out) throws MalformedJsonException;

        /**
         * Writes the events that a choice becomes which ends because no more will come: with what it held back, and the finish
         * reason {@code error}.
         *
         * @param index its number
         * @param requestId the server's ID of the request
         */
        void ended(int index, Translation.Output output, String requestId, JsonOut out) throws MalformedJsonException;
    }
}
