package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.Demanded;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import java.util.List;
import java.util.Set;

/** Phi-4-mini: an array of JSON calls behind {@code functools}. */
public final class Phi4MiniJson implements ToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.JsonCalls(new Arguments.JsonCall("name", List.of("arguments", "parameters"))))
            .call("functools[", List.of("{"))
            .whiteSpace(WhiteSpace.KEPT)
            .demanded(Demanded.JSON)
            .build();
    private static final CallFormat.Compiled CALLS = FORMAT.compile();

    /** For the service loader. */
    public Phi4MiniJson() {}

    @Override
    public String name() {
        return "phi4_mini_json";
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
