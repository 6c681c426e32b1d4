package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallConstraint;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** LongCat-Flash: as {@link Hermes} between tags of its own. */
public final class Longcat extends FormatToolParserProvider {
    private static final CallConstraint CONSTRAINT = CallConstraint.of(
            """
            [{"type": "tag", "begin": "<longcat_tool_call>\\n{\\"name\\": \\"${name}\\", \\"arguments\\": ",
              "end": "}\\n</longcat_tool_call>",
              "content": {"type": "json_schema", "json_schema": "${parameters}", "style": "json"}},
             {"type": "tag", "begin": "<longcat_tool_call>{\\"name\\": \\"${name}\\", \\"arguments\\": ", "end": "}</longcat_tool_call>",
              "content": {"type": "json_schema", "json_schema": "${parameters}", "style": "json"}}]""",
            """
            {"type": "triggered_tags", "triggers": ["<longcat_tool_call>"], "excludes": [],
             "at_least_one": false, "stop_after_first": false,
             "tags": [{"each-function": "${call}"}]}""",
            """
            {"type": "tags_with_separator", "separator": "", "at_least_one": true, "stop_after_first": false,
             "tags": [{"each-function": "${call}"}]}""",
            "");

    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.JsonCall("name", List.of("arguments", "parameters")))
            .call("<longcat_tool_call>", List.of("{"), "</longcat_tool_call>")
            .whiteSpace(WhiteSpace.KEPT)
            .constraint(CONSTRAINT)
            .build();

    /** For the service loader. */
    public Longcat() {
        super("longcat", FORMAT);
    }
}
