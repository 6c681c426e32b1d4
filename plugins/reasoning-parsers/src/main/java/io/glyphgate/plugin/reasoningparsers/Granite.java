package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.OpenedReasoningFormat;
import java.util.List;

/** Granite: reasoning between two phrases, the first of them at the start of the output. */
public final class Granite extends FormatReasoningParserProvider {
    private static final OpenedReasoningFormat FORMAT = new OpenedReasoningFormat(
                    List.of("Here is my thought process:", "Here's my thought process:"),
                    List.of("Here is my response:", "Here's my response:"),
                    true,
                    "",
                    List.of(),
                    false,
                    List.of())
            // It stays visible where no tool parser reads it, as in vLLM.
            .alsoVisible("<|tool_call|>");

    /** For the service loader. */
    public Granite() {
        super("granite", FORMAT);
    }
}
