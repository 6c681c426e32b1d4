package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.Arguments.Tagged.Space;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import java.util.List;
import java.util.Set;

/** DeepSeek-V3.2: an invoke tag with parameter tags in it, which say whether a value is a string. */
public final class DeepSeekV32 implements ToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.Tagged(
                            
                            "<｜DSML｜parameter name=",
                            ">",
                            "",
                            "</｜DSML｜parameter>",
                            false,
                            Space.NONE,
                            false,
                            true,
                            List.of("arguments", "input")))
            .group("<｜DSML｜function_calls>", "</｜DSML｜function_calls>")
            .call("<｜DSML｜invoke name=\"", List.of(), "</｜DSML｜invoke>")
            .ungrouped()
            .nameEnd("\">")
            .whiteSpace(WhiteSpace.KEPT)
            .build();
    private static final CallFormat.Compiled CALLS = FORMAT.compile();

    /** For the service loader. */
    public DeepSeekV32() {}

    @Override
    public String name() {
        return "deepseek_v32";
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
