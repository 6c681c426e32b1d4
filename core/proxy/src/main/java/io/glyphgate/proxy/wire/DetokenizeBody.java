package io.glyphgate.proxy.wire;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.glyphgate.spi.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A request to {@code /detokenize} or {@code /v2/decode}.
 *
 * @param model the model; empty if none is named
 * @param tokens the tokens
 */
public record DetokenizeBody(Optional<String> model, int[] tokens) {
    private static final String TOKENS = "tokens";
    private static final long LARGEST_ID = 0xFFFF_FFFFL;

    /** Reads a request to {@code /detokenize}. */
    public static DetokenizeBody parse(byte[] bytes) {
        ObjectNode body = Fields.body(bytes, true);
        List<Invalid> faults = new ArrayList<>();
        Fields fields = new Fields(body, List.of(Invalid.BODY), faults);
        Optional<String> model = TokenizeBody.model(fields);
        int[] tokens = fields.tokenIds(TOKENS, Long.MAX_VALUE, false);
        Fields.check(faults);
        List<Invalid> over = new ArrayList<>();
        new Fields(body, List.of(Invalid.BODY), over).tokenIds(TOKENS, LARGEST_ID, false);
        if (!over.isEmpty()) {
            throw new InvalidRequestException("", "number too large to fit in target type: a token ID fits into 32 bits");
        }
        return new DetokenizeBody(model, tokens);
    }

    /** Reads a request to {@code /v2/decode}. */
    public static DetokenizeBody parseVersion2(byte[] bytes) {
        ObjectNode body = Fields.body(bytes, true);
        List<Invalid> faults = new ArrayList<>();
        Fields fields = new Fields(body, List.of(Invalid.BODY), faults);
        Optional<String> model = TokenizeBody.model(fields);
        int[] tokens = fields.tokenIds(TOKENS, LARGEST_ID, false);
        Fields.check(faults);
        return new DetokenizeBody(model, tokens);
    }
}
