package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.Arguments.Tagged.Space;
import io.glyphgate.toolkit.CallConstraint;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** MiniMax-M2: an {@code <invoke>} tag with {@code <parameter>} tags in it, their names in quotes or not. */
public final class MinimaxM2 extends FormatToolParserProvider {
    private static final CallConstraint CONSTRAINT = CallConstraint.of(
            """
            {"type": "tag", "begin": "<invoke name=\\"${name}\\">\\n",
             "end": "</invoke>\\n",
             "content":
              {"type": "json_schema", "json_schema": "${parameters}", "style": "minimax_xml"}}""",
            """
            {"type": "triggered_tags", "triggers": ["<minimax:tool_call>"],
             "excludes": ["<think>", "</think>"],
             "at_least_one": false, "stop_after_first": false,
             "tags": [{"type": "tag", "begin": "<minimax:tool_call>\\n", "end": "</minimax:tool_call>",
              "content": {"type": "tags_with_separator", "separator": "", "at_least_one": true, "stop_after_first": false,
               "tags": [{"each-function": "${call}"}]}}]}""",
            """
            {"type": "sequence", "elements": [
              {"type": "const_string", "value": "\\n<minimax:tool_call>\\n"},
              {"type": "tags_with_separator", "separator": "", "at_least_one": true, "stop_after_first": false,
               "tags": [{"each-function": "${call}"}]},
              {"type": "const_string", "value": "</minimax:tool_call>"}]}""",
            "");

    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.Tagged(
                            "<parameter name=",
                            ">",
                            "",
                            "</parameter>",
                            false,
                            Space.NONE,
                            false,
                            true,
                            List.of()))
            .group("<minimax:tool_call>", "</minimax:tool_call>")
            .call("<invoke name=\"", List.of(), "</invoke>")
            .call("<invoke name='", List.of(), "</invoke>")
            .call("<invoke name=", List.of(), "</invoke>")
            .ungrouped()
            .offered()
            .nameEnd("\">")
            .nameEnd("'>")
            .nameEnd(">")
            .constraint(CONSTRAINT)
            .build();

    /** For the service loader. */
    public MinimaxM2() {
        super("minimax_m2", FORMAT);
    }
}
