package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import java.util.List;
import java.util.Set;

/** A list of Python calls, {@code [f(a=1), g()]}, which is all of the output. */
public final class Pythonic implements ToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(new Arguments.PythonCalls(","))
            .call("[", List.of(), "]")
            .onlyFirst()
            .demanded(CallFormat.Demanded.JSON_FROM_START)
            .build();
    private static final CallFormat.Compiled CALLS = FORMAT.compile();

    /** For the service loader. */
    public Pythonic() {}

    @Override
    public String name() {
        return "pythonic";
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
