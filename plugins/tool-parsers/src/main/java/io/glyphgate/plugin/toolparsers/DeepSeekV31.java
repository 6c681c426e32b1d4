package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import java.util.List;
import java.util.Set;

/** DeepSeek V3.1: sections of calls with the arguments as JSON. */
public final class DeepSeekV31 implements ToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(new Arguments.JsonValue())
            .group("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>")
            .call("<｜tool▁call▁begin｜>", List.of(), "<｜tool▁call▁end｜>")
            .nameEnd("<｜tool▁sep｜>")
            .whiteSpace(WhiteSpace.KEPT)
            .build();
    private static final CallFormat.Compiled CALLS = FORMAT.compile();

    /** For the service loader. */
    public DeepSeekV31() {}

    @Override
    public String name() {
        return "deepseek_v31";
    }

    @Override
    public Set<String> markers() {
        return FORMAT.markers();
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
