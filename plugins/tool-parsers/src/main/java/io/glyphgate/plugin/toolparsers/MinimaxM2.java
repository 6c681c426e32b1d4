package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.Arguments.Tagged.Space;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** MiniMax-M2: an {@code <invoke>} tag with {@code <parameter>} tags in it, their names in quotes or not. */
public final class MinimaxM2 extends FormatToolParserProvider {
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

    /** For the service loader. */
    public MinimaxM2() {
        super("minimax_m2", FORMAT);
    }
}
