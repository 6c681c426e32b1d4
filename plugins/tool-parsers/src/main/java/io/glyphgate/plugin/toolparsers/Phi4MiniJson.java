package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.Demanded;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** Phi-4-mini: an array of JSON calls behind {@code functools}. */
public final class Phi4MiniJson extends FormatToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.JsonCalls(new Arguments.JsonCall("name", List.of("arguments", "parameters"))))
            .call("functools[", List.of("{"))
            .whiteSpace(WhiteSpace.KEPT)
            .demanded(Demanded.JSON)
            .build();

    /** For the service loader. */
    public Phi4MiniJson() {
        super("phi4_mini_json", FORMAT);
    }
}
