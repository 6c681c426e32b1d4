package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;

/** MiniMax-M2: reasoning from the start of the output, always; white space at its end is dropped. */
public final class MinimaxM2 extends FormatReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
                    "<think>", "</think>", false, Map.of(), List.of("]~b]", "[e~["))
            .trimming();

    /** For the service loader. */
    public MinimaxM2() {
        super("minimax_m2", FORMAT);
    }
}
