package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.Demanded;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** Hunyuan A13B: an array of JSON calls between {@code <tool_calls>} tags, but not in a thought. */
public final class HunyuanA13b extends FormatToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.JsonCalls(new Arguments.JsonCall("name", List.of("arguments", "parameters"))))
            .call("<tool_calls>", List.of("["), "</tool_calls>")
            .whiteSpace(WhiteSpace.KEPT)
            .thought("<think>", "</think>")
            .demanded(Demanded.JSON)
            .build();

    /** For the service loader. */
    public HunyuanA13b() {
        super("hunyuan_a13b", FORMAT);
    }
}
