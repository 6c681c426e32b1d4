package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.Arguments.Tagged.Space;
import io.glyphgate.toolkit.CallConstraint;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;
import java.util.Set;

/** GLM-4.5 and later: the name of the function, then {@code <arg_key>} and {@code <arg_value>} in turn. */
public final class Glm45 extends FormatToolParserProvider {
    private static final CallConstraint CONSTRAINT = CallConstraint.of(
            """
            {"type": "tag", "begin": "<tool_call>${name}",
             "end": "</tool_call>",
             "content":
              {"if-strict": {"type": "json_schema", "json_schema": "${parameters}", "style": "glm_xml"},
               "else": {"if-plain": {"type": "star", "content": {"type": "or", "elements": [
                  {"each-parameter": {"type": "sequence", "elements": [
                     {"type": "const_string", "value": "<arg_key>${key}</arg_key><arg_value>"},
                     "${value}",
                     {"type": "const_string", "value": "</arg_value>"}]},
                   "text": {"type": "any_text",
                     "excludes": ["<think>", "</think>", "<tool_call>", "</tool_call>",
                       "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"]}}]}},
                "else": {"type": "json_schema", "json_schema": "${parameters}", "style": "glm_xml"}}}}""",
            """
            {"type": "triggered_tags", "triggers": ["<tool_call>"],
             "excludes": ["<think>", "</think>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"],
             "at_least_one": false, "stop_after_first": false,
             "tags": [{"each-function": "${call}"}]}""",
            """
            {"if-strict":
              {"type": "triggered_tags", "triggers": ["<tool_call>"],
               "excludes": ["<think>", "</think>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"],
               "at_least_one": true, "stop_after_first": false,
               "tags": [{"each-function": "${call}"}]},
             "else":
              {"type": "tags_with_separator", "separator": "", "at_least_one": true, "stop_after_first": false,
               "tags": [{"each-function": "${call}"}]}}""",
            """
            {"if-strict": "${call}",
             "else":
              {"type": "tags_with_separator", "separator": "", "at_least_one": true, "stop_after_first": true,
               "tags": [{"each-function": "${call}"}]}}""");

    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.Tagged(
                            "<arg_key>",
                            "</arg_key>",
                            "<arg_value>",
                            "</arg_value>",
                            false,
                            Space.NONE,
                            false,
                            false,
                            List.of()))
            .call("<tool_call>", List.of(), "</tool_call>")
            .offered()
            .nameEnd("\n")
            .nameStop("<arg_key>")
            .nameStop("</tool_call>")
            .constraint(CONSTRAINT.evenIfNotStrict())
            .build();

    /** For the service loader. */
    public Glm45() {
        super("glm45", Set.of("glm47", "ling3"), FORMAT);
    }
}
