package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** OLMo 3: Python calls, one a line, between {@code <function_calls>} tags. */
public final class Olmo3 extends FormatToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(new Arguments.PythonCalls(""))
            .call("<function_calls>", List.of(), "</function_calls>")
            .demanded(CallFormat.Demanded.JSON_FROM_START)
            .build();

    /** For the service loader. */
    public Olmo3() {
        super("olmo3", FORMAT);
    }
}
