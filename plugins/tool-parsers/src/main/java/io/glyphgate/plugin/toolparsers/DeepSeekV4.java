package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.FormatToolParserProvider;

/** DeepSeek V4: as {@link DeepSeekV32} in other groups, of which the model writes two in other ways at times. */
public final class DeepSeekV4 extends FormatToolParserProvider {
    private static final CallFormat FORMAT = DeepSeekV32.dsml("")
            .group("<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>")
            .group("<｜DSML｜toolcalls>", "</｜DSML｜toolcalls>")
            .group("<｜DSML｜tool>", "</｜DSML｜tool>")
            .build();

    /** For the service loader. */
    public DeepSeekV4() {
        super("deepseek_v4", FORMAT);
    }
}
