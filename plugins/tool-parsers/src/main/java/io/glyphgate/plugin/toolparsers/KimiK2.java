package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.Names;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** Kimi K2: sections of calls whose numbered name is their ID, with the arguments as JSON. */
public final class KimiK2 extends FormatToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(new Arguments.JsonValue())
            .group("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>")
            .call("<|tool_call_begin|>", List.of(), "<|tool_call_end|>")
            .nameEnd("<|tool_call_argument_begin|>")
            .names(Names.NUMBERED)
            .whiteSpace(WhiteSpace.KEPT)
            .build();

    /** For the service loader. */
    public KimiK2() {
        super("kimi_k2", FORMAT);
    }
}
