package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * DeepSeek-R1, models distilled from it or trained like it, and Step 5: reasoning from the start of the output, always;
 * only the first opening marker is one.
 */
public final class DeepSeekR1 extends FormatReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
            "<think>",
            "</think>",
            true,
            Map.of(),
            List.of("<｜User｜>", "<｜Assistant｜>", "<｜end▁of▁sentence｜>", "<|im_start|>", "<|im_end|>"));

    /** For the service loader. */
    public DeepSeekR1() {
        super("deepseek_r1", Set.of("step5"), FORMAT);
    }
}
