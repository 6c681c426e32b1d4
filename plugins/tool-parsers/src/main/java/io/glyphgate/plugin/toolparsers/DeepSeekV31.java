package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallConstraint;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** DeepSeek V3.1: sections of calls with the arguments as JSON. */
public final class DeepSeekV31 extends FormatToolParserProvider {
    private static final CallConstraint CONSTRAINT = CallConstraint.of(
            """
            {"type": "tag", "begin": "<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>",
             "end": "<｜tool▁call▁end｜>",
             "content":
              {"type": "json_schema", "json_schema": "${parameters}", "style": "json"}}""",
            """
            {"type": "triggered_tags", "triggers": ["<｜tool▁calls▁begin｜>"],
             "excludes": ["<think>", "</think>"],
             "at_least_one": false, "stop_after_first": false,
             "tags": [{"type": "tag", "begin": "<｜tool▁calls▁begin｜>", "end": "<｜tool▁calls▁end｜>",
              "content": {"type": "tags_with_separator", "separator": "", "at_least_one": true, "stop_after_first": false,
               "tags": [{"each-function": "${call}"}]}}]}""",
            """
            {"type": "tag", "begin": "<｜tool▁calls▁begin｜>", "end": "<｜tool▁calls▁end｜>",
              "content": {"type": "tags_with_separator", "separator": "", "at_least_one": true, "stop_after_first": false,
               "tags": [{"each-function": "${call}"}]}}""",
            """
            {"type": "tag", "begin": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>${name}<｜tool▁sep｜>",
             "end": "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
             "content":
              {"type": "json_schema", "json_schema": "${parameters}", "style": "json"}}""");

    private static final CallFormat FORMAT = CallFormat.of(new Arguments.JsonValue())
            .group("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>")
            .call("<｜tool▁call▁begin｜>", List.of(), "<｜tool▁call▁end｜>")
            .nameEnd("<｜tool▁sep｜>")
            .whiteSpace(WhiteSpace.KEPT)
            .constraint(CONSTRAINT)
            .build();

    /** For the service loader. */
    public DeepSeekV31() {
        super("deepseek_v31", FORMAT);
    }
}
