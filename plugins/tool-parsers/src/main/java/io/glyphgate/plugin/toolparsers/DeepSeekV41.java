package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.CallConstraint;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.FormatToolParserProvider;

/** DeepSeek V4.1: as {@link DeepSeekV4}, with a space in each tag. */
public final class DeepSeekV41 extends FormatToolParserProvider {
    private static final CallConstraint CONSTRAINT = CallConstraint.of(
            """
            {"type": "tag", "begin": "<｜DSML｜ invoke name=\\"${name}\\">\\n",
             "end": "</｜DSML｜ invoke>\\n",
             "content":
              {"type": "json_schema", "json_schema": "${parameters}", "style": "deepseek_v4_1_xml"}}""",
            """
            {"type": "triggered_tags", "triggers": ["<｜DSML｜ calls>"],
             "excludes": ["<think>", "</think>"],
             "at_least_one": false, "stop_after_first": false,
             "tags": [{"type": "tag", "begin": "<｜DSML｜ calls>\\n", "end": "</｜DSML｜ calls>",
              "content": {"type": "tags_with_separator", "separator": "", "at_least_one": true, "stop_after_first": false,
               "tags": [{"each-function": "${call}"}]}}]}""",
            """
            {"type": "sequence", "elements": [
              {"type": "const_string", "value": "\\n\\n<｜DSML｜ calls>\\n"},
              {"type": "tags_with_separator", "separator": "", "at_least_one": true, "stop_after_first": false,
               "tags": [{"each-function": "${call}"}]},
              {"type": "const_string", "value": "</｜DSML｜ calls>"}]}""",
            """
            {"type": "sequence", "elements": [
              {"type": "const_string", "value": "\\n\\n<｜DSML｜ calls>\\n"},
              "${call}",
              {"type": "const_string", "value": "</｜DSML｜ calls>"}]}""");

    private static final CallFormat FORMAT =
            DeepSeekV32.dsml(" ").group("<｜DSML｜ calls>", "</｜DSML｜ calls>").constraint(CONSTRAINT).build();

    /** For the service loader. */
    public DeepSeekV41() {
        super("deepseek_v41", FORMAT);
    }
}
