package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.OpenedReasoningFormat;
import java.util.List;

/** Gemma 4: reasoning is a channel, which may open anywhere. */
public final class Gemma4 extends FormatReasoningParserProvider {
    private static final OpenedReasoningFormat FORMAT = new OpenedReasoningFormat(
                    List.of("<|channel>"),
                    List.of("<channel|>"),
                    false,
                    "thought\n",
                    List.of("<channel|>", "<turn|>"),
                    true,
                    List.of("<|turn>", "<turn|>"))
            .openedByLabel()
            .callsUntil("<tool_call|>")
            // Without a tool parser the markers of calls are content, as in vLLM.
            .alsoVisible("<|tool_call>", "<tool_call|>", "<|\"|>");

    /** For the service loader. */
    public Gemma4() {
        super("gemma4", FORMAT);
    }
}
