package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;

/** MiniMax-M2 for clients that look for the reasoning themselves: it stays in the content, behind its opening marker. */
public final class MinimaxM2AppendThink extends FormatReasoningParserProvider {
    /** For the service loader. */
    public MinimaxM2AppendThink() {
        super("minimax_m2_append_think", MinimaxM2.FORMAT.showing());
    }
}
