package io.glyphgate.proxy.openai;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Derendered streams whose next chunk may come, kept so that it costs what the first one did. They are a cache: where one is not
 * there, it is made again of what the client carries. Who uses one takes it out, so that nobody else does.
 */
final class StreamSessions {
    private final int most;
    private final Duration idle;
    private final ReentrantLock lock = new ReentrantLock();
    /** The one that has waited the longest is the first. */
    private final Map<UUID, Kept> kept = new LinkedHashMap<>();

    private record Kept(DerenderedStream stream, long since) {}

    /**
     * No streams yet.
     *
     * @param most how many are kept; beyond, the one goes that has waited the longest
     * @param idle how long one waits for its next chunk
     */
    StreamSessions(int most, Duration idle) {
        this.most = most;
        this.idle = idle;
    }

    /** Takes a stream out; null if it is not there. */
    @Nullable DerenderedStream take(UUID id) {
        lock.lock();
        try {
            Kept found = kept.remove(id);
            return found == null ? null : found.stream;
        } finally {
            lock.unlock();
        }
    }

    /** Keeps a stream for its next chunk. */
    void put(UUID id, DerenderedStream stream) {
        if (most == 0) {
            return;
        }
        lock.lock();
        try {
            if (kept.size() >= most) {
                Iterator<UUID> oldest = kept.keySet().iterator();
                oldest.next();
                oldest.remove();
            }
            kept.remove(id);
            kept.put(id, new Kept(stream, System.nanoTime()));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Lets streams go that have waited too long.
     *
     * @param now {@link System#nanoTime()}
     */
    void sweep(long now) {
        lock.lock();
        try {
            Iterator<Kept> all = kept.values().iterator();
            while (all.hasNext() && now - all.next().since > idle.toNanos()) {
                all.remove();
            }
        } finally {
            lock.unlock();
        }
    }

    /** How many are kept. */
    int size() {
        lock.lock();
        try {
            return kept.size();
        } finally {
            lock.unlock();
        }
    }
}
