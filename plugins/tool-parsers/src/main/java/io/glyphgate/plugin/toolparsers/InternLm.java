package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.Demanded;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import java.util.List;
import java.util.Set;

/** InternLM2: each call is a JSON object between the markers of a plugin action. */
public final class InternLm implements ToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.JsonCalls(new Arguments.JsonCall("name", List.of("arguments", "parameters"))))
            .call("<|action_start|><|plugin|>", List.of("{"), "<|action_end|>")
            .whiteSpace(WhiteSpace.KEPT)
            .demanded(Demanded.JSON)
            .build();
    private static final CallFormat.Compiled CALLS = FORMAT.compile();

    /** For the service loader. */
    public InternLm() {}

    @Override
    public String name() {
        return "internlm";
    }

    @Override
    public Set<String> markers() {
        return Set.of("<|action_start|>", "<|plugin|>", "<|interpreter|>", "<|action_end|>");
    }

    @Override
    public List<ToolOpener> openers() {
        return FORMAT.openers();
    }

    @Override
    public ToolParser create(ParseContext context) {
        return CALLS.parser(context);
    }
}
