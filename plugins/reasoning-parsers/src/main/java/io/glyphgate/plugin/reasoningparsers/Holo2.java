package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;

/**
 * Holo2: as {@link DeepSeekV3}, but reasoning is on unless {@code thinking} or {@code enable_thinking} is false and
 * neither is true.
 */
public final class Holo2 extends FormatReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
                    "<think>",
                    "</think>",
                    true,
                    Map.of("thinking", false, "enable_thinking", false),
                    List.of("<|im_start|>", "<|im_end|>"))
            .onWhen(Map.of("thinking", true, "enable_thinking", true));

    /** For the service loader. */
    public Holo2() {
        super("holo2", FORMAT);
    }
}
