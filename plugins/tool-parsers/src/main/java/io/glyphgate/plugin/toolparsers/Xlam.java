package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.ToolOpener;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.Demanded;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/**
 * xLAM: an array of JSON calls, bare where the output starts or a thought ends, else in a code block, between {@code
 * <tool_call>} tags or behind {@code [TOOL_CALLS]}. Arguments may be a string that holds them.
 */
public final class Xlam extends FormatToolParserProvider {
    private static final List<String> ARRAY = List.of("[");
    private static final CallFormat FORMAT = CallFormat.of(new Arguments.JsonCalls(
                    new Arguments.JsonCall("name", List.of("arguments", "parameters"), true)))
            .first("[", List.of("{"))
            .call("```json", ARRAY, "```")
            .call("```", ARRAY, "```")
            .call("<tool_call>", ARRAY, "</tool_call>")
            .call("[TOOL_CALLS]", ARRAY)
            .thoughtClose("</think>")
            // Those that mean calls alone: a code block in a thought may hold any array.
            .endsReasoning(new ToolOpener("<tool_call>", ARRAY), new ToolOpener("[TOOL_CALLS]", ARRAY))
            .demanded(Demanded.JSON)
            .build();

    /** For the service loader. */
    public Xlam() {
        super("xlam", FORMAT);
    }
}
