package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import java.util.List;
import java.util.Set;

/**
 * Qwen3-Coder: a call is a {@code <function=>} tag with {@code <parameter=>} tags in it, typed by the function's
 * schema.
 */
public final class Qwen3Coder implements ToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.Tagged("<parameter=", ">", "</parameter>", true))
            .group("<tool_call>", "</tool_call>")
            .call("<function=", List.of(), "</function>")
            .ungrouped()
            .nameEnd(">")
            .build();
    private static final CallFormat.Compiled CALLS = FORMAT.compile();

    /** For the service loader. */
    public Qwen3Coder() {}

    @Override
    public String name() {
        return "qwen3_coder";
    }

    @Override
    public Set<String> aliases() {
        return Set.of("qwen3_xml", "step3p5");
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
