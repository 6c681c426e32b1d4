package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import java.util.List;
import java.util.Set;

/** OLMo 3: Python calls, one a line, between {@code <function_calls>} tags. */
public final class Olmo3 implements ToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(new Arguments.PythonCalls(""))
            .call("<function_calls>", List.of(), "</function_calls>")
            .demanded(CallFormat.Demanded.JSON_FROM_START)
            .build();
    private static final CallFormat.Compiled CALLS = FORMAT.compile();

    /** For the service loader. */
    public Olmo3() {}

    @Override
    public String name() {
        return "olmo3";
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
    public List<ToolOpener> openers(ParseContext context) {
        List<String> names =
                context.tools().stream().map(tool -> tool.name() + "(").toList();
        return openers().stream()
                .map(opener -> new ToolOpener(opener.marker(), names))
                .toList();
    }

    @Override
    public ToolParser create(ParseContext context) {
        return CALLS.parser(context);
    }
}
