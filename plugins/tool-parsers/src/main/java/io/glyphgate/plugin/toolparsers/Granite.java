package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.Demanded;
import java.util.List;
import java.util.Set;

/** Granite 3: an array of JSON calls behind a marker. */
public final class Granite implements ToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.JsonCalls(new Arguments.JsonCall("name", List.of("arguments", "parameters"))))
            .call("<|tool_call|>", List.of("["))
            .call("<tool_call>", List.of("["))
            .demanded(Demanded.JSON)
            .build();
    private static final CallFormat.Compiled CALLS = FORMAT.compile();

    /** For the service loader. */
    public Granite() {}

    @Override
    public String name() {
        return "granite";
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
