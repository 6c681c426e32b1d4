package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallConstraint;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.Names;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** Kimi K2: sections of calls whose numbered name is their ID, with the arguments as JSON. */
public final class KimiK2 extends FormatToolParserProvider {
    private static final CallConstraint CONSTRAINT = CallConstraint.of(
            """
            {"type": "tag", "begin": "<|tool_call_begin|>functions.${name}:",
             "end": "<|tool_call_end|>",
             "content":
              {"type": "sequence", "elements": [
                {"type": "regex", "pattern": "\\\\d+"},
                {"type": "const_string", "value": "<|tool_call_argument_begin|>"},
                {"type": "json_schema", "json_schema": "${parameters}", "style": "json"}]}}""",
            """
            {"type": "triggered_tags", "triggers": ["<|tool_calls_section_begin|>"],
             "excludes": ["<think>", "</think>", "<|tool_call_begin|>"],
             "at_least_one": false, "stop_after_first": false,
             "tags": [{"type": "tag", "begin": "<|tool_calls_section_begin|>", "end": "<|tool_calls_section_end|>",
              "content": {"type": "tags_with_separator", "separator": "", "at_least_one": true, "stop_after_first": false,
               "tags": [{"each-function": "${call}"}]}}]}""",
            """
            {"type": "sequence", "elements": [
              {"type": "const_string", "value": "<|tool_calls_section_begin|>"},
              {"type": "tags_with_separator", "separator": "", "at_least_one": true, "stop_after_first": false,
               "tags": [{"each-function": "${call}"}]},
              {"type": "const_string", "value": "<|tool_calls_section_end|>"}]}""",
            """
            {"type": "sequence", "elements": [
              {"type": "const_string", "value": "<|tool_calls_section_begin|>"},
              "${call}",
              {"type": "const_string", "value": "<|tool_calls_section_end|>"}]}""");

    private static final CallFormat FORMAT = CallFormat.of(new Arguments.JsonValue())
            .group("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>")
            .call("<|tool_call_begin|>", List.of(), "<|tool_call_end|>")
            .nameEnd("<|tool_call_argument_begin|>")
            .names(Names.NUMBERED)
            .whiteSpace(WhiteSpace.KEPT)
            .constraint(CONSTRAINT)
            .build();

    /** For the service loader. */
    public KimiK2() {
        super("kimi_k2", FORMAT);
    }
}
