package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallConstraint;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;
import java.util.Set;

/** Hermes 2 Pro, Qwen2.5 and Qwen3: each call is a JSON object between {@code <tool_call>} tags. */
public final class Hermes extends FormatToolParserProvider {
    private static final CallConstraint CONSTRAINT = CallConstraint.of(
            """
            [{"type": "tag", "begin": "<tool_call>\\n{\\"name\\": \\"${name}\\", \\"arguments\\": ",
              "end": "}\\n</tool_call>",
              "content": {"type": "json_schema", "json_schema": "${parameters}", "style": "json"}},
             {"type": "tag", "begin": "<tool_call>{\\"name\\": \\"${name}\\", \\"arguments\\": ", "end": "}</tool_call>",
              "content": {"type": "json_schema", "json_schema": "${parameters}", "style": "json"}}]""",
            """
            {"type": "triggered_tags", "triggers": ["<tool_call>"], "excludes": [],
             "at_least_one": false, "stop_after_first": false,
             "tags": [{"each-function": "${call}"}]}""",
            """
            {"type": "tags_with_separator", "separator": "", "at_least_one": true, "stop_after_first": false,
             "tags": [{"each-function": "${call}"}]}""",
            "");

    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.JsonCalls(new Arguments.JsonCall("name", List.of("arguments", "parameters"))))
            .call("<tool_call>", List.of("{"), "</tool_call>")
            .whiteSpace(WhiteSpace.KEPT)
            .constraint(CONSTRAINT)
            .build();

    /** For the service loader. */
    public Hermes() {
        super("hermes", Set.of("qwen3_json"), FORMAT);
    }
}
