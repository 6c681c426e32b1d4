package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.route.Route;
import io.glyphgate.proxy.route.Way;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.proxy.wire.JsonEdit;
import io.glyphgate.spi.OutputModeProvider.Need;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What of a request a server gets: the client's bytes, without what the server need not or must not know. */
final class UpstreamBody {
    /** What the proxy does itself on a pool whose servers only make tokens. */
    private static final List<String> DONE_HERE = List.of("stop", "include_stop_str_in_output", "detokenize");

    private UpstreamBody() {}

    static byte[] of(Plan plan, Route route) {
        GenerateBody body = plan.body();
        Map<String, @Nullable JsonEdit> edits = new LinkedHashMap<>();
        String served = route.pool().servedModel();
        if (body.hasModel() && !served.equals(body.model())) {
            edits.put("model", JsonEdit.string(served));
        }
        if (plan.headerId().isEmpty() && !body.requestId().equals(Optional.of(plan.requestId()))) {
            edits.put("request_id", JsonEdit.string(plan.requestId()));
        }
        if (route.way() == Way.PROXY) {
            edits.put("output_mode", null);
            edits.put("parse_context", null);
            edits.put("chat_request", null);
            List<String> present = Stream.of(DONE_HERE.toArray(String[]::new))
                    .filter(body::hasSampling)
                    .toList();
            if (!present.isEmpty()) {
                edits.put("sampling_params", body.samplingWithout(present));
            }
            if (collects(plan, route)) {
                edits.put("stream", JsonEdit.bool(true));
                edits.put("stream_options", null);
            }
        } else if (!plan.mode().needs().contains(Need.MESSAGE)) {
            edits.put("parse_context", null); // ignored there, and a newer one could be refused
        } else if (body.hasChatRequest()) {
            edits.put("chat_request", null);
            edits.put("parse_context", body.parseContextOfChatRequest());
        }
        return body.edit(edits);
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
                && body.field("kv_transfer_params").isEmpty()
                && body.field("ec_transfer_params").isEmpty();
    }
}
