package io.glyphgate.plugin.reasoningparsers;

import io.glyphgate.toolkit.FormatReasoningParserProvider;
import io.glyphgate.toolkit.OpenedReasoningFormat;
import java.util.List;

/** Magistral and other models of Mistral: reasoning between two markers, anywhere before the calls. */
public final class Mistral extends FormatReasoningParserProvider {
    private static final OpenedReasoningFormat FORMAT = new OpenedReasoningFormat(
            List.of("[THINK]"), List.of("[/THINK]"), false, "", List.of("[/THINK]"), true, List.of(), false, true);

    /** For the service loader. */
    public Mistral() {
        super("mistral", FORMAT);
    }
}
