package io.glyphgate.proxy.pool;

import io.glyphgate.proxy.pool.Candidates.Candidate;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A request that waits in the queues of all pools that could serve it. The first that has room for it gives it a permit; it
 * takes no second one.
 */
final class Waiter implements Comparable<Waiter> {
    private static final AtomicLong COUNT = new AtomicLong();

    private final Turn turn;
    private final List<Pool> pools;
    private final Set<Endpoint> tried;
    private final long number = COUNT.getAndIncrement();
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    /** In how many queues it stands, and one more while it still joins. */
    private final AtomicInteger places = new AtomicInteger(1);

    /** What came of the waiting. */
    private enum End {
        /** A permit. */
        SERVED,
        /** No queue has a place for it. */
        DISPLACED,
        /** It is not wanted any more. */
        ABORTED
    }

    /** The end, and the permit of one that is served. */
    private record Outcome(End end, Optional<Permit> permit) {}

    /**
     * A request.
     *
     * @param pools the pools that can serve it
     * @param tried the endpoints that it does not want, not to be modified
     */
    Waiter(Turn turn, List<Pool> pools, Set<Endpoint> tried) {
        this.turn = turn;
        this.pools = pools;
        this.tried = tried;
    }

    /** Whether it may be sent to an endpoint now. */
    boolean accepts(Endpoint endpoint) {
        return Candidates.Standing.READY.of(endpoint) && !tried.contains(endpoint);
    }

    /** Whether it waits no more. */
    boolean done() {
        return outcome.isDone();
    }

    /** Ends its waiting, unless it was given a permit. */
    void abort() {
        outcome.complete(new Outcome(End.ABORTED, Optional.empty()));
    }

    /** Gives it a permit that was taken for it; false if it needs none any more. */
    boolean offer(Pool pool, Endpoint endpoint) {
        Permit permit = new Permit(pool, new Candidate(pools.indexOf(pool), endpoint, false));
        return outcome.complete(new Outcome(End.SERVED, Optional.of(permit)));
    }

    /** Says that it has a place in a queue. */
    void joined() {
        places.incrementAndGet();
    }

    /** Says that it has one place less, or joins no more queues; without any it waits for nothing. */
    void displaced() {
        if (places.decrementAndGet() == 0) {
            outcome.complete(new Outcome(End.DISPLACED, Optional.empty()));
        }
    }

    /** Whether it goes before another one however late it came. */
    boolean moreUrgentThan(Waiter other) {
        return turn.priority() < other.turn.priority();
    }

    /**
     * Waits for a permit.
     *
     * @return empty if no queue has a place for it
     * @throws TimeoutException if there was none in time; none will be given any more
     * @throws InterruptedException if the thread was interrupted; none will be given any more
     * @throws AbortedException if it was aborted
     */
    Optional<Permit> await(long nanos) throws InterruptedException, TimeoutException, AbortedException {
        Outcome came = outcome(nanos);
        if (came.end() == End.ABORTED) {
            throw new AbortedException();
        }
        return came.permit();
    }

    private Outcome outcome(long nanos) throws InterruptedException, TimeoutException {
        try {
            return outcome.get(nanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // nothing completes it so
        } catch (TimeoutException e) {
            if (outcome.cancel(false)) {
                throw e;
            }
            return outcome.join(); // it came in the last moment
        } catch (InterruptedException e) {
            if (!outcome.cancel(false)) {
                outcome.join().permit().ifPresent(Permit::close);
            }
            throw e;
        }
    }

    @Override
    public int compareTo(Waiter other) {
        int order = turn.compareTo(other.turn);
        return order != 0 ? order : Long.compare(number, other.number);
    }
}
