package io.glyphgate.plugin.toolparsers;

import io.glyphgate.toolkit.Arguments;
import io.glyphgate.toolkit.CallConstraint;
import io.glyphgate.toolkit.CallFormat;
import io.glyphgate.toolkit.FormatToolParserProvider;
import java.util.List;

/** Gemma 4: keys and values, typed by the function's schema, strings between {@code <|"|>}. */
public final class Gemma4 extends FormatToolParserProvider {
    private static final CallConstraint CONSTRAINT = CallConstraint.of(
            """
            {"type": "tag", "begin": "<|tool_call>call:${name}{",
             "end": "}<tool_call|>",
             "content":
              {"type": "any_text", "excludes": ["<|tool_call>", "<tool_call|>", "<|channel>", "<channel|>"]}}""",
            "",
            """
            {"type": "tags_with_separator", "separator": "", "at_least_one": true, "stop_after_first": false,
               "tags": [{"each-function": "${call}"}]}""",
            "");

    private static final CallFormat FORMAT = CallFormat.of(new Arguments.KeyValues("<|\"|>"))
            .call("<|tool_call>call:", List.of(), "<tool_call|>")
            .call("<|tool_call>:", List.of(), "<tool_call|>")
            .nameEnd("{")
            .nameEnd("(")
            // The special tokens are the parts of a call marker that no words can be.
            .visible("<|tool_call>", "<tool_call|>", "<|\"|>")
            .constraint(CONSTRAINT)
            .build();

    /** For the service loader. */
    public Gemma4() {
        super("gemma4", FORMAT);
    }
}
