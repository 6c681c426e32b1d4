package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** MiniMax-M2: reasoning from the start of the output, always; white space at its end is dropped. */
public final class MinimaxM2 implements ReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
                    "<think>", "</think>", false, Map.of(), List.of("]~b]", "[e~["))
            .trimming();

    /** For the service loader. */
    public MinimaxM2() {}

    @Override
    public String name() {
        return "minimax_m2";
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
