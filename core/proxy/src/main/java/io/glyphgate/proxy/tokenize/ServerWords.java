package io.glyphgate.proxy.tokenize;

import io.glyphgate.proxy.generate.Inquiry;
import io.glyphgate.proxy.wire.ServerTokens;
import io.glyphgate.proxy.wire.TokenizeBody;
import io.glyphgate.spi.InvalidRequestException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tokenizer of a model as its servers have it: {@code /tokenize} and {@code /detokenize} of vLLM are asked.
 *
 * @param servers asks them
 */
record ServerWords(Inquiry servers) implements Words {
    private static final String TOKENIZE = "/tokenize";
    private static final String DETOKENIZE = "/detokenize";

    @Override
    public int[] encode(String text, boolean addSpecialTokens) {
        return ServerTokens.tokens(servers.post(
                TOKENIZE, model -> ServerTokens.tokenize(model, text, addSpecialTokens)));
    }

    @Override
    public String decode(int[] tokenIds) {
        return ServerTokens.prompt(servers.post(DETOKENIZE, model -> ServerTokens.detokenize(model, tokenIds)));
    }

    @Override
    public List<@Nullable String> tokens(int[] tokenIds) {
        throw new InvalidRequestException(
                "",
                "Single tokens as strings are only to be had where the proxy has the model's tokenizer: set "
                        + "models.*.tokenizer.");
    }

    /** What a server answers to a body of {@code /tokenize}, which is passed on but for the name of the model. */
    byte[] tokenize(byte[] body) {
        return servers.post(TOKENIZE, model -> ServerTokens.named(body, model));
    }

    /** What a server answers to {@code /v2/tokenizer}, which it does not have itself. */
    byte[] tokenizeVersion2(TokenizeBody request, byte[] body) {
        byte[] answer = switch (request) {
            case TokenizeBody.Prompt prompt ->
                servers.post(
                        TOKENIZE,
                        model -> ServerTokens.tokenize(model, prompt.prompt(), prompt.addSpecialTokens()));
            case TokenizeBody.Chat chat -> servers.post(TOKENIZE, model -> ServerTokens.chatOnly(body, model));
        };
        return ServerTokens.withoutStrings(answer);
    }

    /** What a server answers to {@code /tokenizer_info}. */
    byte[] tokenizerInfo() {
        return servers.get("/tokenizer_info");
    }
}
