package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.Names;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import java.util.List;
import java.util.Set;

/** Kimi K2: sections of calls whose numbered name is their ID, with the arguments as JSON. */
public final class KimiK2 implements ToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(new Arguments.JsonValue())
            .group("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>")
            .call("<|tool_call_begin|>", List.of(), "<|tool_call_end|>")
            .nameEnd("<|tool_call_argument_begin|>")
            .names(Names.NUMBERED)
            .whiteSpace(WhiteSpace.KEPT)
            .build();
    private static final CallFormat.Compiled CALLS = FORMAT.compile();

    /** For the service loader. */
    public KimiK2() {}

    @Override
    public String name() {
        return "kimi_k2";
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
