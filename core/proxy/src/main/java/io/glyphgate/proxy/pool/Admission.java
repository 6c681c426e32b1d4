package io.glyphgate.proxy.pool;

import io.glyphgate.proxy.observe.Meters;
import io.glyphgate.proxy.pool.Candidates.Candidate;
import io.glyphgate.proxy.pool.Candidates.Standing;
import io.glyphgate.proxy.pool.PoolFullException.Reason;
import io.glyphgate.spi.PoolPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/**
 * The endpoints that one request is sent to, one after the other, each as soon as the limits of its pool allow. Used by the
 * thread that carries the request, which holds one permit of these at a time.
 */
public final class Admission {
    private final List<Pool> pools;
    private final Candidates candidates;
    private final Turn turn;
    private final Running running;
    private final String requestId;
    private final Meters meters;
    private long deadline;
    private boolean waitedBefore;

    /**
     * The endpoints for a request.
     *
     * @param pools the pools that can serve it, at least one
     * @param request what policies see of it
     * @param turn when it goes if it must wait
     * @param running where one that waits can be aborted
     * @param meters counts who waits
     */
    public Admission(List<Pool> pools, PoolPolicy.RoutedRequest request, Turn turn, Running running, Meters meters) {
        this.pools = pools;
        this.turn = turn;
        this.running = running;
        requestId = request.requestId();
        this.meters = meters;
        candidates = new Candidates(pools, request, meters);
    }

    /**
     * The permit to ask the next endpoint: one that has room, of the first pool that has one. Else the request waits for the
     * first that gets room. Endpoints that said that they are full come only where there is nobody to wait for, and those that
     * took no connection only where no other is left.
     *
     * @param beforeWaiting what to do before the request waits, if it must
     * @return empty if no endpoint is left
     * @throws PoolFullException if all are full, and the request may not wait, or not any longer
     * @throws InterruptedException if the thread was interrupted while the request waited
     * @throws AbortedException if the request was aborted by its ID while it waited
     */
    public Optional<Permit> next(Runnable beforeWaiting) throws PoolFullException, InterruptedException, AbortedException {
        Optional<Permit> ready = now(Standing.READY);
        if (ready.isPresent()) {
            return ready;
        }
        List<Pool> full = pools.stream().filter(candidates::full).toList();
        if (!full.isEmpty()) {
            beforeWaiting.run();
            Optional<Permit> permit = await(full);
            if (permit.isPresent()) {
                return permit;
            }
        }
        return now(Standing.BUSY).or(() -> now(Standing.RESTING));
    }

    /** Whether there is an endpoint that was not tried yet. */
    public boolean hasMore() {
        return candidates.hasMore();
    }

    /** Lets an endpoint come again. */
    public void again(Permit permit) {
        candidates.again(permit.candidate());
    }

    private Optional<Permit> now(Standing standing) {
        while (true) {
            Optional<Candidate> candidate = candidates.next(standing, Pool::hasRoom);
            if (candidate.isEmpty()) {
                return Optional.empty();
            }
            Pool pool = pools.get(candidate.get().pool());
            if (pool.enter(candidate.get().endpoint())) {
                Permit permit = new Permit(pool, candidate.get());
                if (permit.endpoint().claim()) {
                    return Optional.of(permit);
                }
                permit.close();
            }
            candidates.again(candidate.get()); // another request was faster
        }
    }

    /** Waits for one of some pools; empty if none of them is up any more. */
    private Optional<Permit> await(List<Pool> full) throws PoolFullException, InterruptedException, AbortedException {
        long start = System.nanoTime();
        if (!waitedBefore) {
            waitedBefore = true;
            deadline = start + full.stream()
                    .map(pool -> pool.config().limits().queueWait())
                    .max(Duration::compareTo)
                    .orElseThrow()
                    .toNanos();
        }
        Waiter waiter = new Waiter(turn, pools, candidates.tried());
        Pool counted = full.getFirst();
        String outcome = "left";
        try {
            running.waits(requestId, waiter);
            full.forEach(pool -> pool.join(waiter));
            waiter.displaced(); // it joins no more
            Optional<Permit> permit = waiter.await(Math.max(0, deadline - start));
            if (permit.isEmpty()) {
                outcome = "full";
                throw rejected(Reason.QUEUE_FULL, full);
            }
            outcome = "served";
            counted = permit.get().pool();
            candidates.tried(permit.get().candidate());
            return permit;
        } catch (AbortedException e) {
            outcome = "aborted";
            throw e;
        } catch (TimeoutException e) {
            outcome = "timeout";
            if (full.stream().noneMatch(candidates::full)) {
                return Optional.empty();
            }
            throw rejected(Reason.QUEUE_TIMEOUT, full);
        } finally {
            running.waitsNoMore(requestId, waiter);
            full.forEach(pool -> pool.quit(waiter));
            meters.queueWait(counted.name(), outcome, System.nanoTime() - start);
        }
    }

    private PoolFullException rejected(Reason reason, List<Pool> full) {
        Duration soonest = full.stream().map(Pool::timeToServe).min(Duration::compareTo).orElseThrow();
        meters.queueRejection(full.getFirst().name(), reason == Reason.QUEUE_FULL ? "full" : "timeout");
        return new PoolFullException(reason, full, soonest);
    }
}
