package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import java.util.List;
import java.util.Set;

/**
 * Llama 4: a list of Python calls, with or without the special tokens around it. They add nothing, so the parser does
 * not ask for them where the request skips special tokens.
 */
public final class Llama4Pythonic implements ToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(new Arguments.PythonCalls(","))
            .call("[", List.of(), "]")
            .call("<|python_start|>[", List.of(), "]<|python_end|>")
            .onlyFirst()
            .demanded(CallFormat.Demanded.JSON_FROM_START)
            .build();
    private static final CallFormat.Compiled CALLS = FORMAT.compile();

    /** For the service loader. */
    public Llama4Pythonic() {}

    @Override
    public String name() {
        return "llama4_pythonic";
    }

    @Override
    public Set<String> markers() {
        return Set.of();
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
