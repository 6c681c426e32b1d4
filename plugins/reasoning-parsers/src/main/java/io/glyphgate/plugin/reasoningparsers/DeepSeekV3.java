package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** DeepSeek V3: as DeepSeek-R1 if {@code thinking} or {@code enable_thinking} is true; else all output is content. */
public final class DeepSeekV3 extends FormatReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
                    "<think>",
                    "</think>",
                    true,
                    Map.of(),
                    List.of("<｜User｜>", "<｜Assistant｜>", "<｜end▁of▁sentence｜>", "<assistant>"))
            .onlyWhen(Map.of("thinking", true, "enable_thinking", true));

    /** For the service loader. */
    public DeepSeekV3() {
        super("deepseek_v3", Set.of("poolside_v1"), FORMAT);
    }
}
