package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import java.util.List;
import java.util.Set;

/** Seed-OSS: as {@link Qwen3Coder} in a group with markers of its own. */
public final class SeedOss implements ToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.Tagged("<parameter=", ">", "</parameter>", true))
            .group("<seed:tool_call>", "</seed:tool_call>")
            .call("<function=", List.of(), "</function>")
            .ungrouped()
            .nameEnd(">")
            .demanded(CallFormat.Demanded.JSON_FROM_START)
            .build();
    private static final CallFormat.Compiled CALLS = FORMAT.compile();

    /** For the service loader. */
    public SeedOss() {}

    @Override
    public String name() {
        return "seed_oss";
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
