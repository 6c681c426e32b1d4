package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;

/** DeepSeek-R1: reasoning from the start of the output, always; only the first opening marker is one. */
public final class DeepSeekR1 extends FormatReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
            "<think>", "</think>", true, Map.of(), List.of("<｜User｜>", "<｜Assistant｜>", "<｜end▁of▁sentence｜>"));

    /** For the service loader. */
    public DeepSeekR1() {
        super("deepseek_r1", FORMAT);
    }
}
