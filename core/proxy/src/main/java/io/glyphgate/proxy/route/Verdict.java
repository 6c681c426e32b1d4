package io.glyphgate.proxy.route;

/** Whether a pool can serve a request. */
public sealed interface Verdict {
    /**
     * It can.
     *
     * @param way how
     */
    record Can(Way way) implements Verdict {}

    /**
     * It cannot.
     *
     * @param lack what it lacks: the end of a sentence that starts with the pool's name
     */
    record Cannot(String lack) implements Verdict {}
}
