package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.Demanded;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** Granite 20B for function calling: each call is a JSON object behind a marker. */
public final class Granite20bFc extends FormatToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.JsonCall("name", List.of("arguments", "parameters")))
            .call("<function_call>", List.of("{"))
            .whiteSpace(WhiteSpace.KEPT)
            .demanded(Demanded.JSON)
            .build();

    /** For the service loader. */
    public Granite20bFc() {
        super("granite-20b-fc", FORMAT);
    }
}
