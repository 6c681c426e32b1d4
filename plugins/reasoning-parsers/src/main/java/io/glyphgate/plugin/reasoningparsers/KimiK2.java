package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;

/**
 * Kimi K2: reasoning from the start of the output, unless {@code thinking} or {@code enable_thinking} is false; without
 * white space at its end.
 */
public final class KimiK2 extends FormatReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
                    "<think>",
                    "</think>",
                    false,
                    Map.of("thinking", false, "enable_thinking", false),
                    List.of("<|im_user|>", "<|im_assistant|>", "<|im_system|>", "<|im_end|>"))
            .trimming()
            // They stay visible where no tool parser reads them; what stands between them would be unreadable alone.
            .alsoVisible(
                    "<|tool_calls_section_begin|>",
                    "<|tool_call_begin|>",
                    "<|tool_call_argument_begin|>",
                    "<|tool_call_end|>",
                    "<|tool_calls_section_end|>");

    /** For the service loader. */
    public KimiK2() {
        super("kimi_k2", FORMAT);
    }
}
