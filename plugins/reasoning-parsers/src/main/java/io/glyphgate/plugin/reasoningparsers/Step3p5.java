package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;

/** Step-3.5: reasoning from the start of the output, always; white space at its end is dropped. */
public final class Step3p5 extends FormatReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
                    "<think>", "</think>", false, Map.of(), List.of("<|im_start|>", "<|im_end|>"))
            .trimming();

    /** For the service loader. */
    public Step3p5() {
        super("step3p5", FORMAT);
    }
}
