package io.glyphgate.proxy.openai;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Derendered streams whose next chunk may come, kept so that it costs what the first one did. They are a cache: where one is not
 * there, it is made again of what the client carries. Who uses one takes it out, so that nobody else does.
 */
final class StreamSessions {
    private final int most;
    private final long mostBytes;
    private final Duration idle;
    private final ReentrantLock lock = new ReentrantLock();
    /** The one that has waited the longest is the first. */
    private final SequencedMap<UUID, Kept> kept = new LinkedHashMap<>();

    private long bytes;

    /**
     * One that waits.
     *
     * @param bytes what it takes, which does not change while it waits
     */
    private record Kept(DerenderedStream stream, long since, long bytes) {}

    /**
     * No streams yet.
     *
     * @param most how many are kept; beyond, the one goes that has waited the longest
     * @param mostBytes how much memory they take together; beyond, those go that have waited the longest
     * @param idle how long one waits for its next chunk
     */
    StreamSessions(int most, long mostBytes, Duration idle) {
        this.most = most;
        this.mostBytes = mostBytes;
        this.idle = idle;
    }

    /** Takes a stream out; null if it is not there. */
    @Nullable DerenderedStream take(UUID id) {
        lock.lock();
        try {
            Kept found = remove(id);
            return found == null ? null : found.stream;
        } finally {
            lock.unlock();
        }
    }

    /** Keeps a stream for its next chunk. */
    void put(UUID id, DerenderedStream stream) {
        long size = stream.size();
        if (most == 0 || size > mostBytes) {
            return;
        }
        lock.lock();
        try {
            remove(id);
            while (kept.size() >= most || bytes + size > mostBytes) {
                remove(kept.keySet().iterator().next());
            }
            kept.put(id, new Kept(stream, System.nanoTime(), size));
            bytes += size;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Kept remove(UUID id) {
        Kept removed = kept.remove(id);
        bytes -= removed == null ? 0 : removed.bytes;
        return removed;
    }

    /**
     * Lets streams go that have waited too long.
     *
     * @param now {@link System#nanoTime()}
     */
    void sweep(long now) {
        lock.lock();
        try {
            Map.Entry<UUID, Kept> oldest = kept.firstEntry();
            while (oldest != null && now - oldest.getValue().since > idle.toNanos()) {
                remove(oldest.getKey());
                oldest = kept.firstEntry();
            }
        } finally {
            lock.unlock();
        }
    }

    /** How much memory those take that are kept, in bytes. */
    long bytes() {
        lock.lock();
        try {
            return bytes;
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
