package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.OpenedReasoningFormat;
import java.util.List;

/** MiniMax-M3: reasoning where a marker opens it, in the output or at the end of the prompt. */
public final class MinimaxM3 extends FormatReasoningParserProvider {
    private static final OpenedReasoningFormat FORMAT = new OpenedReasoningFormat(
            List.of("<mm:think>"),
            List.of("</mm:think>"),
            false,
            "",
            List.of("</mm:think>"),
            false,
            List.of("]~b]", "[e~["));

    /** For the service loader. */
    public MinimaxM3() {
        super("minimax_m3", FORMAT);
    }
}
