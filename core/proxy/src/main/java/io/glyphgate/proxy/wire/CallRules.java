package io.glyphgate.proxy.wire;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a model says about the constraints of one request, each as {@code structured_outputs} has it.
 *
 * @param calls what calls must look like where the output follows no other constraint; empty if the model may do as it likes
 * @param beside what calls must look like where the output may follow another constraint instead; empty if only that one counts
 * @param demanded whether a call is demanded, so that there is no content that could follow a constraint
 * @param whole whether constraints are about all of the output, its reasoning included
 * @param frame sets a format of the content into the frame that the model's format has for content; empty if it has none
 */
public record CallRules(
        Optional<Map<String, Object>> calls,
        Optional<Map<String, Object>> beside,
        boolean demanded,
        boolean whole,
        Function<Map<String, Object>, Optional<Map<String, Object>>> frame) {
    /** No calls, and content without a frame. */
    public static final CallRules NONE = new CallRules(Optional.empty(), Optional.empty(), false, false, format -> Optional.empty());
}
