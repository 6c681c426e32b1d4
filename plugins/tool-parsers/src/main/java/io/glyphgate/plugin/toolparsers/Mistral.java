package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.ToolOpener;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.Demanded;
import io.glyphgate.toolkit.CallFormat.Ids;
import io.glyphgate.toolkit.CallFormat.Names;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.CallKind;
import io.glyphgate.toolkit.CallName;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/**
 * Mistral: behind the same marker, an array of JSON calls with tokenizers before version 11, and from that version on a
 * name with its arguments.
 */
public final class Mistral extends FormatToolParserProvider {
    private static final String TOOL_CALLS = "[TOOL_CALLS]";
    private static final CallKind LISTED = new CallKind(
            new ToolOpener(TOOL_CALLS, List.of("[{", "[ {", "[\n", "{")),
            CallName.NONE,
            new Arguments.JsonCalls(new Arguments.JsonCall("name", List.of("arguments", "parameters"), true)),
            WhiteSpace.KEPT);
    private static final CallFormat FORMAT = CallFormat.of(new Arguments.JsonValue())
            .call(LISTED)
            .call(TOOL_CALLS, List.of())
            .names(Names.WORD)
            .nameEnd("[ARGS]")
            .nameStop("{")
            .idMark("[CALL_ID]")
            .ids(Ids.ALPHANUMERIC_9)
            .demanded(Demanded.UNMARKED)
            .build();

    /** For the service loader. */
    public Mistral() {
        super("mistral", FORMAT);
    }
}
