package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.FormatToolParserProvider;

/** DeepSeek V4.1: as {@link DeepSeekV4}, with a space in each tag. */
public final class DeepSeekV41 extends FormatToolParserProvider {
    private static final CallFormat FORMAT =
            DeepSeekV32.dsml(" ").group("<｜DSML｜ calls>", "</｜DSML｜ calls>").build();

    /** For the service loader. */
    public DeepSeekV41() {
        super("deepseek_v41", FORMAT);
    }
}
