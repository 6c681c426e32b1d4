package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;

/** Nemotron 3: as {@link Qwen3}, but white space at the end of the reasoning is dropped. */
public final class NemotronV3 extends FormatReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
                    "<think>",
                    "</think>",
                    false,
                    Map.of("enable_thinking", false),
                    List.of("<|im_start|>", "<|im_end|>"))
            .trimming();

    /** For the service loader. */
    public NemotronV3() {
        super("nemotron_v3", FORMAT);
    }
}
