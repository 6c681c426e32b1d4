package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.Arguments.Tagged.Space;
import io.glyphgate.toolkit.CallFormat;
import java.util.List;
import java.util.Set;

/** MiniMax-M2: an {@code <invoke>} tag with {@code <parameter>} tags in it, their names in quotes or not. */
public final class MinimaxM2 implements ToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.Tagged(
                            "<parameter name=",
                            ">",
                            "",
                            "</parameter>",
                            false,
                            Space.NONE,
                            false,
                            true,
                            List.of()))
            .group("<minimax:tool_call>", "</minimax:tool_call>")
            .call("<invoke name=\"", List.of(), "</invoke>")
            .call("<invoke name='", List.of(), "</invoke>")
            .call("<invoke name=", List.of(), "</invoke>")
            .ungrouped()
            .offered()
            .nameEnd("\">")
            .nameEnd("'>")
            .nameEnd(">")
            .build();
    private static final CallFormat.Compiled CALLS = FORMAT.compile();

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
    public List<ToolOpener> openers() {
        return FORMAT.openers();
    }

    @Override
    public ToolParser create(ParseContext context) {
        return CALLS.parser(context);
    }
}
