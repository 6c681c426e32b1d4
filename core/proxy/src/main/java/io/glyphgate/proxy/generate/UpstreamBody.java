package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.config.ProxyConfig.KvParams;
import io.glyphgate.proxy.generate.AnswerForm.OwnRequest;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.route.Route;
import io.glyphgate.proxy.route.Way;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.proxy.wire.JsonEdit;
import io.glyphgate.spi.OutputModeProvider.Need;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What of a request a server gets: the client's bytes, without what the server need not or must not know. */
final class UpstreamBody {
    private static final String TRANSFER_PARAMS = "kv_transfer_params";

    /** What the proxy does itself on a pool whose servers only make tokens. */
    private static final List<String> DONE_HERE = List.of("stop", "include_stop_str_in_output", "detokenize");

    /** What asks for more than tokens. */
    private static final List<String> OUTPUT_FIELDS = List.of("output_mode", "parse_context", "chat_request", "stream", "stream_options");

    /** What would end the one token of a prefill otherwise than by its length, or ask for more than the token. */
    private static final List<String> NOT_OF_PREFILL = List.of(
            "n",
            "min_tokens",
            "stop",
            "stop_token_ids",
            "include_stop_str_in_output",
            "detokenize",
            "logprobs",
            "prompt_logprobs",
            "logprob_token_ids",
            "prompt_logprob_token_ids",
            "structured_outputs",
            "seed");

    /** What a server must know of a prompt that it is only made to take. */
    private static final Set<String> OF_RELEASE = Set.of("model", "request_id", "token_ids", "sampling_params", "cache_salt", "features");

    private UpstreamBody() {}

    /**
     * What the server that gives the answer gets.
     *
     * @param transfer the parameters with which it fetches the prompt from a prefill server; none if it computes it itself
     */
    static byte[] of(Plan plan, Route route, Map<String, @Nullable Object> transfer) {
        Optional<OwnRequest> own = plan.own(route);
        if (own.isPresent()) {
            return own(plan, own.get(), route.pool());
        }
        GenerateBody body = plan.body();
        Map<String, @Nullable JsonEdit> edits = addressed(plan, route.pool());
        boolean ownsTransfer = !transfer.isEmpty() || plan.kvParams() != KvParams.PASS;
        List<String> done = List.of();
        if (route.way() == Way.PROXY) {
            edits.put("output_mode", null);
            edits.put("parse_context", null);
            edits.put("chat_request", null);
            done = DONE_HERE.stream().filter(body::hasSampling).toList();
            if (collects(plan, route)) {
                edits.put("stream", JsonEdit.bool(true));
                edits.put("stream_options", null);
            }
        } else if (!plan.form().needs().contains(Need.MESSAGE)) {
            edits.put("parse_context", null); // ignored there, and a newer one could be refused
        } else if (body.hasChatRequest()) {
            edits.put("chat_request", null);
            edits.put("parse_context", body.parseContextOfChatRequest());
        }
        if (ownsTransfer) {
            edits.put(TRANSFER_PARAMS, transfer.isEmpty() ? null : JsonEdit.plain(transfer));
        }
        if (!done.isEmpty() || (ownsTransfer && (!transfer.isEmpty() || body.hasTransferParams()))) {
            edits.put("sampling_params", body.sampling(done, Map.of(), ownsTransfer ? transfer : null));
        }
        return body.edit(edits);
    }

    /** The client's own request, for a server that has the same door. */
    private static byte[] own(Plan plan, OwnRequest own, Pool pool) {
        Map<String, @Nullable JsonEdit> edits = new LinkedHashMap<>();
        if (!own.body().names().contains("model") || !pool.servedModel().equals(plan.body().model())) {
            edits.put("model", JsonEdit.string(pool.servedModel()));
        }
        if (plan.headerId().isEmpty()) {
            edits.put("request_id", JsonEdit.string(plan.clientId()));
        }
        if (plan.kvParams() != KvParams.PASS) {
            edits.put(TRANSFER_PARAMS, null);
        }
        return own.body().edit(edits);
    }

    /**
     * What a prefill server gets: the prompt, for one token that nobody will see.
     *
     * @param transfer the parameters that make it give the prompt away
     * @param byLength whether the token must end the output by its length
     */
    static byte[] prefill(Plan plan, Pool pool, Map<String, @Nullable Object> transfer, boolean byLength) {
        GenerateBody body = plan.body();
        Map<String, @Nullable JsonEdit> edits = addressed(plan, pool);
        OUTPUT_FIELDS.forEach(field -> edits.put(field, null));
        edits.put(TRANSFER_PARAMS, transfer.isEmpty() ? null : JsonEdit.plain(transfer));
        Map<String, Object> sampling = new HashMap<>();
        sampling.put("max_tokens", 1);
        if (byLength) {
            sampling.put("min_tokens", 1);
            sampling.put("ignore_eos", true);
        }
        edits.put("sampling_params", body.sampling(NOT_OF_PREFILL, sampling, transfer));
        return body.edit(edits);
    }

    /**
     * What makes a server take a prompt from a prefill server although nobody wants its answer any more.
     *
     * @param identified whether it has the ID of the request that wanted it
     */
    static byte[] release(Plan plan, Pool pool, Map<String, @Nullable Object> transfer, boolean identified) {
        GenerateBody body = plan.body();
        Map<String, @Nullable JsonEdit> edits = addressed(plan, pool);
        body.names().stream().filter(name -> !OF_RELEASE.contains(name)).forEach(name -> edits.put(name, null));
        if (!identified) {
            edits.put("request_id", null);
        }
        edits.put(TRANSFER_PARAMS, JsonEdit.plain(transfer));
        edits.put(
                "sampling_params",
                JsonEdit.plain(Map.of("max_tokens", 1, "extra_args", Map.of(TRANSFER_PARAMS, transfer))));
        return body.edit(edits);
    }

    private static Map<String, @Nullable JsonEdit> addressed(Plan plan, Pool pool) {
        GenerateBody body = plan.body();
        Map<String, @Nullable JsonEdit> edits = new LinkedHashMap<>();
        if (body.hasModel() && !pool.servedModel().equals(body.model())) {
            edits.put("model", JsonEdit.string(pool.servedModel()));
        }
        if (plan.serverHeaderId().isEmpty() && !body.requestId().equals(Optional.of(plan.requestId()))) {
            edits.put("request_id", JsonEdit.string(plan.requestId()));
        }
        return edits;
    }

    /**
     * Whether the server is asked for a stream although the client wants one answer: so that it can be stopped at a stop string
     * that it does not know. A stream has no prompt logprobs and no transfer parameters, so with those the server runs on to
     * its own end.
     */
    static boolean collects(Plan plan, Route route) {
        GenerateBody body = plan.body();
        return route.way() == Way.PROXY
                && !body.stream()
                && !body.stop().isEmpty()
                && !body.hasSampling("prompt_logprobs")
                && !body.hasSampling("prompt_logprob_token_ids")
                && !(plan.kvParams() == KvParams.PASS && body.hasTransferParams())
                && body.field("ec_transfer_params").isEmpty();
    }
}
