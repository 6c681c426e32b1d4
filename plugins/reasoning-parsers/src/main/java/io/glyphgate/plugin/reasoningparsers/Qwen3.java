package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Qwen3: reasoning from the start of the output, unless {@code enable_thinking} is false. */
public final class Qwen3 implements ReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
            "<think>", "</think>", false, false, Map.of("enable_thinking", false), List.of("<|im_start|>", "<|im_end|>"));

    /** For the service loader. */
    public Qwen3() {}

    @Override
    public String name() {
        return "qwen3";
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
