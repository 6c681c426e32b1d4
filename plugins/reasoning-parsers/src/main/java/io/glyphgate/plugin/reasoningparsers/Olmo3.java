package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * OLMo 3: reasoning from the start of the output, unless the prompt closed it; only the first opening marker is one.
 */
public final class Olmo3 implements ReasoningParserProvider {
    private static final ReasoningFormat FORMAT =
            new ReasoningFormat("<think>", "</think>", true, Map.of(), List.of("<|im_start|>", "<|im_end|>"));

    /** For the service loader. */
    public Olmo3() {}

    @Override
    public String name() {
        return "olmo3";
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
