package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ReasoningParser;
import io.glyphgate.spi.ReasoningParserProvider;
import io.glyphgate.toolkit.ReasoningFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Step-3: reasoning from the start of the output, always; an opening marker in it is text. */
public final class Step3 implements ReasoningParserProvider {
    private static final ReasoningFormat FORMAT = new ReasoningFormat(
                    "<think>", "</think>", false, Map.of(), List.of("<|im_start|>", "<|im_end|>"))
            .keepingOpen();

    /** For the service loader. */
    public Step3() {}

    @Override
    public String name() {
        return "step3";
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
