package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;

/**
 * OLMo 3: reasoning from the start of the output, unless the prompt closed it; only the first opening marker is one.
 */
public final class Olmo3 extends FormatReasoningParserProvider {
    private static final ReasoningFormat FORMAT =
            new ReasoningFormat("<think>", "</think>", true, Map.of(), List.of("<|im_start|>", "<|im_end|>"));

    /** For the service loader. */
    public Olmo3() {
        super("olmo3", FORMAT);
    }
}
