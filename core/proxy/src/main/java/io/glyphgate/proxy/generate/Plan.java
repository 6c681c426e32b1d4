package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.config.ProxyConfig.KvParams;
import io.glyphgate.proxy.route.Route;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.spi.OutputModeProvider;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * What will be done with a request.
 *
 * @param body the request
 * @param model the model that it asks for
 * @param mode its output mode
 * @param routes the pools that can serve it, the one to try first at the front; never empty
 * @param kvParams what becomes of transfer parameters of the client
 * @param requestId its ID: the client's, or one that the proxy made
 * @param start when it arrived, {@link System#nanoTime()}
 */
public record Plan(
        GenerateBody body,
        ServedModel model,
        OutputModeProvider mode,
        List<Route> routes,
        KvParams kvParams,
        String requestId,
        long start) {
    private static final Pattern HEADER = Pattern.compile("[!-~]{1,256}");

    /** An ID for a request whose client gave none. */
    static String newId() {
        return UUID.randomUUID().toString().replace("-", "");
    }

    /** The ID where it can stand in a header: a body can hold any string. */
    public Optional<String> headerId() {
        return Optional.of(requestId).filter(Plan::canBeHeader);
    }

    static boolean canBeHeader(String id) {
        return HEADER.matcher(id).matches();
    }
}
