package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.Arguments.Tagged.Space;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** Step-3: an invoke tag with parameter tags in it, inside a call marker, inside a group. */
public final class Step3 extends FormatToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(new Arguments.Tagged(
                    "<steptml:parameter name=",
                    ">",
                    "",
                    "</steptml:parameter>",
                    false,
                    Space.ALL,
                    true,
                    true,
                    List.of()))
            .group("<｜tool_calls_begin｜>", "<｜tool_calls_end｜>")
            .group("<｜tool_call_begin｜>function<｜tool_sep｜>", "<｜tool_call_end｜>")
            .call("<steptml:invoke name=\"", List.of(), "</steptml:invoke>")
            .nameEnd("\">")
            .whiteSpace(WhiteSpace.KEPT)
            .demanded(CallFormat.Demanded.JSON_FROM_START)
            // The tokens, of which some stand inside a longer marker.
            .visible(
                    "<｜tool_calls_begin｜>",
                    "<｜tool_calls_end｜>",
                    "<｜tool_call_begin｜>",
                    "<｜tool_call_end｜>",
                    "<｜tool_sep｜>")
            .build();

    /** For the service loader. */
    public Step3() {
        super("step3", FORMAT);
    }
}
