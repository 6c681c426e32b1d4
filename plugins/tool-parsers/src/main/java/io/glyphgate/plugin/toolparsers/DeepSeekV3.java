package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallConstraint;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** DeepSeek V3 and R1: sections of calls with the arguments as JSON in a code fence. */
public final class DeepSeekV3 extends FormatToolParserProvider {
    private static final CallConstraint CONSTRAINT = CallConstraint.of(
            """
            {"type": "tag", "begin": "<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\\n```json\\n",
             "end": "\\n```<｜tool▁call▁end｜>",
             "content":
              {"type": "json_schema", "json_schema": "${parameters}", "style": "json"}}""",
            """
            {"type": "triggered_tags", "triggers": ["<｜tool▁calls▁begin｜>"],
             "excludes": ["<think>", "</think>"],
             "at_least_one": false, "stop_after_first": false,
             "tags": [{"type": "tag", "begin": "<｜tool▁calls▁begin｜>", "end": "<｜tool▁calls▁end｜>",
              "content": {"type": "tags_with_separator", "separator": "\\n", "at_least_one": true, "stop_after_first": false,
               "tags": [{"each-function": "${call}"}]}}]}""",
            """
            {"type": "tag", "begin": "<｜tool▁calls▁begin｜>", "end": "<｜tool▁calls▁end｜>",
              "content": {"type": "tags_with_separator", "separator": "\\n", "at_least_one": true, "stop_after_first": false,
               "tags": [{"each-function": "${call}"}]}}""",
            """
            {"type": "tag", "begin": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\\n```json\\n",
             "end": "\\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
             "content":
              {"type": "json_schema", "json_schema": "${parameters}", "style": "json"}}""");

    private static final CallFormat FORMAT = CallFormat.of(new Arguments.JsonValue())
            .group("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>")
            .call("<｜tool▁call▁begin｜>function<｜tool▁sep｜>", List.of(), "\n```<｜tool▁call▁end｜>")
            .groupEnd("\n```<｜tool▁calls▁end｜>")
            .groupEnd("```<｜tool▁calls▁end｜>")
            .callEnd("```<｜tool▁call▁end｜>")
            .callEnd("<｜tool▁call▁end｜>")
            .nameEnd("\n```json\n")
            .whiteSpace(WhiteSpace.KEPT)
            .constraint(CONSTRAINT)
            .build();

    /** For the service loader. */
    public DeepSeekV3() {
        super("deepseek_v3", FORMAT);
    }
}
