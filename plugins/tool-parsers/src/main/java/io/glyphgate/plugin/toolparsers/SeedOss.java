package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** Seed-OSS: as {@link Qwen3Coder} in a group with markers of its own. */
public final class SeedOss extends FormatToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.Tagged("<parameter=", ">", "</parameter>", true))
            .group("<seed:tool_call>", "</seed:tool_call>")
            .call("<function=", List.of(), "</function>")
            .ungrouped()
            .nameEnd(">")
            .demanded(CallFormat.Demanded.JSON_FROM_START)
            .build();

    /** For the service loader. */
    public SeedOss() {
        super("seed_oss", FORMAT);
    }
}
