package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.OpenedReasoningFormat;
import java.util.List;
import java.util.Optional;

/** Magistral and other models of Mistral: reasoning between two markers, anywhere before the calls. */
public final class Mistral extends FormatReasoningParserProvider {
    private static final OpenedReasoningFormat FORMAT = new OpenedReasoningFormat(
            List.of("[THINK]"),
            List.of("[/THINK]"),
            false,
            "",
            List.of("[/THINK]"),
            true,
            List.of(),
            false,
            true,
            Optional.empty());

    /** For the service loader. */
    public Mistral() {
        super("mistral", FORMAT);
    }
}
