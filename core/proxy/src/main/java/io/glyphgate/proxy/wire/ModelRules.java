package io.glyphgate.proxy.wire;

import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * What a model says about requests for texts.
 *
 * @param maxLength how many tokens prompt and output may have together; empty if it is not known
 * @param samplingDefaults sampling parameters where the client gives none
 * @param templateDefaults arguments of the chat template where the client gives none
 * @param reasons whether it has a parser of reasoning
 * @param calls what it says about constraints of the request
 */
public record ModelRules(
        OptionalInt maxLength,
        Map<String, Object> samplingDefaults,
        Map<String, @Nullable Object> templateDefaults,
        boolean reasons,
        CallRules calls) {}
