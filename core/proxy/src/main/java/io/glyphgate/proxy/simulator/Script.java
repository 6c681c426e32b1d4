package io.glyphgate.proxy.simulator;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the simulated model says to one request, and how the answer goes wrong. The limits of the request still hold:
 * stop tokens, stop strings and {@code max_tokens} end the output. Where the tokens are used up before that, the model
 * says its end-of-sequence token.
 *
 * @param outputs what the model says, one per choice; the last serves further choices; empty for made-up tokens
 * @param promptLogprobs what {@code prompt_logprobs} shows for each token of the prompt but the first; null to make it
 *     up
 * @param chunking how the tokens are spread over events; null for that of the server
 * @param faults how the answer goes wrong
 */
public record Script(
        List<Output> outputs,
        @Nullable List<List<Candidate>> promptLogprobs,
        @Nullable Chunking chunking,
        List<Fault> faults) {
    /** Made-up tokens and no faults. */
    public static final Script NONE = new Script(List.of(), null, null, List.of());

    /**
     * What the model says in one choice.
     *
     * @param tokenIds the tokens
     * @param logprobs the candidates at each token, the sampled one first; null to make them up where they are asked
     *     for
     */
    public record Output(int[] tokenIds, @Nullable List<List<Candidate>> logprobs) {}

    /**
     * A token that could have been sampled.
     *
     * @param tokenId its ID
     * @param logprob its log probability
     * @param rank its place among all tokens, from 1
     */
    public record Candidate(int tokenId, double logprob, int rank) {}

    /** Copies the lists. */
    public Script {
        outputs = List.copyOf(outputs);
        faults = List.copyOf(faults);
    }

    /**
     * Tokens for every choice.
     *
     * @param tokenIds the tokens
     * @return a script without faults
     */
    public static Script tokens(int... tokenIds) {
        return NONE.saying(new Output(tokenIds, null));
    }

    /**
     * Made-up tokens and faults.
     *
     * @param faults how the answer goes wrong
     * @return the script
     */
    public static Script faults(Fault... faults) {
        return NONE.failing(List.of(faults));
    }

    /**
     * The same script with other outputs.
     *
     * @param choices what the model says, one per choice
     * @return a new script
     */
    public Script saying(Output... choices) {
        return new Script(List.of(choices), promptLogprobs, chunking, faults);
    }

    /**
     * The same script with other events.
     *
     * @param sizes how the tokens are spread over events
     * @return a new script
     */
    public Script chunked(Chunking sizes) {
        return new Script(outputs, promptLogprobs, sizes, faults);
    }

    /**
     * The same script with other faults.
     *
     * @param ways how the answer goes wrong
     * @return a new script
     */
    public Script failing(List<Fault> ways) {
        return new Script(outputs, promptLogprobs, chunking, ways);
    }
}
