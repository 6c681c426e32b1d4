package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.toolkit.OpenedReasoningFormat;
import java.util.List;
import java.util.Set;

/** Hunyuan A13B: reasoning at the start of the output, and the answer in a tag of its own. */
public final class HunyuanA13b implements ReasoningParserProvider {
    private static final OpenedReasoningFormat FORMAT = new OpenedReasoningFormat(
            List.of("<think>\n"),
            List.of("\n</think>\n<answer>\n"),
            true,
            "",
            List.of("\n</answer>"),
            false,
            List.of());

    /** For the service loader. */
    public HunyuanA13b() {}

    @Override
    public String name() {
        return "hunyuan_a13b";
    }

    @Override
    public Set<String> markers() {
        return FORMAT.markers();
    }

    @Override
    public ReasoningParser create(ParseContext context) {
        return FORMAT.parser(context);
    }
}
