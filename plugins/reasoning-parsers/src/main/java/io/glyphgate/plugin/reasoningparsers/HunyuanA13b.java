package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.OpenedReasoningFormat;
import java.util.List;

/** Hunyuan A13B: reasoning at the start of the output, and the answer in a tag of its own. */
public final class HunyuanA13b extends FormatReasoningParserProvider {
    private static final OpenedReasoningFormat FORMAT = new OpenedReasoningFormat(
            List.of("<think>\n"),
            List.of("\n</think>\n<answer>\n"),
            true,
            "",
            List.of("\n</answer>"),
            false,
            List.of());

    /** For the service loader. */
    public HunyuanA13b() {
        super("hunyuan_a13b", FORMAT);
    }
}
