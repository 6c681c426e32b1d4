package io.glyphgate.proxy.pool;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Which endpoint serves which request now, and which requests wait for one, so that a request can be aborted by its ID. */
public final class Running {
    /** What vLLM puts before the ID of a request to {@code /inference/v1/generate}. */
    public static final String SERVER_PREFIX = "generate-tokens-";

    /** An endpoint stands there once for each request that it serves under the ID, because clients may use one twice. */
    private final Map<String, List<Endpoint>> endpoints = new ConcurrentHashMap<>();

    private final Map<String, List<Waiter>> waiters = new ConcurrentHashMap<>();

    /** Says that an endpoint serves a request; {@link #end} must follow. */
    public void begin(String requestId, Endpoint endpoint) {
        add(endpoints, requestId, endpoint);
    }

    /** Says that it does so no more. */
    public void end(String requestId, Endpoint endpoint) {
        remove(endpoints, requestId, endpoint);
    }

    /** Says that a request waits; {@link #waitsNoMore} must follow. */
    void waits(String requestId, Waiter waiter) {
        add(waiters, requestId, waiter);
    }

    /** Says that it does so no more. */
    void waitsNoMore(String requestId, Waiter waiter) {
        remove(waiters, requestId, waiter);
    }

    private static <T> void add(Map<String, List<T>> all, String requestId, T added) {
        all.merge(requestId, List.of(added), (known, more) -> {
            List<T> both = new ArrayList<>(known);
            both.addAll(more);
            return both;
        });
    }

    private static <T> void remove(Map<String, List<T>> all, String requestId, T removed) {
        all.computeIfPresent(requestId, (id, known) -> {
            List<T> left = new ArrayList<>(known);
            left.remove(removed);
            return left.isEmpty() ? null : left;
        });
    }

    private static <T> List<T> known(Map<String, List<T>> all, String requestId) {
        @Nullable List<T> exact = all.get(requestId);
        return exact != null ? exact : all.getOrDefault(withoutPrefix(requestId), List.of());
    }

    /**
     * Who serves a request.
     *
     * @param requestId the client's ID, or the server's with its prefix
     * @return empty if this proxy does not know the ID, or has not asked a server yet
     */
    public Set<Endpoint> endpoints(String requestId) {
        return new LinkedHashSet<>(known(endpoints, requestId));
    }

    /**
     * Ends the waiting of a request: its thread gets an {@link AbortedException}.
     *
     * @param requestId the client's ID, or the server's with its prefix
     * @return whether a request of this ID waits
     */
    public boolean abortWaiting(String requestId) {
        List<Waiter> waiting = known(waiters, requestId);
        waiting.forEach(Waiter::abort);
        return !waiting.isEmpty();
    }

    /** How many requests are running. */
    public int size() {
        return endpoints.size();
    }

    /** How the servers name a request that this proxy sends them, by an ID for which {@link #endpoints} finds some. */
    public String serverId(String requestId) {
        return SERVER_PREFIX + (endpoints.containsKey(requestId) ? requestId : withoutPrefix(requestId));
    }

    private static String withoutPrefix(String requestId) {
        return requestId.startsWith(SERVER_PREFIX) ? requestId.substring(SERVER_PREFIX.length()) : requestId;
    }
}
