package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.SseReader;

/** What becomes of a server's answer on its way to the client. */
interface Passage {
    /**
     * Passes one event on.
     *
     * @param answer the event
     * @param event its bytes
     * @param out gains the bytes for the client, none if there is nothing to say
     */
    void event(Answer answer, SseReader event, JsonOut out) throws MalformedJsonException;

    /** Whether all that the client will get has come, although the server would go on. */
    boolean ended();

    /** Writes what comes last in a stream, before its end mark. */
    void end(Answer last, JsonOut out) throws MalformedJsonException;

    /** Passes a whole answer on. */
    void whole(Answer answer, JsonOut out) throws MalformedJsonException;

    /** The server's bytes as they are. */
    final class Verbatim implements Passage {
        @Override
        public void event(Answer answer, SseReader event, JsonOut out) {
            out.bytes(event.raw(), event.rawFrom(), event.rawTo());
        }

        @Override
        public boolean ended() {
            return false;
        }

        @Override
        public void end(Answer last, JsonOut out) {
            // all is said
        }

        @Override
        public void whole(Answer answer, JsonOut out) {
            answer.copy(out);
        }
    }

    /** The server's tokens in the form that the client asked for. */
    record Translated(Translation translation, AnswerForm.Writer writer) implements Passage {
        @Override
        public void event(Answer answer, SseReader event, JsonOut out) throws MalformedJsonException {
            translation.accept(answer);
            writer.event(answer, out);
        }

        @Override
        public boolean ended() {
            return translation.cut() && translation.ended();
        }

        @Override
        public void end(Answer last, JsonOut out) throws MalformedJsonException {
            writer.end(last, out);
        }

        @Override
        public void whole(Answer answer, JsonOut out) throws MalformedJsonException {
            translation.accept(answer);
            writer.whole(answer, out);
        }
    }
}
