package io.glyphgate.proxy.openai;

import io.glyphgate.proxy.generate.OutputReport;
import io.glyphgate.proxy.generate.Translation;
import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.route.ServedModel;
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
    /** What a stream takes at least, in bytes: parsers, detokenizer, buffers. This and the next three were measured on the heap. */
    private static final int LEAST = 7 << 10;
    /** What a byte of the request takes: it is read into trees, and schemas of functions into more. */
    private static final int REQUEST_BYTE = 15;
    /** What a token of the prompt takes: as text, and as a number. */
    private static final int PROMPT_TOKEN = 11;
    /** What a token of the largest chunk takes: buffers stay as large as they once had to be. */
    private static final int CHUNK_TOKEN = 60;
    /** What the place of a choice with a lower number takes, in two lists that grow by half. */
    private static final int CHOICE = 12;

    private final Origin origin;
    private final Translation translation;
    private final ChunkWriter writer;
    private final History history = new History();
    private int step;
    private int largestChunk;
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
     * @param requestBytes how large the request is that its chunks come with
     */
    record Origin(UUID id, int owner, int index, long fingerprint, int promptTokens, int context, int requestBytes) {}

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

    /** How much memory it takes, in bytes: about what grows with its request and its tokens. */
    long size() {
        return LEAST
                + (long) CHOICE * (origin.index + 1) // the translation has a place for each choice before it
                + (long) REQUEST_BYTE * origin.requestBytes
                + (long) PROMPT_TOKEN * origin.promptTokens
                + (long) CHUNK_TOKEN * largestChunk
                + history.size()
                + translation.recordedBytes();
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
            largestChunk = Math.max(largestChunk, length);
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
        largestChunk = Math.max(largestChunk, from.tokenCount());
        writer.write(head, chunk, usage, out);
        roleSaid = true;
        step++;
    }

    /** Tells of its output, as far as it has come. */
    void report(OutputReport report, ServedModel model, Head head) {
        report.send(head.id(), model, Meters.DERENDER, translation);
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
