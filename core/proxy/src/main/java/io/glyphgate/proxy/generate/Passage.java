package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.Sse;
import io.glyphgate.proxy.wire.SseReader;
import io.glyphgate.proxy.wire.Usage;
import java.util.Optional;

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

    /** The usage that the client is told, where the server's own would be wrong. */
    Optional<Usage> usage();

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
        public Optional<Usage> usage() {
            return Optional.empty();
        }

        @Override
        public void whole(Answer answer, JsonOut out) {
            answer.copy(out);
        }
    }

    /** The server's tokens with what the proxy makes of them. */
    record Translated(Translation translation) implements Passage {
        @Override
        public void event(Answer answer, SseReader event, JsonOut out) throws MalformedJsonException {
            translation.accept(answer);
            if (translation.speaks(answer)) {
                translation.writeLeads(answer, out);
                out.bytes(Sse.DATA);
                translation.write(answer, out);
                out.endValue().bytes(Sse.END);
            }
        }

        @Override
        public boolean ended() {
            return translation.cut() && translation.ended();
        }

        @Override
        public Optional<Usage> usage() {
            return translation.cut() ? Optional.of(translation.usage()) : Optional.empty();
        }

        @Override
        public void whole(Answer answer, JsonOut out) throws MalformedJsonException {
            translation.accept(answer);
            translation.write(answer, out);
        }
    }
}
