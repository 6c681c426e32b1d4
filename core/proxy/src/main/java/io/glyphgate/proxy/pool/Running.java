package io.glyphgate.proxy.pool;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Which endpoint serves which request now, so that a request can be aborted by its ID. */
public final class Running {
    /** What vLLM puts before the ID of a request to {@code /inference/v1/generate}. */
    public static final String SERVER_PREFIX = "generate-tokens-";

    /** An endpoint stands there once for each request that it serves under the ID, because clients may use one twice. */
    private final Map<String, List<Endpoint>> endpoints = new ConcurrentHashMap<>();

    /** Says that an endpoint serves a request; {@link #end} must follow. */
    public void begin(String requestId, Endpoint endpoint) {
        endpoints.merge(requestId, List.of(endpoint), (known, more) -> {
            List<Endpoint> all = new ArrayList<>(known);
            all.addAll(more);
            return all;
        });
    }

    /** Says that it does so no more. */
    public void end(String requestId, Endpoint endpoint) {
        endpoints.computeIfPresent(requestId, (id, known) -> {
            List<Endpoint> left = new ArrayList<>(known);
            left.remove(endpoint);
            return left.isEmpty() ? null : left;
        });
    }

    /**
     * Who serves a request.
     *
     * @param requestId the client's ID, or the server's with its prefix
     * @return empty if this proxy does not know the ID
     */
    public Set<Endpoint> endpoints(String requestId) {
        List<Endpoint> exact = endpoints.get(requestId);
        return new LinkedHashSet<>(
                exact != null ? exact : endpoints.getOrDefault(withoutPrefix(requestId), List.of()));
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
