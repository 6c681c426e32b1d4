package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.Tool;
import io.glyphgate.spi.ToolChoice;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.Arguments.Tagged.Space;
import io.glyphgate.toolkit.CallConstraint;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Qwen3-Coder: a call is a {@code <function=>} tag with {@code <parameter=>} tags in it, typed by the function's
 * schema.
 */
public final class Qwen3Coder extends FormatToolParserProvider {
    private static final CallFormat FORMAT = tagged(Space.LINES).build();

    /**
     * What all versions of the notation share.
     *
     * @param space which white space around a value belongs to its tags
     * @return a description
     */
    static CallFormat.Builder tagged(Space space) {
        return CallFormat.of(new Arguments.Tagged(
                        "<parameter=", ">", "", "</parameter>", true, space, false, false, List.of()))
                .group("<tool_call>", "</tool_call>")
                .call("<function=", List.of(), "</function>")
                .ungrouped()
                .nameEnd(">");
    }

    private static final CallConstraint CONSTRAINT = CallConstraint.scattered(
            "<tool_call>\n<function=",
            "qwen_xml",
            new CallConstraint.Form("<tool_call>\n<function=", ">\n", "\n</function>\n</tool_call>"));

    /** For the service loader. */
    public Qwen3Coder() {
        super("qwen3_coder", Set.of("qwen3_xml", "step3p5"), FORMAT);
    }

    @Override
    public Optional<Map<String, Object>> constraint(List<Tool> tools, ToolChoice choice, boolean parallel) {
        return CONSTRAINT.of(tools, choice, parallel);
    }
}
