package io.glyphgate.proxy.generate;

import io.glyphgate.proxy.config.ProxyConfig.KvParams;
import io.glyphgate.proxy.plugin.PluginFailedException;
import io.glyphgate.proxy.plugin.PluginKind;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.route.ServedModel;
import io.glyphgate.proxy.wire.GenerateBody;
import io.glyphgate.spi.InvalidRequestException;
import io.glyphgate.spi.OutputModeProvider;
import io.glyphgate.spi.OutputModeProvider.Need;

/** What is wrong with a request whichever pool would serve it. */
final class RequestCheck {
    private RequestCheck() {}

    /** What is wrong with a request at an output mode. */
    static void checkMode(GenerateBody body, OutputModeProvider mode, ServedModel model) {
        PluginFailedException.guard(PluginKind.OUTPUT_MODE, mode.name(), () -> Registry.withLoaderOf(mode, () -> {
            mode.validate(body);
            return mode;
        }));
        if (mode.needs().contains(Need.MESSAGE)) {
            if (!body.hasParseContext() && model.config().hasParser()) {
                throw new InvalidRequestException(
                        "parse_context",
                        "output_mode '" + mode.name() + "' needs parse_context (as /render returns it) or chat_request, because the"
                                + " output of model '" + model.name() + "' is parsed.");
            }
            body.parseRequest();
        } else if (body.hasChatRequest()) {
            throw new InvalidRequestException(
                    "chat_request",
                    "chat_request says how to make a message, but output_mode '" + mode.name() + "' makes none: remove it, or"
                            + " use output_mode 'derender'.");
        }
    }

    /** What is wrong with a request whatever the client gets of its output. */
    static void check(GenerateBody body, ServedModel model, KvParams kvParams) {
        if (kvParams == KvParams.REJECT && body.hasTransferParams()) {
            throw new InvalidRequestException(
                    "kv_transfer_params",
                    "kv_transfer_params steer servers to each other, which is this proxy's matter for model '" + model.name()
                            + "': remove them.");
        }
        if (!body.stop().isEmpty() && !body.sampling("detokenize", true)) {
            throw new InvalidRequestException(
                    "sampling_params.detokenize", "Stop strings are matched in the text, so they need detokenize to be true.");
        }
        int size = model.vocabularySize();
        int[] ids = body.promptTokenIds();
        for (int i = 0; i < ids.length; i++) {
            if (ids[i] >= size) {
                throw new InvalidRequestException(
                        "token_ids[" + i + "]",
                        "Token ID " + ids[i] + " is out of vocabulary: model '" + model.name() + "' has " + size + " token IDs.");
            }
        }
    }
}
