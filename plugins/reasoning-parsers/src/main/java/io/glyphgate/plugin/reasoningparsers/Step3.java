package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;

/** Step-3: reasoning from the start of the output, always; an opening marker in it is text. */
public final class Step3 extends FormatReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
                    "<think>", "</think>", false, Map.of(), List.of("<|im_start|>", "<|im_end|>"))
            .keepingOpen();

    /** For the service loader. */
    public Step3() {
        super("step3", FORMAT);
    }
}
