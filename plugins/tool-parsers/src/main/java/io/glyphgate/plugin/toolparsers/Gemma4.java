package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.ParseContext;
import io.glyphgate.spi.ToolOpener;
import io.glyphgate.spi.ToolParser;
import io.glyphgate.spi.ToolParserProvider;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import java.util.List;
import java.util.Set;

/** Gemma 4: keys and values, typed by the function's schema, strings between {@code <|"|>}. */
public final class Gemma4 implements ToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(new Arguments.KeyValues("<|\"|>"))
            .call("<|tool_call>call:", List.of(), "<tool_call|>")
            .call("<|tool_call>:", List.of(), "<tool_call|>")
            .nameEnd("{")
            .nameEnd("(")
            .build();
    private static final CallFormat.Compiled CALLS = FORMAT.compile();

    /** For the service loader. */
    public Gemma4() {}

    @Override
    public String name() {
        return "gemma4";
    }

    @Override
    public Set<String> markers() {
        // The special tokens are the parts of a call marker that no words can be.
        return Set.of("<|tool_call>", "<tool_call|>", "<|\"|>");
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
