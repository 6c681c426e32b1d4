package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;
import java.util.Set;

/**
 * Qwen3-Coder: a call is a {@code <function=>} tag with {@code <parameter=>} tags in it, typed by the function's
 * schema.
 */
public final class Qwen3Coder extends FormatToolParserProvider {
    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.Tagged("<parameter=", ">", "</parameter>", true))
            .group("<tool_call>", "</tool_call>")
            .call("<function=", List.of(), "</function>")
            .ungrouped()
            .nameEnd(">")
            .build();

    /** For the service loader. */
    public Qwen3Coder() {
        super("qwen3_coder", Set.of("qwen3_xml", "step3p5"), FORMAT);
    }
}
