package io.glyphgate.plugin.outputmodes;

import io.glyphgate.spi.GenerateRequest;
import io.glyphgate.spi.InvalidRequestException;
import java.util.Optional;

/** What the modes that need text demand of a request. */
final class Detokenizing {
    private Detokenizing() {}

    /**
     * Refuses a request that asks for text and against detokenizing at once.
     *
     * @param request the request
     * @param mode the name of the mode that needs text
     */
    static void require(GenerateRequest request, String mode) {
        if (request.field("sampling_params", "detokenize").equals(Optional.of(false))) {
            throw new InvalidRequestException(
                    "sampling_params.detokenize",
                    "output_mode '" + mode + "' needs text, but sampling_params.detokenize is false."
                            + " Leave detokenize out, or use output_mode 'tokens'.");
        }
    }
}
