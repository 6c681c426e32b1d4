package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.toolkit.OpenedReasoningFormat;
import java.util.List;
import java.util.Set;

/** Gemma 4: reasoning is a channel, which may open anywhere. */
public final class Gemma4 implements ReasoningParserProvider {
    private static final OpenedReasoningFormat FORMAT = new OpenedReasoningFormat(
            List.of("<|channel>"),
            List.of("<channel|>"),
            false,
            "thought\n",
            List.of("<channel|>", "<turn|>"),
            true,
            List.of("<|turn>", "<turn|>"));

    /** For the service loader. */
    public Gemma4() {}

    @Override
    public String name() {
        return "gemma4";
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
