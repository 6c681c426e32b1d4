package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.Arguments.Tagged.Space;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** DeepSeek-V3.2: an invoke tag with parameter tags in it, which say whether a value is a string. */
public final class DeepSeekV32 extends FormatToolParserProvider {
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

    /** For the service loader. */
    public DeepSeekV32() {
        super("deepseek_v32", FORMAT);
    }
}
