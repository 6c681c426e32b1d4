package io.glyphgate.spi;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The transfer of the keys and values of one prompt. Parameters are values of JSON: maps, lists, strings, numbers, booleans
 * and nulls, which an answer brings and a request carries without change.
 *
 * @since 1.0
 */
public interface KvTransfer {
    /**
     * What the prefill request carries as {@code kv_transfer_params}.
     *
     * @return the parameters; empty if it carries none
     */
    Map<String, @Nullable Object> prefillParams();

    /**
     * Headers of the prefill request, for example {@code X-data-parallel-rank}.
     *
     * @return the headers; none by default
     */
    default Map<String, String> prefillHeaders() {
        return Map.of();
    }

    /**
     * Whether the prefill server gives the keys and values away only if its one token ends the output by its length, so that
     * the token that ends a sequence must not be sampled.
     *
     * @return false by default
     */
    default boolean endsByLength() {
        return false;
    }

    /**
     * What the decode request carries, where that is known before the prefill server has answered: both servers are then
     * asked at the same time.
     *
     * @return the parameters; empty by default: the decode server is asked after the prefill server has answered
     */
    default Optional<Map<String, @Nullable Object>> paramsAtOnce() {
        return Optional.empty();
    }

    /**
     * What the decode request carries. Called once with the answer of the prefill server.
     *
     * @param answered {@code kv_transfer_params} of that answer; empty if it has none
     * @return the parameters, possibly none; empty if the answer holds nothing that a decode server could use, which means
     *     that the prefill server gives nothing away
     */
    Optional<Map<String, @Nullable Object>> decodeParams(Map<String, @Nullable Object> answered);

    /**
     * Whether the prefill server keeps the keys and values until a decode server takes them, so that a decode server must be
     * made to take them where the request cannot go on.
     *
     * @return true by default
     */
    default boolean held() {
        return true;
    }

    /**
     * Whether the prefill server pushes the keys and values to a decode request that it knows by its ID. What makes a decode server
     * take them for nothing has the ID of the request that wanted them then; else it has one of its own.
     *
     * @return false by default
     */
    default boolean pushes() {
        return false;
    }
}
