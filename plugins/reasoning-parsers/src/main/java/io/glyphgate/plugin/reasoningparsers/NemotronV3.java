package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Nemotron 3: as {@link Qwen3}, but white space at the end of the reasoning is dropped. */
public final class NemotronV3 implements ReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
                    "<think>",
                    "</think>",
                    false,
                    Map.of("enable_thinking", false),
                    List.of("<|im_start|>", "<|im_end|>"))
            .trimming();

    /** For the service loader. */
    public NemotronV3() {}

    @Override
    public String name() {
        return "nemotron_v3";
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
