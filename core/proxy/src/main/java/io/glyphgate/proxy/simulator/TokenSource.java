package io.glyphgate.proxy.simulator;

import io.glyphgate.proxy.simulator.Script.Candidate;
import io.glyphgate.proxy.simulator.Script.Output;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * What the simulated model says in one choice: a script, or tokens that look random and depend on nothing but a seed.
 */
final class TokenSource {
    private final @Nullable Output script;
    private final long seed;
    private final int vocabularySize;
    private final int endOfSequence;

    /**
     * A source.
     *
     * @param script what is said; null for made-up tokens
     * @param seed makes made-up tokens and made-up log probabilities
     * @param options the server
     */
    TokenSource(@Nullable Output script, long seed, SimulatorOptions options) {
        this.script = script;
        this.seed = seed;
        this.vocabularySize = options.vocabularySize();
        this.endOfSequence = options.endOfSequence();
    }

    /** The seed of one choice: the same request gives the same output where vLLM promises that. */
    static long seed(GenerateCall call, int choice) {
        Long wished = call.seed();
        long base = call.greedy() ? 0 : wished != null ? mix(wished, 1) : new SplittableRandom().nextLong();
        return mix(mix(base, Arrays.hashCode(call.promptTokenIds())), choice);
    }

    /** The token at a position. A script that is used up goes on with the end of the sequence. */
    int tokenId(int position) {
        if (script != null) {
            return position < script.tokenIds().length ? script.tokenIds()[position] : endOfSequence;
        }
        return madeUp(mix(seed, position));
    }

    /**
     * The candidates at a position, the sampled token first.
     *
     * @param position where
     * @param sampled the token that was sampled
     * @param wanted how many of the best candidates are wanted
     */
    List<Candidate> candidates(int position, int sampled, int wanted) {
        if (script != null && script.logprobs() != null && position < script.logprobs().size()) {
            return script.logprobs().get(position);
        }
        long state = mix(seed, ~position);
        List<Candidate> candidates = new ArrayList<>(List.of(new Candidate(sampled, logprob(state, 1), 1)));
        for (int rank = 2; rank <= wanted; rank++) {
            candidates.add(new Candidate(madeUp(mix(state, rank)), logprob(state, rank), rank));
        }
        return candidates;
    }

    private int madeUp(long state) {
        int token = new SplittableRandom(state).nextInt(vocabularySize - 1);
        // The end of the sequence would come too rarely to be of use, and too often for tests that count tokens.
        return token < endOfSequence ? token : token + 1;
    }

    /** A log probability that falls with the rank. */
    private static double logprob(long state, int rank) {
        return -(rank + new SplittableRandom(mix(state, -rank)).nextInt(1000) / 1024.0);
    }

    private static long mix(long a, long b) {
        return new SplittableRandom(a * 0x9E3779B97F4A7C15L + b).nextLong();
    }
}
