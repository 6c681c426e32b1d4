package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Step-3.5: reasoning from the start of the output, always; white space at its end is dropped. */
public final class Step3p5 implements ReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
                    "<think>", "</think>", false, Map.of(), List.of("<|im_start|>", "<|im_end|>"))
            .trimming();

    /** For the service loader. */
    public Step3p5() {}

    @Override
    public String name() {
        return "step3p5";
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
