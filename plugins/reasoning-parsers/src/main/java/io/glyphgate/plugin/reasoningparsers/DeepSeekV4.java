package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * DeepSeek V4: reasoning from the start of the output, unless {@code thinking} or {@code enable_thinking} is false and
 * neither is true, or {@code reasoning_effort} is {@code none}; white space at its end is dropped.
 */
public final class DeepSeekV4 extends FormatReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
                    "<think>",
                    "</think>",
                    false,
                    Map.of("thinking", false, "enable_thinking", false, "reasoning_effort", "none"),
                    List.of("<｜User｜>", "<｜Assistant｜>", "<｜end▁of▁sentence｜>"))
            .onWhen(Map.of("thinking", true, "enable_thinking", true))
            .trimming();

    /** For the service loader. */
    public DeepSeekV4() {
        super("deepseek_v4", Set.of("deepseek_v41"), FORMAT);
    }
}
