package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.Demanded;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;
import java.util.Set;

/** Granite 4 and Ernie 4.5: as Hermes, but plain JSON where a call is demanded. */
public final class Granite4 extends FormatToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.JsonCalls(new Arguments.JsonCall("name", List.of("arguments", "parameters"))))
            .call("<tool_call>", List.of("{"), "</tool_call>")
            .whiteSpace(WhiteSpace.KEPT)
            .demanded(Demanded.JSON)
            .build();

    /** For the service loader. */
    public Granite4() {
        super("granite4", Set.of("ernie45"), FORMAT);
    }
}
