package io.glyphgate.spi;

import java.util.Optional;

/**
 * A request as the client sent it to {@code /inference/v1/generate}, read only. Implemented by the host, so it may grow.
 *
 * @since 1.0
 */
public interface GenerateRequest {
    /**
     * The model as the client named it.
     *
     * @return a name or alias; the only model's name if the client sent none
     */
    String model();

    /**
     * The output mode.
     *
     * @return the client's {@code output_mode}, or {@code tokens}
     */
    String outputMode();

    /**
     * Whether the answer is a stream of events.
     *
     * @return the client's {@code stream}
     */
    boolean stream();

    /**
     * Whether the client gave a {@code parse_context} or a {@code chat_request}.
     *
     * @return whether one of them is there
     */
    boolean hasParseContext();

    /**
     * The prompt.
     *
     * @return the client's {@code token_ids}, not to be modified
     */
    int[] promptTokenIds();

    /**
     * Any field of the request.
     *
     * @param path the names from the top, for example {@code "sampling_params", "detokenize"}
     * @return maps, lists, strings, numbers and booleans as JSON has them; empty if the field is absent or null
     */
    Optional<Object> field(String... path);
}
