package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;

/** Qwen3: reasoning from the start of the output, unless {@code enable_thinking} is false. */
public final class Qwen3 extends FormatReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
            "<think>", "</think>", false, Map.of("enable_thinking", false), List.of("<|im_start|>", "<|im_end|>"));

    /** For the service loader. */
    public Qwen3() {
        super("qwen3", FORMAT);
    }
}
