package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** LongCat-Flash: as {@link Hermes} between tags of its own. */
public final class Longcat extends FormatToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.JsonCall("name", List.of("arguments", "parameters")))
            .call("<longcat_tool_call>", List.of("{"), "</longcat_tool_call>")
            .whiteSpace(WhiteSpace.KEPT)
            .build();

    /** For the service loader. */
    public Longcat() {
        super("longcat", FORMAT);
    }
}
