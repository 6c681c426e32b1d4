package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.generate.Translation;
import io.glyphgate.proxy.wire.Answer;
import io.glyphgate.proxy.wire.Answer.AnswerChoice;
import io.glyphgate.proxy.wire.JsonOut;
import io.glyphgate.proxy.wire.MalformedJsonException;
import io.glyphgate.proxy.wire.StreamState;
import io.glyphgate.proxy.wire.Usage;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One choice that is derendered chunk by chunk. Used by one thread at a time; of no use any more once it has thrown. */
final class DerenderedStream {
    private final Origin origin;
    private final Translation translation;
    private final ChunkWriter writer;
    private final History history = new History();
    private int step;
    private boolean roleSaid;

    /**
     * What stays the same for all chunks.
     *
     * @param id tells the stream from all others
     * @param owner what tells its door, model and choice from others
     * @param index the number of its choice
     * @param fingerprint that of the request which its chunks come with
     * @param promptTokens how many tokens of the prompt that brings
     * @param context how many tokens at its start gave their text before this proxy saw it: the translation has them as prompt
     */
    record Origin(UUID id, int owner, int index, long fingerprint, int promptTokens, int context) {}

    /**
     * A stream at its first chunk, or where a client left it.
     *
     * @param step how many chunks it has had
     * @param roleSaid whether one of them told the role
     */
    DerenderedStream(Origin origin, Translation translation, ChunkWriter writer, int step, boolean roleSaid) {
        this.origin = origin;
        this.translation = translation;
        this.writer = writer;
        this.step = step;
        this.roleSaid = roleSaid;
    }

    UUID id() {
        return origin.id;
    }

    /** How many tokens it has, and its prompt. */
    int tokens() {
        return origin.promptTokens + history.count();
    }

    /** Whether it is where a client's state says, for chunks of the same request. */
    boolean isAt(StateSeal.State state, StreamState.Own brought, long fingerprint) {
        return state.step() == step && origin.fingerprint == fingerprint && history.is(brought.history());
    }

    /**
     * Takes tokens whose text the client has got before.
     *
     * @param tokens all of them
     * @param latest what logprobs go on behind: the tokens, or the last of them
     * @param logprobLength how long the tokens were that logprobs told of
     */
    void replay(History.Tokens tokens, int[] latest, int logprobLength) throws MalformedJsonException {
        int from = 0;
        for (int length : tokens.lengths()) {
            history.add(tokens.ids(), from, from + length);
            from += length;
        }
        History.Tokens said = tokens.behind(origin.context);
        translation.replay(origin.index, said.ids(), said.lengths());
        writer.goOn(origin.index, latest, logprobLength);
    }

    /**
     * Derenders the next chunk.
     *
     * @param head what stands in it
     * @param chunk the server's
     * @param usage its usage; null if it has none
     * @param out gains one object
     */
    void next(Head head, Answer chunk, @Nullable Usage usage, JsonOut out) throws MalformedJsonException {
        translation.accept(chunk);
        AnswerChoice from = chunk.choice(0);
        history.add(from.tokenIds(), 0, from.tokenCount());
        writer.write(head, chunk, usage, out);
        roleSaid = true;
        step++;
    }

    /** Whether its choice has ended. */
    boolean ended() throws MalformedJsonException {
        return translation.output(origin.index).choice().ended();
    }

    /** Writes what the client carries to the next chunk. */
    void writeState(StateSeal seal, JsonOut out) throws MalformedJsonException {
        StateSeal.State state = new StateSeal.State(
                origin.id, step, origin.owner, origin.context, writer.logprobLength(origin.index), roleSaid, ended(), history.hash());
        history.write(seal.seal(state), roleSaid, out);
    }
}
