package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** DeepSeek-R1: reasoning from the start of the output, always; only the first opening marker is one. */
public final class DeepSeekR1 implements ReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
            "<think>", "</think>", true, false, Map.of(), List.of("<｜User｜>", "<｜Assistant｜>", "<｜end▁of▁sentence｜>"));

    /** For the service loader. */
    public DeepSeekR1() {}

    @Override
    public String name() {
        return "deepseek_r1";
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
