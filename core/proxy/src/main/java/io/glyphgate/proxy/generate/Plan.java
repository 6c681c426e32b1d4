package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.config.ProxyConfig.KvParams;
import io.glyphgate.proxy.route.Route;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.route.Way;
import io.glyphgate.proxy.wire.GenerateBody;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What will be done with a request.
 *
 * @param body the request
 * @param model the model that it asks for
 * @param form what the client gets of its output
 * @param routes the pools that can serve it, the one to try first at the front; never empty
 * @param kvParams what becomes of transfer parameters of the client
 * @param requestId its ID, by which servers know it
 * @param clientId the ID that the client gave, or one that the proxy made: the request's own, or what it was made of
 * @param start when it arrived, {@link System#nanoTime()}
 */
public record Plan(
        GenerateBody body,
        ServedModel model,
        AnswerForm form,
        List<Route> routes,
        KvParams kvParams,
        String requestId,
        String clientId,
        long start) {
    private static final int LONGEST_ID = 256;

    /** An ID for a request whose client gave none. */
    public static String newId() {
        return UUID.randomUUID().toString().replace("-", "");
    }

    /** The client's ID where it can stand in a header: a body can hold any string. */
    public Optional<String> headerId() {
        return Optional.of(clientId).filter(Plan::canBeHeader);
    }

    /** The ID by which servers know the generate request, where it can stand in a header. */
    Optional<String> serverHeaderId() {
        return Optional.of(requestId).filter(Plan::canBeHeader);
    }

    /** The client's own request, where the servers of a route get that and not the generate request. */
    Optional<AnswerForm.OwnRequest> own(Route route) {
        return route.way() == Way.FORWARD ? form.own() : Optional.empty();
    }

    static boolean canBeHeader(String id) {
        for (int i = 0; i < id.length(); i++) {
            if (id.charAt(i) < '!' || id.charAt(i) > '~') {
                return false;
            }
        }
        return !id.isEmpty() && id.length() <= LONGEST_ID;
    }
}
