package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.wire.Failure;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The prompt of one request on its way from a prefill server to a decode server. What the prefill server holds is given away
 * once: {@link #close()} has it released where no decode server can have taken it.
 */
final class Handover implements AutoCloseable {
    private final Map<String, @Nullable Object> params;
    private final boolean once;
    private final Runnable release;
    private final Thread decode = Thread.currentThread();
    private @Nullable Thread prefill;
    private @Nullable Failure failure;
    private boolean held;
    private boolean taken;
    private boolean arrived;
    private boolean settled;
    private boolean closed;

    private Handover(Map<String, @Nullable Object> params, boolean once, Runnable release, boolean held) {
        this.params = params;
        this.once = once && !params.isEmpty();
        this.release = release;
        this.held = held;
    }

    /** No prompt is handed over: the decode server computes it. */
    static Handover nothing() {
        return new Handover(Map.of(), false, () -> {}, true);
    }

    /**
     * A prefill server has computed the prompt.
     *
     * @param params what the decode request carries
     * @param once whether the prefill server holds it until it is taken, and gives it away once; else it is in a store
     * @param release makes a decode server take the prompt for nothing
     */
    static Handover ready(Map<String, @Nullable Object> params, boolean once, Runnable release) {
        return new Handover(params, once, release, true);
    }

    /**
     * A prefill server computes the prompt while the decode server is asked by the thread that calls this. If the prefill
     * fails the thread is interrupted.
     *
     * @param params what the decode request carries
     * @param once as for {@link #ready}
     * @param release makes a decode server take the prompt for nothing
     * @param errands where the prefill server is asked
     * @param prefill asks the prefill server; gives why it failed, or nothing
     */
    static Handover during(
            Map<String, @Nullable Object> params,
            boolean once,
            Runnable release,
            Errands errands,
            Supplier<Optional<Failure>> prefill) {
        Handover handover = new Handover(params, once, release, false);
        handover.prefill = errands.start(
                "prefill", () -> prefill.get().ifPresentOrElse(handover::failed, handover::answered));
        return handover;
    }

    private synchronized void answered() {
        if (closed) {
            giveUp();
        }
        held = true;
    }

    private synchronized void failed(Failure why) {
        if (!closed && !settled) {
            failure = why;
            decode.interrupt();
        }
    }

    /** What the decode request carries as {@code kv_transfer_params}; none if it carries none. */
    Map<String, @Nullable Object> params() {
        return params;
    }

    /** Whether the request must be sent once: who takes the prompt uses it up. */
    boolean once() {
        return once;
    }

    /** Why the prefill failed while the decode server was asked. */
    synchronized Optional<Failure> failure() {
        return Optional.ofNullable(failure);
    }

    /** Says that a decode server has taken the prompt, or may have: another one must not take it then. */
    synchronized void taken() {
        taken = true;
    }

    /** Says that the decode server took nothing after all: it refused the request, unless it has made a token before. */
    synchronized void refused() {
        taken &= arrived;
    }

    /**
     * Says that the decode server has made a token: it has the prompt, so what becomes of the prefill server's answer is of no
     * interest any more.
     */
    synchronized void arrived() {
        arrived = true;
        settled();
    }

    /**
     * Says that what the client gets no longer depends on the prefill: it does not interrupt this thread any more, which would cut
     * the client off.
     */
    synchronized void settled() {
        settled = true;
        if (failure != null) {
            failure = null;
            var unused = Thread.interrupted(); // by this handover
        }
    }

    /** Ends it: a prefill that still computes is aborted if it does not end soon, and a prompt that is held is released. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (failure != null) {
            var unused = Thread.interrupted(); // by this handover
        }
        Thread computing = prefill;
        if (held) {
            giveUp();
        } else if (computing != null && !arrived) {
            Thread.ofVirtual().name("end-prefill").start(() -> end(computing));
        }
    }

    private static void end(Thread prefill) {
        try {
            if (!prefill.join(Serving.HANDING_OVER)) {
                prefill.interrupt();
            }
        } catch (InterruptedException e) {
            prefill.interrupt();
            Thread.currentThread().interrupt();
        }
    }

    private void giveUp() {
        if (!taken && once) {
            release.run();
        }
    }
}
