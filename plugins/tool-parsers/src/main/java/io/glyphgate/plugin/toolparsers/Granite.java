package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.Demanded;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** Granite 3: an array of JSON calls behind a marker. */
public final class Granite extends FormatToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.JsonCalls(new Arguments.JsonCall("name", List.of("arguments", "parameters"))))
            .call("<|tool_call|>", List.of("["))
            .call("<tool_call>", List.of("["))
            .demanded(Demanded.JSON)
            .build();

    /** For the service loader. */
    public Granite() {
        super("granite", FORMAT);
    }
}
