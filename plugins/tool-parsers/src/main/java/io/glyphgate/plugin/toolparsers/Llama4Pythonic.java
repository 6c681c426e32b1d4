package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/**
 * Llama 4: a list of Python calls, with or without the special tokens around it. They add nothing, so the parser does
 * not ask for them where the request skips special tokens.
 */
public final class Llama4Pythonic extends FormatToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(new Arguments.PythonCalls(","))
            .call("[", List.of(), "]")
            .call("<|python_start|>[", List.of(), "]<|python_end|>")
            .onlyFirst()
            .demanded(CallFormat.Demanded.JSON_FROM_START)
            .visible()
            .build();

    /** For the service loader. */
    public Llama4Pythonic() {
        super("llama4_pythonic", FORMAT);
    }
}
