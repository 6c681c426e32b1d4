package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments.Tagged.Space;
import io.glyphgate.toolkit.CallConstraint;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.FormatToolParserProvider;

/** MiMo: as {@link Qwen3Coder}, but newlines around a value belong to it. */
public final class Mimo extends FormatToolParserProvider {
    private static final CallConstraint CONSTRAINT = CallConstraint.of(
            """
            {"type": "tag", "begin": "<tool_call><function=${name}>",
             "end": "</function></tool_call>",
             "content":
              {"type": "json_schema", "json_schema": "${parameters}", "style": "qwen_xml"}}""",
            """
            {"type": "triggered_tags", "triggers": ["<tool_call>"],
             "excludes": ["<think>", "</think>", "</tool_call>", "<function="],
             "at_least_one": false, "stop_after_first": false,
             "tags": [{"each-function": "${call}"}]}""",
            """
            {"type": "triggered_tags", "triggers": ["<tool_call>"],
             "excludes": ["<think>", "</think>", "</tool_call>", "<function="],
             "at_least_one": true, "stop_after_first": false,
             "tags": [{"each-function": "${call}"}]}""",
            "\"${call}\"");

    private static final CallFormat FORMAT = Qwen3Coder.tagged(Space.NONE).constraint(CONSTRAINT).build();

    /** For the service loader. */
    public Mimo() {
        super("mimo", FORMAT);
    }
}
