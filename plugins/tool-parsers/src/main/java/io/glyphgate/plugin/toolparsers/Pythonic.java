package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** A list of Python calls, {@code [f(a=1), g()]}, which is all of the output. */
public final class Pythonic extends FormatToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(new Arguments.PythonCalls(","))
            .call("[", List.of(), "]")
            .onlyFirst()
            .demanded(CallFormat.Demanded.JSON_FROM_START)
            .build();

    /** For the service loader. */
    public Pythonic() {
        super("pythonic", FORMAT);
    }
}
