package io.glyphgate.spi;

import java.io.IOException;
import java.net.URI;

/**
 * Knows what a prefill server and a decode server must be told so that the keys and values (KV) of a prompt, which the first
 * computes, reach the second. It is the proxy's side of what vLLM calls a KV connector; its words are the {@code
 * kv_transfer_params} of requests and answers. Called by many threads at once.
 *
 * @since 1.0
 */
public interface KvConnector {
    /**
     * Begins the transfer of one prompt. May block, for example to ask the prefill server who it is; it is interrupted when
     * the client leaves.
     *
     * @param request what the connector may use
     * @return the transfer
     * @throws IOException if the transfer cannot be arranged; the prefill then counts as failed
     */
    KvTransfer begin(TransferRequest request) throws IOException;

    /**
     * Whether several sequences of one request ({@code n} over 1) may take the same keys and values.
     *
     * @return false by default: such a request is served by the decode server alone
     */
    default boolean sharable() {
        return false;
    }

    /**
     * What a connector may use of a request. Implemented by the host, so it may grow.
     *
     * @since 1.0
     */
    interface TransferRequest {
        /**
         * The ID under which both servers know the request.
         *
         * @return with the prefix that vLLM puts before it, without the suffix that its engine puts behind it
         */
        String serverRequestId();

        /**
         * The server that will compute the prompt.
         *
         * @return its address, as the configuration gives it
         */
        URI prefillServer();
    }
}
