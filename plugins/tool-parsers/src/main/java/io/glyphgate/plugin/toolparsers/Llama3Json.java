package io.glyphgate.plugin.toolparsers;

import io.glyphgate.spi.ToolOpener;
import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallConstraint;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.CallFormat.WhiteSpace;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;
import java.util.Set;

/** Llama 3 and 4: calls are bare JSON objects, one, several with semicolons between them, or an array. */
public final class Llama3Json extends FormatToolParserProvider {
    private static final CallConstraint CONSTRAINT = CallConstraint.of(
            """
            {"type": "tag", "begin": "{\\"name\\": \\"${name}\\", \\"parameters\\": ",
             "end": "}",
             "content":
              {"type": "json_schema", "json_schema": "${parameters}", "style": "json"}}""",
            """
            {"type": "triggered_tags", "triggers": ["{\\"name\\": "],
             "excludes": ["<think>", "</think>"],
             "at_least_one": false, "stop_after_first": false,
             "tags": [{"each-function": "${call}"}]}""",
            """
            {"type": "triggered_tags", "triggers": ["{\\"name\\": "],
             "excludes": ["<think>", "</think>"],
             "at_least_one": true, "stop_after_first": false,
             "tags": [{"each-function": "${call}"}]}""",
            "\"${call}\"");

    private static final CallFormat FORMAT = CallFormat.of(
                    new Arguments.JsonCalls(new Arguments.JsonCall("name", List.of("arguments", "parameters"))))
            .call("<|python_tag|>", List.of("{", "["))
            .call("{", List.of("\""))
            .call("[", List.of("{"))
            .whiteSpace(WhiteSpace.KEPT)
            // The tag before a call says no more than the call does, so it stays hidden as special tokens do.
            .visible()
            // A bare object in a thought may be anything.
            .endsReasoning(new ToolOpener("<|python_tag|>", List.of("{", "[")))
            .constraint(CONSTRAINT)
            .build();

    /** For the service loader. */
    public Llama3Json() {
        super("llama3_json", Set.of("llama4_json"), FORMAT);
    }

    @Override
    public boolean stopsInMarkers() {
        return false;
    }
}
