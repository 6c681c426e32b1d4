package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.Arguments.Tagged.Space;
import io.glyphgate.toolkit.CallConstraint;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;
import java.util.Set;

/**
 * Qwen3-Coder: a call is a {@code <function=>} tag with {@code <parameter=>} tags in it, typed by the function's
 * schema.
 */
public final class Qwen3Coder extends FormatToolParserProvider {
    static final CallConstraint CONSTRAINT = CallConstraint.of(
            """
            {"type": "tag", "begin": "<tool_call>\\n<function=${name}>\\n",
             "end": "\\n</function>\\n</tool_call>",
             "content":
              {"type": "json_schema", "json_schema": "${parameters}", "style": "qwen_xml"}}""",
            """
            {"type": "triggered_tags", "triggers": ["<tool_call>\\n<function="],
             "excludes": ["<think>", "</think>"],
             "at_least_one": false, "stop_after_first": false,
             "tags": [{"each-function": "${call}"}]}""",
            """
            {"type": "triggered_tags", "triggers": ["<tool_call>\\n<function="],
             "excludes": ["<think>", "</think>"],
             "at_least_one": true, "stop_after_first": false,
             "tags": [{"each-function": "${call}"}]}""",
            "\"${call}\"");

    private static final CallFormat FORMAT = tagged(Space.LINES).constraint(CONSTRAINT).build();

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

    /** For the service loader. */
    public Qwen3Coder() {
        super("qwen3_coder", Set.of("qwen3_xml", "step3p5"), FORMAT);
    }
}
