package io.glyphgate.proxy.conformance;

import java.util.List;
import java.util.Optional;

/** How a case is settled in which vLLM contradicts itself: its batch answer and its streams are not all the same. */
public enum Settled {
    /** The proxy promises vLLM's batch answer. */
    AS_BATCH("as its batch answer"),
    /** The proxy promises what one of vLLM's streams gives. */
    AS_STREAM("as a stream"),
    /** The proxy promises what vLLM never gives. */
    AS_NEITHER("as neither");

    private final String words;

    Settled(String words) {
        this.words = words;
    }

    /** The end of a sentence about the cases that are settled like this. */
    public String words() {
        return words;
    }

    /**
     * How a case is settled.
     *
     * @param golden the case
     * @param promised the answer that the proxy promises
     * @return empty if vLLM does not contradict itself in it
     */
    static Optional<Settled> of(GoldenCase golden, Answer promised) {
        Optional<Answer> batch = golden.answer();
        List<Optional<Answer>> streams = golden.streams();
        if (streams.stream().allMatch(stream -> same(batch, stream))) {
            return Optional.empty();
        }
        if (same(batch, Optional.of(promised))) {
            return Optional.of(AS_BATCH);
        }
        return streams.stream().anyMatch(stream -> same(stream, Optional.of(promised)))
                ? Optional.of(AS_STREAM)
                : Optional.of(AS_NEITHER);
    }

    private static boolean same(Optional<Answer> one, Optional<Answer> other) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.isEmpty() && other.isEmpty();
        }
        return one.get().differences(other.get()).isEmpty();
    }
}
