package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.Arguments.Tagged.Space;
import io.glyphgate.toolkit.CallConstraint;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** DeepSeek-V3.2: an invoke tag with parameter tags in it, which say whether a value is a string. */
public final class DeepSeekV32 extends FormatToolParserProvider {
    private static final CallConstraint CONSTRAINT = CallConstraint.of(
            """
            {"type": "tag", "begin": "<｜DSML｜invoke name=\\"${name}\\">\\n",
             "end": "</｜DSML｜invoke>\\n",
             "content":
              {"type": "json_schema", "json_schema": "${parameters}", "style": "deepseek_xml"}}""",
            """
            {"type": "triggered_tags", "triggers": ["<｜DSML｜function_calls>"],
             "excludes": ["<think>", "</think>"],
             "at_least_one": false, "stop_after_first": false,
             "tags": [{"type": "tag", "begin": "<｜DSML｜function_calls>\\n", "end": "</｜DSML｜function_calls>",
              "content": {"type": "tags_with_separator", "separator": "", "at_least_one": true, "stop_after_first": false,
               "tags": [{"each-function": "${call}"}]}}]}""",
            """
            {"type": "sequence", "elements": [
              {"type": "const_string", "value": "\\n\\n<｜DSML｜function_calls>\\n"},
              {"type": "tags_with_separator", "separator": "", "at_least_one": true, "stop_after_first": false,
               "tags": [{"each-function": "${call}"}]},
              {"type": "const_string", "value": "</｜DSML｜function_calls>"}]}""",
            """
            {"type": "sequence", "elements": [
              {"type": "const_string", "value": "\\n\\n<｜DSML｜function_calls>\\n"},
              "${call}",
              {"type": "const_string", "value": "</｜DSML｜function_calls>"}]}""");

    private static final CallFormat FORMAT = dsml("")
            .group("<｜DSML｜function_calls>", "</｜DSML｜function_calls>")
            .constraint(CONSTRAINT)
            .build();

    /**
     * What all versions of the notation share.
     *
     * @param space what stands in front of the names of tags
     * @return a description without groups
     */
    static CallFormat.Builder dsml(String space) {
        return CallFormat.of(new Arguments.Tagged(
                        "<｜DSML｜" + space + "parameter name=",
                        ">",
                        "",
                        "</｜DSML｜" + space + "parameter>",
                        false,
                        Space.NONE,
                        false,
                        true,
                        List.of("arguments", "input")))
                .call("<｜DSML｜" + space + "invoke name=\"", List.of(), "</｜DSML｜" + space + "invoke>")
                .ungrouped()
                .nameEnd("\">")
                .whiteSpace(WhiteSpace.KEPT);
    }

    /** For the service loader. */
    public DeepSeekV32() {
        super("deepseek_v32", FORMAT);
    }
}
