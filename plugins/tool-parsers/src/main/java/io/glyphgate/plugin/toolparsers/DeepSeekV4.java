package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.CallConstraint;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.FormatToolParserProvider;

/** DeepSeek V4: as {@link DeepSeekV32} in other groups, of which the model writes two in other ways at times. */
public final class DeepSeekV4 extends FormatToolParserProvider {
    private static final CallConstraint CONSTRAINT = CallConstraint.of(
            """
            {"type": "tag", "begin": "<｜DSML｜invoke name=\\"${name}\\">\\n",
             "end": "</｜DSML｜invoke>\\n",
             "content":
              {"type": "json_schema", "json_schema": "${parameters}", "style": "deepseek_xml"}}""",
            """
            {"type": "triggered_tags", "triggers": ["<｜DSML｜tool_calls>"],
             "excludes": ["<think>", "</think>"],
             "at_least_one": false, "stop_after_first": false,
             "tags": [{"type": "tag", "begin": "<｜DSML｜tool_calls>\\n", "end": "</｜DSML｜tool_calls>",
              "content": {"type": "tags_with_separator", "separator": "", "at_least_one": true, "stop_after_first": false,
               "tags": [{"each-function": "${call}"}]}}]}""",
            """
            {"type": "sequence", "elements": [
              {"type": "const_string", "value": "\\n\\n<｜DSML｜tool_calls>\\n"},
              {"type": "tags_with_separator", "separator": "", "at_least_one": true, "stop_after_first": false,
               "tags": [{"each-function": "${call}"}]},
              {"type": "const_string", "value": "</｜DSML｜tool_calls>"}]}""",
            """
            {"type": "sequence", "elements": [
              {"type": "const_string", "value": "\\n\\n<｜DSML｜tool_calls>\\n"},
              "${call}",
              {"type": "const_string", "value": "</｜DSML｜tool_calls>"}]}""");

    private static final CallFormat FORMAT = DeepSeekV32.dsml("")
            .group("<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>")
            .group("<｜DSML｜toolcalls>", "</｜DSML｜toolcalls>")
            .group("<｜DSML｜tool>", "</｜DSML｜tool>")
            .constraint(CONSTRAINT)
            .build();

    /** For the service loader. */
    public DeepSeekV4() {
        super("deepseek_v4", FORMAT);
    }
}
